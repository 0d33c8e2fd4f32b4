package undercroft.actor

import java.util.concurrent.CountDownLatch

/** Full mailboxes and the overflow strategies. */
class MailboxTest extends EveryModel:

  /** An actor that holds its first message on a latch, so that further messages wait. */
  private final class Held(overflow: Overflow, limit: Int)(using stage: Stage):
    private val entered = CountDownLatch(1)
    private val opened = CountDownLatch(1)
    val actor: ActorRef[Int] = spawn(
      Behavior.receive[Int] { n =>
        if n == 0 && !stage.isSimulated then
          entered.countDown()
          opened.await()
        else if n > 0 then note(s"$n")
        Behavior.same
      },
      "held",
      if stage.run == Run.Caller then Run.Thread else stage.run,
      Mailbox(limit, overflow)
    )(using stage.system)
    // Under simulation no actor has a turn before the test waits for something: the message stays
    // in the mailbox, as its oldest one.
    if !stage.isSimulated || overflow != Overflow.DropOldest then send(0)
    if !stage.isSimulated then entered.await()
    def open(): Unit = opened.countDown()

    /** Sends without a step of a simulation before it: from a thread outside the simulation. */
    def send(n: Int): Unit =
      if !stage.isSimulated then actor ! n
      else
        var thrown = Option.empty[Throwable]
        val thread = Thread.ofPlatform.start: () =>
          try actor ! n
          catch case cause: Throwable => thrown = Some(cause)
        thread.join()
        thrown.foreach(cause => throw cause)
  end Held

  onEveryModel("Overflow.Fail throws MailboxFullException and keeps the waiting messages"):
    val fixture = Held(Overflow.Fail, 4)
    for n <- 1 to 3 do fixture.send(n)
    val e = intercept[MailboxFullException](fixture.send(4))
    assertEquals(e.getMessage, "the mailbox of held is full: 4 messages wait")
    fixture.open()
    assertEquals(stage.noted, List("1", "2", "3"))
    assertEquals(stage.system.observe.audit.deadLetters, Map(DeadLetterReason.Full -> 1L))
    fixture.actor ! 5
    assertEquals(stage.noted, List("1", "2", "3", "5"))

  onEveryModel("Overflow.DropNewest drops the newest messages as dead letters"):
    val fixture = Held(Overflow.DropNewest, 3)
    for n <- 1 to 5 do fixture.send(n)
    fixture.open()
    assertEquals(stage.noted, List("1", "2"))
    assertEquals(stage.lost, List(3, 4, 5).map((_, DeadLetterReason.Full)))

  onEveryModel("Overflow.DropOldest drops the oldest messages as dead letters"):
    val fixture = Held(Overflow.DropOldest, 3)
    for n <- 1 to 5 do fixture.send(n)
    fixture.open()
    assertEquals(stage.noted, List("3", "4", "5"))
    assertEquals(stage.lost, List(1, 2).map((_, DeadLetterReason.Full)))

  onEveryThread("Overflow.Backpressure blocks a sending thread until the mailbox has room"):
    val fixture = Held(Overflow.Backpressure, 4)
    val count = 100
    val sender = Thread.ofVirtual.start: () =>
      for n <- 1 to count do fixture.actor ! n
    // A thread may also wait for classes that it loads.
    stage.until("the sender waits for room"):
      stage.system.observe.audit.waiting == 4 && sender.getState.toString == "TIMED_WAITING"
    fixture.open()
    sender.join()
    assertEquals(stage.noted, (1 to count).map(_.toString).toList)
    assertEquals(stage.system.observe.audit.deadLetters, Map.empty)

  onEveryThread("a thread interrupted in back-pressure gets MailboxFullException"):
    val fixture = Held(Overflow.Backpressure, 1)
    @volatile var report = ""
    val sender = Thread.ofPlatform
      .name("eager")
      .start: () =>
        try fixture.actor ! 1
        catch case e: MailboxFullException => report = e.getMessage
    stage.until("the sender waits")(sender.getState.toString == "TIMED_WAITING")
    sender.interrupt()
    sender.join()
    fixture.open()
    stage.quiet()
    assertEquals(report, "eager was interrupted while it waited for room in the mailbox of held")

  onEveryModel("Overflow.Backpressure slows sending actors and loses no message", seeds = 5):
    val messagesPerSender = 2000
    val sum = java.util.concurrent.atomic.AtomicLong()
    val slow = stage.start(
      Behavior.receive[Int] { n =>
        sum.addAndGet(n): Unit; Behavior.same
      },
      "slow",
      Mailbox(16, Overflow.Backpressure)
    )
    val fast = List.fill(4)(stage.start(Behavior.setup[Int]:
      Behavior.receive: n =>
        slow ! n
        if n < messagesPerSender then self ! n + 1
        Behavior.same))
    for sender <- fast do sender ! 1
    stage.quiet()
    assertEquals(sum.get, 4L * messagesPerSender * (messagesPerSender + 1) / 2)
    assertEquals(stage.system.observe.audit.deadLetters, Map.empty)

  test("100 000 actors that wait for one full mailbox all continue"):
    Stage.play(Run.Workers, patience * 2):
      val count = 100_000
      var sum = 0L
      val slow = stage.start(
        Behavior.receive[Int] { n =>
          sum += n
          Behavior.same
        },
        mailbox = Mailbox(16, Overflow.Backpressure)
      )
      val senders = Vector.fill(count)(stage.start(Behavior.receive[Int] { n =>
        slow ! n
        Behavior.same
      }))
      for sender <- senders; n <- 1 to 2 do sender ! n
      stage.quiet()
      assertEquals(sum, 3L * count)
      assertEquals(stage.system.observe.audit.deadLetters, Map.empty)

  test("workers exceed a back-pressure limit by at most about one message per sender"):
    Stage.play(Run.Workers):
      val peak = java.util.concurrent.atomic.AtomicLong()
      val limit = 16
      lazy val slow: ActorRef[Int] = stage.start(
        Behavior.receive[Int] { _ =>
          peak.accumulateAndGet(stage.system.observe.auditOf(slow).waiting, math.max(_, _)): Unit
          Behavior.same
        },
        mailbox = Mailbox(limit, Overflow.Backpressure)
      )
      val senders = 8
      val fast = List.fill(senders)(stage.start(Behavior.setup[Int]:
        Behavior.receive: n =>
          slow ! n
          if n < 1000 then self ! n + 1
          Behavior.same))
      for sender <- fast do sender ! 1
      stage.quiet()
      // One message per sender beyond the limit, and one by the worker that read the count before
      // the other one sent.
      assert(peak.get >= limit && peak.get <= limit + senders + 1, s"${peak.get} waited at most")

  // On the calling thread both actors run in turn, and neither waits.
  onModels(Run.Workers, Run.Virtual, Run.Thread)(
    "a back-pressure deadlock throws MailboxFullException that names the actors"
  ):
    @volatile var isTold = false
    // Each replies to every message with two: both mailboxes fill up.
    def two(successor: => ActorRef[Int]): Behavior[Int] = Behavior.receive: n =>
      if !isTold then
        try
          successor ! n + 1
          successor ! n + 1
        catch
          case e: MailboxFullException =>
            note(e.getMessage)
            isTold = true
      Behavior.same
    lazy val ping: ActorRef[Int] = stage.start(two(pong), "ping", Mailbox(8, Overflow.Backpressure))
    lazy val pong: ActorRef[Int] = stage.start(two(ping), "pong", Mailbox(8, Overflow.Backpressure))
    ping ! 0
    stage.until("a cycle was told")(isTold)
    val words = stage.noted.head
    assert(words.contains("waits for ping") && words.contains("waits for pong"), words)

  test("a flood from four threads stays within the limit and is counted exactly"):
    Stage.play(Run.Workers):
      val messagesPerSender = 250_000
      val peak = java.util.concurrent.atomic.AtomicLong()
      val accepted = java.util.concurrent.atomic.AtomicLong()
      val refused = java.util.concurrent.atomic.AtomicLong()
      lazy val sink: ActorRef[Int] = stage.start(
        Behavior.receive[Int] { n =>
          if n % 64 == 0 then
            peak.accumulateAndGet(stage.system.observe.auditOf(sink).waiting, math.max(_, _)): Unit
          accepted.incrementAndGet(): Unit
          Behavior.same
        },
        mailbox = Mailbox(1000)
      )
      val threads = List.fill(4)(Thread.ofPlatform.start: () =>
        for n <- 1 to messagesPerSender do
          try sink ! n
          catch case _: MailboxFullException => refused.incrementAndGet(): Unit)
      threads.foreach(_.join())
      stage.quiet()
      assert(peak.get <= 1000, s"${peak.get} waited at most")
      assertEquals(accepted.get + refused.get, 4L * messagesPerSender)
      val audit = stage.system.observe.audit
      assertEquals(
        (audit.handled, audit.deadLetters.getOrElse(DeadLetterReason.Full, 0L)),
        (accepted.get, refused.get)
      )

  onEveryModel("priority messages overtake waiting messages and keep their own order"):
    val actor = stage.start(Behavior.setup[String]:
      Behavior.receive:
        case "go" =>
          for s <- List("a", "b") do self ! s
          for s <- List("first", "second") do self.tellPriority(s)
          note("go")
          Behavior.same
        case s => note(s); Behavior.same)
    actor ! "go"
    assertEquals(stage.noted, List("go", "first", "second", "a", "b"))
    assertEquals(stage.system.observe.audit.handled, 5L)

  onEveryModel("a process receives priority messages first, also by receiveFirst"):
    val actor = stage.start(Behavior.process[Any] { inbox =>
      inbox.receiveFirst { case c: Char if c == 'g' => for n <- List[Any](1, "two", 3) do self ! n }
      for n <- List[Any](4, "five") do self.tellPriority(n)
      note(inbox.receiveFirst { case s: String => s })
      for _ <- 1 to 4 do note(s"${inbox.receive()}")
    })
    actor ! 'g'
    stage.until("it has stopped")(actor.isStopped)
    assertEquals(stage.noted, List("five", "4", "1", "two", "3"))

  onEveryModel("a full mailbox accepts a priority message; a stopped actor does not"):
    val fixture = Held(Overflow.Fail, 2)
    fixture.actor ! 1
    fixture.actor.tellPriority(2)
    fixture.open()
    assertEquals(stage.noted, List("2", "1"))
    val stoppedActor = stage.start(Behavior.receive[Int](_ => Behavior.stopped))
    stoppedActor ! 0
    stage.until("it has stopped")(stoppedActor.isStopped)
    stoppedActor.tellPriority(7)
    stage.quiet()
    assertEquals(stage.lost, List((7, DeadLetterReason.Stopped)))

  onEveryModel("tellPriority beyond PriorityLimit throws MailboxFullException"):
    val fixture = Held(Overflow.Fail, 2)
    for n <- 1 to ActorRef.PriorityLimit do fixture.actor.tellPriority(n)
    val e = intercept[MailboxFullException](fixture.actor.tellPriority(0))
    assertEquals(e.getMessage, "the priority queue of held is full: 4096 messages wait")
    fixture.open()
    assertEquals(stage.noted.size, ActorRef.PriorityLimit)
    assertEquals(stage.system.observe.audit.deadLetters, Map(DeadLetterReason.Full -> 1L))

  onEveryModel("auditOf reports an actor's dead letters by reason"):
    val actor = stage.start(Behavior.setup[Int]:
      context.startSingleTimer("t", 9, scala.concurrent.duration.Duration(1, "hour"))
      Behavior.receive: n =>
        if n == 1 then Behavior.unhandled else Behavior.same)
    for n <- List(1, 2, 1) do actor ! n
    stage.quiet()
    val audit = stage.system.observe.auditOf(actor)
    assertEquals(audit.deadLetters, Map(DeadLetterReason.Unhandled -> 2L))
    assertEquals((audit.sent, audit.handled), (3L, 1L))

  test("Mailbox with a limit below 1 throws IllegalArgumentException"):
    val e = intercept[IllegalArgumentException](Mailbox(0))
    assertEquals(e.getMessage, "limit must be at least 1, but is 0")
end MailboxTest
