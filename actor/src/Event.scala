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

  /** An actor has been at one message for so long: it blocks, if `state` says that its thread
    * waits, or computes. Told once for a message. On a worker, which it keeps from its other
    * actors, that is a tenth of a second; on a virtual thread or a thread of its own, which may
    * block, it is ten. `-Dundercroft.actor.stuckMillis` and `-Dundercroft.actor.heldMillis` say
    * otherwise.
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

  /** Logs failures and stuck actors as warnings by `System.Logger`, and dead letters, which are
    * counted anyway, where debugging is on.
    */
  def log(event: Event): Unit = event match
    case Event.Failed(actor, cause, decision) =>
      logger.log(System.Logger.Level.WARNING, s"$actor failed: $decision", cause)
    case Event.Stuck(actor, atLeast, state, stack) =>
      val where = stack.mkString("\n\tat ", "\n\tat ", "")
      val what = actor match
        case cell: Cell[?] if cell.runner.keepsThread =>
          s"$actor has been at one message for $atLeast and is $state"
        case _ =>
          s"$actor has kept a worker for $atLeast with one message and is $state: spawn what " +
            "blocks with Run.Virtual"
      logger.log(System.Logger.Level.WARNING, what + where)
    case Event.MessageParked(parked, isKept) =>
      val how = if isKept then "parked" else "gone, for another that was parked"
      logger.log(
        System.Logger.Level.WARNING,
        s"${parked.message} to ${parked.actor} is $how: ${parked.cause}; ${parked.state}"
      )
    case Event.DeadLetter(to, message, reason) =>
      if logger.isLoggable(System.Logger.Level.DEBUG) then
        logger.log(System.Logger.Level.DEBUG, s"dead letter to $to, $reason: $message")

  /** Logs an error, whatever that brings: what is in an event may throw where it is to be shown. */
  private[actor] def notTold(event: Event, who: String, cause: Throwable): Unit =
    error(s"$who failed at ${event.getClass.getSimpleName}", cause)

  private[actor] def error(words: String, cause: Throwable): Unit =
    try logger.log(System.Logger.Level.ERROR, words, cause)
    catch case _: Throwable => ()
end Event
