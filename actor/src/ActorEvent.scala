package undercroft.actor

import internal.cell.ActorCell
import scala.concurrent.duration.FiniteDuration

/** An event that a system passes to its listener, on the thread on which it happens.
  *
  * {{{
  * val system = ActorSystem(
  *   "bank",
  *   listener = {
  *     case ActorEvent.Failed(actor, cause, _) => println(actor.name + ": " + cause.getMessage)
  *     case event                              => ActorEvent.log(event)
  *   }
  * )
  * }}}
  */
enum ActorEvent derives CanEqual:
  /** A message was not handled.
    *
    * {{{
    * val system = ActorSystem(
    *   "shop",
    *   listener = {
    *     case ActorEvent.DeadLetter(to, message, reason) => println((to.name, message, reason))
    *     case event                                      => ActorEvent.log(event)
    *   }
    * )
    * spawn(Behavior.empty[Int], "till")(using system) ! 250 // prints (till,250,Unhandled)
    * system.close()
    * }}}
    */
  case DeadLetter(to: ActorRef[Nothing], message: Any, reason: DeadLetterReason)

  /** An actor has been handling one message for at least `atLeast`: it blocks if `state` is a
    * waiting state, else it computes. Reported once per message. The limit is 100 ms on a worker,
    * whose other actors wait meanwhile, and 10 s on a virtual or dedicated thread, which may block.
    * If class loading or a machine under load may be the cause, the report is delayed until two
    * seconds have passed. `-Dundercroft.actor.stallMillis` and
    * `-Dundercroft.actor.threadStallMillis` change the limits.
    *
    * {{{
    * def watchdog(event: ActorEvent): Unit = event match
    *   case ActorEvent.Stalled(actor, atLeast, state, stack) =>
    *     println(s"${actor.name} is $state since $atLeast at ${stack.headOption}")
    *   case event => ActorEvent.log(event)
    * }}}
    */
  case Stalled(
      actor: ActorRef[Nothing],
      atLeast: FiniteDuration,
      state: Thread.State,
      stack: Seq[StackTraceElement]
  )

  /** An actor failed, and the decision about it. `Resume` if the handler of a lifecycle signal
    * failed.
    *
    * {{{
    * def alarm(event: ActorEvent): Unit = event match
    *   case ActorEvent.Failed(actor, cause, Supervision.Stop) =>
    *     println(s"${actor.name} stopped: ${cause.getMessage}")
    *   case event => ActorEvent.log(event)
    * }}}
    */
  case Failed(actor: ActorRef[Nothing], cause: Throwable, decision: Supervision)

  /** A message failed and was parked. If `isKept` is false, it was the oldest parked message and
    * was discarded to make room for another.
    */
  case MessageParked(parked: ParkedMessage, isKept: Boolean)

  /** The system has ended by a fatal error: a VirtualMachineError such as OutOfMemoryError, except
    * a StackOverflowError in a handler's own code, or any error of the runtime. All actors have
    * stopped without their handlers, their messages are lost, and all waits throw `failure`. The
    * system logs it as an error, whatever the listener does. `-Dundercroft.actor.exitStatus=3` also
    * ends the JVM, with this status, as by `Runtime.halt`.
    */
  case SystemFailed(failure: SystemFailedException)
end ActorEvent

object ActorEvent:
  private[actor] val logger: System.Logger = System.getLogger("undercroft.actor").nn

  /** Logs failures, stalled actors and dead letters as warnings to the `System.Logger`
    * `undercroft.actor`. A failure has its stack trace, unless [[MessageFailure.Retry]] lets the
    * message be handled again.
    *
    * Dead letters of one system share log lines: the first one is logged at once, later ones every
    * ten seconds with their number for each [[DeadLetterReason]].
    * `-Dundercroft.actor.deadLetterMillis` sets another interval; 0 turns these lines off. At level
    * `DEBUG` each dead letter also has its own line.
    *
    * {{{
    * val failures = java.util.concurrent.atomic.AtomicInteger()
    * val system = ActorSystem(
    *   "shop",
    *   listener = event =>
    *     if event.isInstanceOf[ActorEvent.Failed] then failures.incrementAndGet()
    *     ActorEvent.log(event)
    * )
    * system.close()
    * println(failures.get) // 0
    * }}}
    */
  def log(event: ActorEvent): Unit = event match
    case ActorEvent.Failed(cell: ActorCell[?], cause, decision) if cell.isRetrying =>
      val line = s"$cell failed: $decision; it handles the message again: $cause"
      logger.log(System.Logger.Level.WARNING, line)
    case ActorEvent.Failed(actor, cause, decision) =>
      logger.log(System.Logger.Level.WARNING, s"$actor failed: $decision", cause)
    case ActorEvent.Stalled(actor, atLeast, state, stack) =>
      val trace = stack.mkString("\n\tat ", "\n\tat ", "")
      val description = actor match
        case cell: ActorCell[?] if cell.runner.keepsThread =>
          s"$actor has handled one message for $atLeast and is $state"
        case _ =>
          s"$actor has occupied a worker for $atLeast with one message and is $state: spawn " +
            "actors that block with Run.Virtual"
      logger.log(System.Logger.Level.WARNING, description + trace)
    case ActorEvent.MessageParked(parked, isKept) =>
      val how = if isKept then "parked" else "discarded, to make room for a newer parked message"
      logger.log(
        System.Logger.Level.WARNING,
        s"${parked.message} to ${parked.actor} is $how: ${parked.cause}; ${parked.state}"
      )
    case ActorEvent.SystemFailed(_) => () // the system has logged it
    case ActorEvent.DeadLetter(to, message, reason) =>
      to match
        case cell: ActorCell[?] => cell.system.deadLetters.add(to, message, reason)
        case reply: Reply[?]    => reply.system.deadLetters.add(to, message, reason)
        case _                  => ()
      if logger.isLoggable(System.Logger.Level.DEBUG) then
        logger.log(System.Logger.Level.DEBUG, s"dead letter to $to, $reason: $message")

  /** Logs an error and never throws: rendering an event as text may throw. */
  private[actor] def notTold(event: ActorEvent, source: String, cause: Throwable): Unit =
    error(s"$source failed at ${event.getClass.getSimpleName}", cause)

  private[actor] def error(words: String, cause: Throwable): Unit =
    try logger.log(System.Logger.Level.ERROR, words, cause)
    catch case _: Throwable => ()
end ActorEvent
