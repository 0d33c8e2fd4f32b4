package undercroft.actor

/** The reason why a message was not handled.
  *
  * {{{
  * def lost(event: ActorEvent): Unit = event match
  *   case ActorEvent.DeadLetter(to, _, DeadLetterReason.Full) => println(s"$to is too slow")
  *   case _                                                   => ()
  * }}}
  */
enum DeadLetterReason derives CanEqual:
  /** The actor had stopped. */
  case Stopped

  /** The mailbox was full. */
  case Full

  /** The behavior did not handle it. */
  case Unhandled

  /** The message is obsolete: its timer was cancelled, it reports on an actor that is no longer
    * watched, or it was cleared from the stash.
    */
  case Cancelled

  /** The message is the reply to an ask that has timed out or was already answered. */
  case AskEnded

  /** A reliable delivery to another node gave the message up; the other system has not acknowledged
    * it.
    */
  case Undelivered
end DeadLetterReason
