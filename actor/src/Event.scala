package undercroft.actor

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

  /** An actor failed, and what was decided. `Resume` for signals that tell of the end. */
  case Failed(actor: ActorRef[Nothing], cause: Throwable, decision: Supervision)

object Event:
  private val logger = System.getLogger("undercroft.actor")

  /** Logs failures as warnings by `System.Logger`, and dead letters, which are counted anyway,
    * where debugging is on.
    */
  def log(event: Event): Unit = event match
    case Event.Failed(actor, cause, decision) =>
      logger.log(System.Logger.Level.WARNING, s"$actor failed: $decision", cause)
    case Event.DeadLetter(to, message, reason) =>
      if logger.isLoggable(System.Logger.Level.DEBUG) then
        logger.log(System.Logger.Level.DEBUG, s"dead letter to $to, $reason: $message")
end Event
