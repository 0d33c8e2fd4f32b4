package undercroft.actor.slf4j

import internal.{ActorLogger, ActorMdc}
import org.slf4j.{Logger, LoggerFactory}
import undercroft.actor.ActorContext

extension (context: ActorContext[?])

  /** A logger whose lines have the actor in the MDC: `actorSystem`, the name of the system, and
    * `actorPath`, the names of the actor's ancestors and its own, such as `orders/till`. It is
    * named by the class that calls this method, and its lines have the location of their calls.
    *
    * Created once for an actor, in its `Behavior.setup`: the MDC is set for each enabled call and
    * restored behind it, so a message costs nothing more. Thread-safe: a callback of a future may
    * use it, too. A path of more than 16 names is empty.
    *
    * {{{
    * import undercroft.actor.*
    * val till = Behavior.setup[Int]:
    *   val log = context.logger
    *   Behavior.receive: price =>
    *     log.info("sold for {}", price)
    *     Behavior.same
    * ActorSystem.scoped("shop")(spawn(till, "till") ! 250)
    * }}}
    */
  def logger: Logger =
    val caller = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE).getCallerClass
    logger(caller.getName.takeWhile(_ != '$'))

  /** A logger of the actor with another name.
    *
    * {{{
    * import undercroft.actor.*
    * val till = Behavior.setup[Int]:
    *   val log = context.logger("shop.sales")
    *   Behavior.receive: price =>
    *     log.info("sold for {}", price)
    *     Behavior.same
    * }}}
    */
  def logger(name: String): Logger =
    if name == null then throw NullPointerException("the name of a logger is null")
    ActorLogger(LoggerFactory.getLogger(name), ActorMdc.of(context))

  /** Runs `body` with the actor in the MDC, for the log lines of other libraries that it calls. The
    * MDC is that of the thread: it does not follow to other threads.
    *
    * {{{
    * import undercroft.actor.*
    * import java.nio.file.{Files, Path}
    * val reader = Behavior.setup[Path]:
    *   Behavior.receive: file =>
    *     context.withMdc(Files.size(file))
    *     Behavior.same
    * }}}
    */
  def withMdc[A](body: => A): A = ActorMdc.of(context).around(body)
end extension
