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
  /** The actor has stopped: its last signal.
    *
    * {{{
    * def writer(file: java.io.Writer): Behavior[String] = Behavior
    *   .receive[String] { line =>
    *     file.write(line)
    *     Behavior.same
    *   }
    *   .onSignal { case Signal.PostStop | Signal.PreRestart =>
    *     file.close()
    *     Behavior.same
    *   }
    * }}}
    */
  case PostStop

  /** The actor failed and is about to be restarted. */
  case PreRestart

  /** A watched actor has stopped, with the cause if it failed. Arrives after the last message that
    * the watched actor sent.
    *
    * {{{
    * def office(clerk: ActorRef[Int]): Behavior[Int] = Behavior.setup:
    *   context.watch(clerk)
    *   Behavior.ignore[Int].onSignal {
    *     case Signal.Terminated(ref, None)        => Behavior.stopped
    *     case Signal.Terminated(ref, Some(cause)) => throw cause
    *   }
    * }}}
    */
  case Terminated(ref: ActorRef[Nothing], cause: Option[Throwable])

  /** A child failed and passes the failed message to its parent: [[MessageFailure.ToParent]].
    * Arrives after the messages that the child sent before. Without a handler it is a dead letter.
    * `child ! message` sends the message again; the compiler does not check the type of another
    * one. An ask stays open: this handler may reply.
    *
    * {{{
    * def parent: Behavior[Int] = Behavior
    *   .ignore[Int]
    *   .onSignal { case Signal.MessageFailed(child, message, cause) =>
    *     println(s"${child.name} could not handle $message: $cause")
    *     Behavior.same
    *   }
    * }}}
    */
  case MessageFailed(child: ActorRef[Any], message: Any, cause: Throwable)
end Signal
