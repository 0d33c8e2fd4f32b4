package undercroft.actor

import internal.dispatch.SystemFailure

/** A message did not fit into a mailbox. The mailbox is unchanged.
  *
  * {{{
  * def offer(orders: ActorRef[Int], order: Int): Boolean =
  *   try
  *     orders ! order
  *     true
  *   catch case _: MailboxFullException => false
  * }}}
  */
final class MailboxFullException private[actor] (message: String) extends RuntimeException(message)

/** A watched actor stopped, and the watcher does not handle [[Signal.Terminated]].
  *
  * {{{
  * def office(clerk: ActorRef[Int]): Behavior[Int] = Behavior
  *   .setup[Int] {
  *     context.watch(clerk) // without a handler for Terminated
  *     Behavior.ignore
  *   }
  *   .supervised { case _: DeathPactException => Supervision.Stop }
  * }}}
  */
final class DeathPactException private[actor] (ref: String, cause: Option[Throwable])
    extends RuntimeException(
      s"$ref was watched and stopped, and nothing handles Terminated",
      cause.getOrElse(null)
    )

/** A child failed and escalated; its parent fails with this exception.
  *
  * {{{
  * def parent(child: Behavior[Int]): Behavior[Int] = Behavior
  *   .setup[Int] {
  *     val worker = spawn(child.supervised { case _ => Supervision.Escalate })
  *     Behavior.receive: n =>
  *       worker ! n
  *       Behavior.same
  *   }
  *   .supervised { case _: ChildFailedException => Supervision.Restart(limit = 3) }
  * }}}
  */
final class ChildFailedException private[actor] (ref: String, cause: Throwable)
    extends RuntimeException(s"$ref failed and escalated", cause)

/** An actor could not be spawned: its parent or the system is stopping, or no thread could be
  * started.
  *
  * {{{
  * val system = ActorSystem("shop")
  * system.close()
  * try println(spawn(Behavior.ignore[Int])(using system))
  * catch case _: SpawnRejectedException => println("the shop is closed") // the shop is closed
  * }}}
  */
final class SpawnRejectedException private[actor] (message: String, cause: Throwable | Null = null)
    extends RuntimeException(message, cause)

/** An ask failed without a reply.
  *
  * {{{
  * import scala.concurrent.duration.*
  * def price(shop: ActorRef[Reply[Int]]): Option[Int] =
  *   try Some(shop.ask[Int](1.second)(reply => reply))
  *   catch case _: AskException => None
  * ActorSystem.scoped("town", listener = _ => ()):
  *   println(price(spawn(Behavior.empty[Reply[Int]]))) // None
  * }}}
  */
sealed abstract class AskException(message: String) extends RuntimeException(message)

/** An ask received no reply before its timeout.
  *
  * {{{
  * import scala.concurrent.duration.*
  * ActorSystem.scoped("town"):
  *   val silent = spawn(Behavior.ignore[Reply[Int]])
  *   try println(silent.ask[Int](10.millis)(reply => reply))
  *   catch case _: AskTimeoutException => println("no answer") // no answer
  * }}}
  */
final class AskTimeoutException private[actor] (message: String) extends AskException(message)

/** The asked actor has stopped without a reply.
  *
  * {{{
  * import scala.concurrent.duration.*
  * ActorSystem.scoped("town"):
  *   val shop = spawn(Behavior.receive[Reply[Int]](_ => Behavior.stopped))
  *   try println(shop.ask[Int](10.seconds)(reply => reply))
  *   catch case _: AskTargetStoppedException => println("stopped") // stopped
  * }}}
  */
final class AskTargetStoppedException private[actor] (message: String) extends AskException(message)

/** The handler of the asked actor failed; its exception is the cause.
  *
  * {{{
  * import scala.concurrent.duration.*
  * ActorSystem.scoped("town", listener = _ => ()):
  *   val shop = spawn(
  *     Behavior
  *       .receive[Reply[Int]](_ => throw IllegalStateException("closed"))
  *       .supervised { case _ => Supervision.Resume }
  *   )
  *   try println(shop.ask[Int](10.seconds)(reply => reply))
  *   catch case error: AskFailedException => println(error.getCause.getMessage) // closed
  * }}}
  */
