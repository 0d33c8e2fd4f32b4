package undercroft.actor

class TopicTest extends EveryModel:

  private def listener(name: String)(using Stage): ActorRef[Int] =
    stage.start(
      Behavior.receive[Int] { n =>
        note(s"$name:$n")
        if n < 0 then Behavior.stopped else Behavior.same
      },
      name
    )

  private def got(name: String)(using Stage): List[Int] =
    stage.noted.collect { case s"$listenerName:$n" if listenerName == name => n.toInt }

  onEveryModel("subscribers receive later publications in one order"):
    val topic = stage.start(Topic[Int](), "topic")
    val (a, b) = (listener("a"), listener("b"))
    topic ! Topic.Publish(1)
    for _ <- 1 to 2 do topic ! Topic.Subscribe(a)
    topic ! Topic.Publish(2)
    topic ! Topic.Subscribe(b)
    for n <- 3 to 5 do topic ! Topic.Publish(n)
    topic ! Topic.Unsubscribe(a)
    topic ! Topic.Publish(6)
    assertEquals(got("a"), List(2, 3, 4, 5))
    assertEquals(got("b"), List(3, 4, 5, 6))

  onEveryModel("a topic removes a subscriber that stops"):
    val topic = stage.start(Topic[Int](), "topic")
    val (a, b) = (listener("a"), listener("b"))
    for target <- List(a, b) do topic ! Topic.Subscribe(target)
    stage.quiet()
    a ! -1
    stage.until("it has stopped")(a.isStopped)
    stage.quiet()
    topic ! Topic.Publish(7)
    assertEquals(got("a"), List(-1))
    assertEquals(got("b"), List(7))
    assertEquals(stage.lost, List())
end TopicTest
