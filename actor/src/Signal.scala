package undercroft.actor

/** What the runtime tells an actor. */
enum Signal derives CanEqual:
  /** The actor has stopped: it is the last thing that it sees. */
  case PostStop

  /** The actor failed and is about to be restarted. */
  case PreRestart

  /** An actor that was watched has stopped, because it failed if there is a cause. It comes after
    * the last message which that actor sent.
    */
  case Terminated(ref: ActorRef[Nothing], cause: Option[Throwable])

  /** A child failed with a message that it hands to its parent: [[Failing.ToParent]]. It comes
    * after what the child sent before. Without a handler it is a dead letter.
    */
  case MessageFailed(child: ActorRef[Nothing], message: Any, cause: Throwable)
end Signal
