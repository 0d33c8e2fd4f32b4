package undercroft.actor

/** The messages of a topic, an actor that forwards published messages to all subscribers.
  *
  * {{{
  * import undercroft.actor.*
  * val reader: Behavior[String] = Behavior.receive: news =>
  *   println(news) // it rains
  *   Behavior.same
  * ActorSystem.scoped("press"):
  *   val topic = spawn(Topic[String]())
  *   topic ! Topic.Subscribe(spawn(reader))
  *   topic ! Topic.Publish("it rains")
  * }}}
  */
enum Topic[T]:
  case Publish(message: T)

  /** Delivers messages that are published from now on. Idempotent. */
  case Subscribe(listener: ActorRef[T])
  case Unsubscribe(listener: ActorRef[T])

object Topic:
  given [A, B]: CanEqual[Topic[A], Topic[B]] = CanEqual.derived

  /** Creates a topic. All subscribers receive the published messages in the same order; a
    * subscriber that stops is removed. If a subscriber's mailbox is full, also with
    * [[Overflow.Backpressure]], the message becomes a dead letter there. Subscribing a reference
    * that is not an actor's fails, and changes nothing.
    */
  def apply[T](): Behavior[Topic[T]] = to[T](Vector()).supervised { case _ => Supervision.Resume }

  private def to[T](listeners: Vector[ActorRef[T]]): Behavior[Topic[T]] = Behavior.setup:
    val topicContext = context[Topic[T]]
    Behavior
      .receiveObjects[Topic[T]] {
        case Publish(message) =>
          for listener <- listeners do tellWithoutWait(listener, message)
          Behavior.same
        case Subscribe(listener) =>
          if listeners.contains(listener) then Behavior.same
          else
            topicContext.watch(listener)
            to(listeners :+ listener)
        case Unsubscribe(listener) =>
          topicContext.unwatch(listener)
          to(listeners.filterNot(_ == listener))
      }
      .onSignal { case Signal.Terminated(listener, _) => to(listeners.filterNot(_ == listener)) }
end Topic