final class AskFailedException private[actor] (message: String, cause: Throwable)
    extends AskException(message):
  initCause(cause): Unit

/** The asked actor did not handle the message: its mailbox was full, or it has no handler for it.
  *
  * {{{
  * import scala.concurrent.duration.*
  * ActorSystem.scoped("town", listener = _ => ()):
  *   val shop = spawn(Behavior.empty[Reply[Int]])
  *   try println(shop.ask[Int](10.seconds)(reply => reply))
  *   catch case _: AskDeadLetterException => println("not handled") // not handled
  * }}}
  */
final class AskDeadLetterException private[actor] (message: String) extends AskException(message)

/** An ask would be a deadlock, because the asked actor waits for the asker. Nothing was sent. */
final class AskDeadlockException private[actor] (message: String) extends AskException(message)

/** An ask would be nested too deeply: [[ActorSystem.NestedAskLimit]] asks of this thread wait for
  * actors that run on this thread. Nothing was sent.
  *
  * {{{
  * import scala.concurrent.duration.*
  * def price(shop: ActorRef[Reply[Int]]): Option[Int] =
  *   try Some(shop.ask[Int](1.second)(reply => reply))
  *   catch case _: AskNestingException => None // the chain of shops is too long
  * }}}
  */
final class AskNestingException private[actor] (message: String) extends AskException(message)

/** A linked actor failed and stopped.
  *
  * {{{
  * def buyer(seller: ActorRef[Int]): Behavior[Int] = Behavior
  *   .setup[Int] {
  *     context.link(seller)
  *     Behavior.ignore
  *   }
  *   .supervised { case _: LinkedActorFailedException => Supervision.Restart() }
  * }}}
  */
final class LinkedActorFailedException private[actor] (ref: String, cause: Throwable)
    extends RuntimeException(s"$ref, which was linked, failed", cause)

/** A stash is full.
  *
  * {{{
  * def waiting: Behavior[Int] = Behavior
  *   .setup[Int] {
  *     Behavior.receive: _ =>
  *       context.stash()
  *       Behavior.same
  *   }
  *   .supervised { case _: StashOverflowException => Supervision.Resume } // drops it
  * }}}
  */
final class StashOverflowException private[actor] (message: String)
    extends RuntimeException(message)

/** The executor of an actor ([[Run.On]]) rejected a task, so the actor stops.
  *
  * {{{
  * def office(clerk: ActorRef[Int]): Behavior[Int] = Behavior.setup:
  *   context.watch(clerk)
  *   Behavior.ignore[Int].onSignal {
  *     case Signal.Terminated(_, Some(cause: ExecutorFailedException)) => Behavior.stopped
  *   }
  * }}}
  */
final class ExecutorFailedException private[actor] (message: String, cause: Throwable)
    extends RuntimeException(message, cause)

/** The system has ended by a fatal error, its cause: all its waits throw this exception, and its
  * actors handle nothing more. See [[ActorEvent.SystemFailed]]. Without a stack trace.
  *
  * {{{
  * def end(system: ActorSystem): Int =
  *   try if system.shutdown() then 0 else 1
  *   catch case _: SystemFailedException => 3 // a supervisor of processes starts it again
  * }}}
  */
final class SystemFailedException private[actor] (system: String)
    extends RuntimeException(null, null, false, false):
  private var place: SystemFailure.Place = SystemFailure.Place.Send
  private var met: AnyRef | Null = null
  @volatile private var fatal: Throwable | Null = null

  private[actor] def begin(cause: Throwable, actor: AnyRef | Null, at: SystemFailure.Place): Unit =
    place = at
    met = actor
    fatal = cause

  /** The path of the actor that met the error; empty if no actor did. */
  def actor: String = met match
    case ref: ActorRef[?] => ref.path
    case _                => ""

  override def getCause: Throwable | Null = fatal

  override def getMessage: String =
    val where = if actor.isEmpty then "" else s" of the actor $actor"
    s"the actor system $system has ended: $fatal, ${place.text}$where; $cure"

  private def cure: String = fatal match
    case _: OutOfMemoryError   => "set a larger heap (-Xmx), or bound the mailboxes"
    case _: StackOverflowError => "set a larger stack (-Xss), or send from fewer nested calls"
    case _                     => "report it with the stack trace of its cause"
end SystemFailedException
