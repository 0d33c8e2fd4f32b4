package undercroft.actor

import scala.concurrent.duration.FiniteDuration

/** Why a message was not handled. */
enum Reason derives CanEqual:
  /** The actor had stopped. */
  case Stopped

  /** The mailbox was full. */
  case Full

  /** The behaviour did not handle it. */
  case Unhandled

  /** Nobody wanted it any more: a cancelled timer's, or a notice about an actor not watched now. */
  case Cancelled

  /** It was an answer, and who asked had given up, or had an answer. */
  case AskEnded
end Reason

/** What a system tells the listener that was given to it, on the thread where it happens. */
enum Event derives CanEqual:
  /** A message was not handled. */
  case DeadLetter(to: ActorRef[Nothing], message: Any, reason: Reason)

  /** A message has been in the hands of a worker for so long, and keeps it from the others that it
    * has: it blocks, if `state` says that its thread waits, or computes. Told once for a message.
    */
  case Stuck(
      actor: ActorRef[Nothing],
      atLeast: FiniteDuration,
      state: Thread.State,
      stack: Seq[StackTraceElement]
  )

  /** An actor failed, and what was decided. `Resume` for signals that tell of the end. */
  case Failed(actor: ActorRef[Nothing], cause: Throwable, decision: Supervision)

  /** A message failed and was parked; or had to go, as the one that was parked first, for another,
    * if `isKept` is false.
    */
  case MessageParked(parked: Parked, isKept: Boolean)
end Event

object Event:
  private val logger = System.getLogger("undercroft.actor")

  /** Logs failures and stuck workers as warnings by `System.Logger`, and dead letters, which are
    * counted anyway, where debugging is on.
    */
  def log(event: Event): Unit = event match
    case Event.Failed(actor, cause, decision) =>
      logger.log(System.Logger.Level.WARNING, s"$actor failed: $decision", cause)
    case Event.Stuck(actor, atLeast, state, stack) =>
      val where = stack.mkString("\n\tat ", "\n\tat ", "")
      logger.log(
        System.Logger.Level.WARNING,
        s"$actor has kept a worker for $atLeast with one message and is $state: spawn what blocks " +
          s"with Run.Virtual$where"
      )
    case Event.MessageParked(parked, isKept) =>
      val how = if isKept then "parked" else "gone, for another that was parked"
      logger.log(
        System.Logger.Level.WARNING,
        s"${parked.message} to ${parked.actor} is $how: ${parked.cause}; ${parked.state}"
      )
    case Event.DeadLetter(to, message, reason) =>
      if logger.isLoggable(System.Logger.Level.DEBUG) then
        logger.log(System.Logger.Level.DEBUG, s"dead letter to $to, $reason: $message")
end Event
