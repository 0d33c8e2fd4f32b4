package undercroft.actorparts

import undercroft.actor.*

/** What is said to a topic: an actor that sends what is published on to all who subscribed. */
enum Topic[T]:
  case Publish(message: T)

  /** From now on. Once more changes nothing. */
  case Subscribe(listener: ActorRef[T])
  case Unsubscribe(listener: ActorRef[T])

object Topic:
  given [A, B]: CanEqual[Topic[A], Topic[B]] = CanEqual.derived

  /** A topic. Subscribers get what is published in one order, all the same; one that stops is taken
    * out. What finds the mailbox of a subscriber full is a dead letter there. To subscribe what is
    * no actor fails, and changes nothing.
    */
  def apply[T](): Behavior[Topic[T]] = to[T](Vector()).supervised { case _ => Supervision.Resume }

  private def to[T](listeners: Vector[ActorRef[T]]): Behavior[Topic[T]] = Behavior.setup:
    val own = context[Topic[T]]
    Behavior
      .receive[Topic[T]] {
        case Publish(message) =>
          for listener <- listeners do
            try listener.tell(message)
            catch case _: MailboxFullException => ()
          Behavior.same
        case Subscribe(listener) =>
          if listeners.contains(listener) then Behavior.same
          else
            own.watch(listener)
            to(listeners :+ listener)
        case Unsubscribe(listener) =>
          own.unwatch(listener)
          to(listeners.filterNot(_ == listener))
      }
      .onSignal { case Signal.Terminated(gone, _) => to(listeners.filterNot(_ == gone)) }
end Topic
