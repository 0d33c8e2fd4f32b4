package undercroft.actor

/** What an actor runs on: chosen when it is spawned, and no concern of its behaviour. */
enum Run derives CanEqual:
  /** On the system's workers, by turns with the other actors there. Handlers should not block; one
    * that does so inside `scala.concurrent.blocking` or `Await` leaves the others to another worker
    * meanwhile, what blocks without a word keeps them waiting and is told of: [[Event.Stuck]].
    */
  case Workers

  /** On a virtual thread of its own. Handlers may block. */
  case Virtual

  /** On a platform thread of its own. Handlers may block, compute for long, or need their thread.
    */
  case Thread

  /** On whichever thread sends to it: the message is handled when `!` returns, unless the actor is
    * at work already, on another thread or further up on this one, which then handles it next.
    */
  case Caller
end Run
