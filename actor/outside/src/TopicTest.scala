package outside.actor

import java.util.concurrent.CountDownLatch
import scala.concurrent.duration.*
import undercroft.actor.*

/** Topics whose subscribers stop, throw, have no room or are no actors. */
class TopicTest extends PatternSuite:

  test("all subscribers of a topic get the messages of two publishers in one order"):
    withSystem:
      val topic = spawn(Topic[Int](), "topic")
      val names = List("a", "b", "c")
      for name <- names do topic ! Topic.Subscribe(noting(name))
      together(2): thread =>
        for n <- 1 to 500 do topic ! Topic.Publish(thread * 1000 + n)
      quiet()
      val orders = names.map(notedBy(_))
      assertEquals(orders.toSet.size, 1)
      for thread <- 0 to 1 do
        val own = orders.head.filter(_ / 1000 == thread)
        assertEquals(own, (1 to 500).map(thread * 1000 + _).toList)

  test("a subscriber of a topic that throws stops, and the others get each message"):
    withSystem:
      val topic = spawn(Topic[Int](), "topic")
      val (a, b) = (noting("a"), noting("b"))
      for listener <- List(a, b) do topic ! Topic.Subscribe(listener)
      for n <- List(1, 2) do topic ! Topic.Publish(n)
      quiet()
      a ! 0
      until("the subscriber has stopped")(a.isStopped)
      quiet()
      for n <- List(3, 4) do topic ! Topic.Publish(n)
      quiet()
      assertEquals(log.failures.map(_.getMessage), List("a was sent 0"))
      assertEquals((notedBy("a"), notedBy("b")), (List(1, 2, 0), List(1, 2, 3, 4)))
      assert(!topic.isStopped)

  test("each message to a subscriber that stops while threads publish is handled or dead"):
    for round <- 1 to 20 do
      withSystem:
        val topic = spawn(Topic[Int](), "topic")
        val (a, b) = (noting("a"), noting("b"))
        for listener <- List(a, b) do topic ! Topic.Subscribe(listener)
        together(3): thread =>
          if thread == 0 then a ! -1 else for n <- 1 to 200 do topic ! Topic.Publish(n)
        quiet()
        assertEquals(notedBy("b").size, 400, s"round $round")
        val (noted, dead) = (notedBy("a").filter(_ > 0), log.deadLetters)
        assert(noted.size + dead.size <= 400, s"round $round: ${noted.size}, ${dead.size}")
        assert(dead.forall(_._2 == DeadLetterReason.Stopped), s"round $round: $dead")
        assertEquals(noted, notedBy("b").take(noted.size), s"round $round")

  test("a full subscriber with back-pressure misses messages, and the others of its topic do not"):
    withSystem:
      val (gate, entry, received) = (CountDownLatch(1), CountDownLatch(1), CountDownLatch(5))
      val topic = spawn(Topic[Int](), "topic")
      val slow = spawn(
        Behavior.receive[Int] { _ =>
          entry.countDown()
          gate.await()
          Behavior.same
        },
        "slow",
        Run.Virtual,
        Mailbox(1, Overflow.Backpressure)
      )
      val fast = spawn(Behavior.receive[Int] { _ =>
        received.countDown()
        Behavior.same
      })
      for listener <- List(slow, fast) do topic ! Topic.Subscribe(listener)
      topic ! Topic.Publish(1)
      await(entry)
      for n <- 2 to 5 do topic ! Topic.Publish(n)
      val isReceived = received.await(60, java.util.concurrent.TimeUnit.SECONDS)
      gate.countDown()
      assert(isReceived, s"${received.getCount} messages are missing")
      quiet()
      assertEquals(log.deadLetters, (2 to 5).toList.map((_, DeadLetterReason.Full)))

  test("a stopped actor that subscribes to a topic gets nothing and harms nothing"):
    withSystem:
      val topic = spawn(Topic[Int](), "topic")
      val (a, b) = (noting("a"), noting("b"))
      a ! -1
      until("it has stopped")(a.isStopped)
      topic ! Topic.Subscribe(b)
      topic ! Topic.Subscribe(a)
      quiet()
      topic ! Topic.Publish(1)
      quiet()
      assertEquals((notedBy("a"), notedBy("b")), (List(-1), List(1)))
      assertEquals((log.deadLetters, log.failures), (Nil, Nil))

  test("a topic that subscribes to itself or to null reports it and keeps its subscribers"):
    withSystem:
      val topic = spawn(Topic[Int](), "topic")
      topic ! Topic.Subscribe(noting("a"))
      topic ! Topic.Subscribe(topic.asInstanceOf[ActorRef[Int]])
      topic ! Topic.Subscribe(noting("b"))
      topic ! Topic.Subscribe(null)
      for n <- 1 to 2 do topic ! Topic.Publish(n)
      quiet()
      assertEquals(log.failures.size, 2)
      assertEquals(log.failures.head.getMessage, "topic cannot watch topic")
      assertEquals((notedBy("a"), notedBy("b")), (List(1, 2), List(1, 2)))

  test("a null message that is published reaches no subscriber and is reported"):
    withSystem:
      val topic = spawn(Topic[String](), "topic")
      val listener = spawn(
        Behavior.receive[String] { line =>
          log.note(line)
          Behavior.same
        },
        "listener"
      )
      topic ! Topic.Subscribe(listener)
      topic ! Topic.Publish(null)
      topic ! Topic.Publish("after")
      quiet()
      assertEquals(log.failures.map(_.getMessage), List("a message to listener is null"))
      assertEquals(log.notes, List("after"))

  test("a topic has the last request of each actor that two threads subscribe and unsubscribe"):
    withSystem:
      val topic = spawn(Topic[Int](), "topic")
      val names = List("0", "1")
      val actors = names.map(noting(_))
      for round <- 1 to 200 do
        together(2): thread =>
          topic ! Topic.Subscribe(actors(thread))
          topic ! Topic.Unsubscribe(actors(thread))
          if (round + thread) % 2 == 0 then topic ! Topic.Subscribe(actors(thread))
        topic ! Topic.Publish(round)
        for actor <- actors do topic ! Topic.Unsubscribe(actor)
      quiet()
      assertEquals(notedBy("0"), (1 to 200).filter(_ % 2 == 0).toList)
      assertEquals(notedBy("1"), (1 to 200).filter(_ % 2 == 1).toList)

  test("unsubscribing an actor that is not subscribed changes nothing"):
    withSystem:
      val topic = spawn(Topic[Int](), "topic")
      val (a, b) = (noting("a"), noting("b"))
      topic ! Topic.Subscribe(a)
      topic ! Topic.Unsubscribe(b)
      topic ! Topic.Publish(1)
      quiet()
      assertEquals((notedBy("a"), notedBy("b"), log.failures), (List(1), Nil, Nil))

  test("messages beyond the mailbox of a subscriber are dead letters, and others get all"):
    withSystem:
      val topic = spawn(Topic[Int](), "topic")
      val (gate, entry) = (CountDownLatch(1), CountDownLatch(1))
      val slow = spawn(
        Behavior.receive[Int] { n =>
          entry.countDown()
          gate.await()
          log.note(s"slow:$n")
          Behavior.same
        },
        "slow",
        Run.Virtual,
        Mailbox(5)
      )
      topic ! Topic.Subscribe(slow)
      topic ! Topic.Subscribe(noting("fast"))
      topic ! Topic.Publish(1)
      await(entry)
      for n <- 2 to 100 do topic ! Topic.Publish(n)
      until("the other got all messages")(notedBy("fast").size == 100)
      gate.countDown()
      quiet()
      val dead = log.deadLetters
      assertEquals(notedBy("slow").size + dead.size, 100)
      assert(dead.size >= 93, s"${dead.size} dead letters") // one, five and one more are handled
      assertEquals(dead.map(_._2).toSet, Set(DeadLetterReason.Full))
      assertEquals(log.failures, Nil)

  test("a message that is published after the system of its topic terminated is a dead letter"):
    val log = Log()
    val system = ActorSystem("patterns", 1, log.add)
    val topic = spawn(Topic[Int](), "topic")(using system)
    assert(system.shutdown(1.minute, 1.minute))
    topic ! Topic.Publish(1)
    topic ! Topic.Subscribe(topic.asInstanceOf[ActorRef[Int]])
    assertEquals(
      log.deadLetters.map(_._2),
      List(DeadLetterReason.Stopped, DeadLetterReason.Stopped)
    )
    assertEquals(log.deadLetters.head._1, Topic.Publish(1))
end TopicTest
