package undercroft.actor

/** A lifecycle notification of the runtime to an actor.
  *
  * {{{
  * def office(clerk: ActorRef[Int]): Behavior[Int] = Behavior.setup:
  *   context.watch(clerk)
  *   Behavior
  *     .receive[Int] { n =>
  *       clerk ! n
  *       Behavior.same
  *     }
  *     .onSignal { case Signal.Terminated(_, _) => Behavior.stopped }
  * }}}
  */
enum Signal derives CanEqual:
  /** The actor has stopped: its last signal. */
  case PostStop

  /** The actor failed and is about to be restarted. */
  case PreRestart

  /** A watched actor has stopped, with the cause if it failed. Arrives after the last message that
    * the watched actor sent.
    */
  case Terminated(ref: ActorRef[Nothing], cause: Option[Throwable])

  /** A child failed and passes the failed message to its parent: [[MessageFailure.ToParent]].
    * Arrives after the messages that the child sent before. Without a handler it is a dead letter.
    */
  case MessageFailed(child: ActorRef[Nothing], message: Any, cause: Throwable)
end Signal
