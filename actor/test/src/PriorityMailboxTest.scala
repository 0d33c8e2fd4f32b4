package undercroft.actor

import java.util.concurrent.{ConcurrentHashMap, ConcurrentLinkedQueue, CountDownLatch}
import java.util.concurrent.atomic.AtomicInteger
import scala.concurrent.Future
import scala.concurrent.duration.DurationInt
import scala.jdk.CollectionConverters.*

/** Priority mailboxes on every run model. */
class PriorityMailboxTest extends EveryModel:
  import PriorityMailboxTest.*

  private def byDigit(
      limit: Int = Mailbox.DefaultLimit,
      overflow: Overflow = Overflow.Fail
  ): PriorityMailbox[String] =
    Mailbox.prioritized(levels = 3, limit, overflow)((word: String) => word.head - '0')

  /** An actor that notes its messages; the first one, "0 go", sends it the others. */
  private def noting(words: String*)(using Stage): Behavior[String] = Behavior.setup:
    Behavior.receive: word =>
      note(word)
      if word == "0 go" then for next <- words do self ! next
      Behavior.same

  private def spawned[T](behavior: Behavior[T], mailbox: PriorityMailbox[T], name: String = "held")(
      using stage: Stage
  ): ActorRef[T] = spawn(behavior, name, stage.run, mailbox)(using stage.system)

  onEveryModel("the most urgent message is handled first, in the order of arrival within a level"):
    val actor = spawned(noting("2 a", "1 b", "0 c", "2 d", "1 e", "0 f"), byDigit())
    actor ! "0 go"
    assertEquals(stage.noted, List("0 go", "0 c", "0 f", "1 b", "1 e", "2 a", "2 d"))
    assertEquals(stage.system.observe.audit.handled, 7L)

  onEveryModel("an urgent message that arrives later precedes the waiting ones"):
    val actor = spawned(
      Behavior.setup[String]:
        Behavior.receive: word =>
          note(word)
          word match
            case "0 go" => for next <- List("2 a", "1 b", "2 c") do self ! next
            case "1 b"  => self ! "0 d"
            case "2 a"  => self ! "1 e"
            case _      => ()
          Behavior.same
      ,
      byDigit()
    )
    actor ! "0 go"
    assertEquals(stage.noted, List("0 go", "1 b", "0 d", "2 a", "1 e", "2 c"))

  onEveryModel("priority messages and unstashed messages precede all levels"):
    val actor = spawned(
      Behavior.setup[String]:
        var isOpen = false
        Behavior.receive: word =>
          word match
            case "0 go" =>
              for next <- List("2 a", "0 b", "1 open", "2 c") do self ! next
              self.tellPriority("2 first")
            case "0 b" if !isOpen => context.stash()
            case "1 open" =>
              isOpen = true
              context.unstashAll()
              self ! "0 d"
            case _ => ()
          note(word)
          Behavior.same
      ,
      byDigit()
    )
    actor ! "0 go"
    assertEquals(
      stage.noted,
      List("0 go", "2 first", "0 b", "1 open", "0 b", "0 d", "2 a", "2 c")
    )

  onEveryModel("a process receives the most urgent message first"):
    val actor = spawned(
      Behavior.process[String] { inbox =>
        note(inbox.receive())
        for next <- List("2 a", "1 b", "0 c") do self ! next
        note(inbox.receiveFirst { case word if word.startsWith("1") => word })
        for _ <- 1 to 2 do note(inbox.receive())
      },
      byDigit()
    )
    actor ! "0 go"
    stage.until("it has stopped")(actor.isStopped)
    assertEquals(stage.noted, List("0 go", "1 b", "0 c", "2 a"))

  onEveryModel("a level outside the range fails its message and no other one"):
    val actor = spawned(
      noting("1 a", "3 b", "0 c", "/ d", "2 e").supervised { case _ => Supervision.Resume },
      byDigit()
    )
    actor ! "0 go"
    assertEquals(stage.noted, List("0 go", "0 c", "1 a", "2 e"))
    assertEquals(
      stage.decided,
      List(3, -1).map(level =>
        (
          s"the level function of held returned $level, but the levels are 0 to 2",
          Supervision.Resume
        )
      )
    )
    val audit = stage.system.observe.audit
    assertEquals((audit.handled, audit.failed, audit.deadLetterCount), (4L, 2L, 0L))

  onEveryModel("without supervision a failure of the level function stops the actor"):
    val actor = spawned(noting("1 a", "2 b", "7 c"), byDigit())
    actor ! "0 go"
    stage.until("it has stopped")(actor.isStopped)
    assertEquals(stage.noted, List("0 go"))
    assertEquals(stage.decided.map(_._2), List(Supervision.Stop))
    val lost = stage.lost.map((message, reason) => s"$message $reason")
    assertEquals(lost.sorted, List("1 a Stopped", "2 b Stopped"))

  onEveryModel("a message whose level function throws is parked, or retried without a level"):
    val isParking = AtomicInteger()
    val actor = spawned(
      noting("1 a", "x", "2 b")
        .onMessageFailure { case _: ArithmeticException =>
          if isParking.getAndIncrement() == 0 then MessageFailure.Retry(1, MessageFailure.Park)
          else MessageFailure.Park
        }
        .supervised { case _: ArithmeticException => Supervision.Restart() },
      Mailbox.prioritized(3)((word: String) =>
        if word == "x" then throw ArithmeticException(s"no level of $word") else word.head - '0'
      )
    )
    actor ! "0 go"
    assertEquals(stage.noted, List("0 go", "x", "1 a", "2 b"))
    actor ! "x"
    stage.quiet()
    assertEquals(stage.system.drainParked().map(_.message), Vector[Any]("x"))
    assertEquals(stage.decided.map(_._1), List("no level of x", "no level of x"))

  onEveryModel("a restart keeps the waiting messages and their levels"):
    val calls = AtomicInteger()
    val actor = spawned(
      Behavior.setup[String] {
        note("start")
        Behavior.receive: word =>
          note(word)
          if word == "0 go" then
            for next <- List("2 a", "1 fail", "2 b", "1 c") do self ! next
          if word == "1 fail" then throw IllegalStateException("failed")
          Behavior.same
      }.supervised { case _: IllegalStateException => Supervision.Restart() },
      Mailbox.prioritized(3): (word: String) =>
        calls.incrementAndGet(): Unit
        word.head - '0'
    )
    actor ! "0 go"
    assertEquals(stage.noted, List("start", "0 go", "1 fail", "start", "1 c", "2 a", "2 b"))
    assertEquals(calls.get, 5)

  onEveryModel("waiting messages of a stopped actor are dead letters, the most urgent one first"):
    val calls = AtomicInteger()
    val actor = spawned(
      Behavior.setup[String]:
        Behavior.receive:
          case "0 go" =>
            for next <- List("2 a", "1 stop", "0 b", "1 c") do self ! next
            Behavior.same
          case "1 stop" =>
            self ! "0 d"
            Behavior.stopped
          case _ => Behavior.same,
      Mailbox.prioritized(3): (word: String) =>
        calls.incrementAndGet(): Unit
        word.head - '0'
    )
    actor ! "0 go"
    stage.until("it has stopped")(actor.isStopped)
    stage.quiet()
    assertEquals(stage.lost.map(_._1), List[Any]("1 c", "2 a", "0 d"))
    assertEquals(calls.get, 5, "no call for the message that arrived last")

  onEveryModel("Overflow.Fail throws MailboxFullException and counts all levels"):
    val actor = spawned(
      Behavior.setup[String]:
        Behavior.receive: word =>
          note(word)
          if word == "0 go" then
            for next <- List("2 a", "1 b") do self ! next
            note(intercept[MailboxFullException](self ! "0 c").getMessage)
          Behavior.same
      ,
      byDigit(limit = 3)
    )
    actor ! "0 go"
    assertEquals(
      stage.noted,
      List("0 go", "the mailbox of held is full: 3 messages wait", "1 b", "2 a")
    )
    assertEquals(stage.lost, List(("0 c", DeadLetterReason.Full)))

  onEveryModel("Overflow.DropNewest drops the newest message of any level"):
    val actor = spawned(noting("2 a", "1 b", "0 c"), byDigit(3, Overflow.DropNewest))
    actor ! "0 go"
    assertEquals(stage.noted, List("0 go", "1 b", "2 a"))
    assertEquals(stage.lost, List(("0 c", DeadLetterReason.Full)))

  onEveryModel("Overflow.DropOldest drops the oldest message of the least urgent level"):
    val words = List("2 a", "1 b", "2 c", "1 d", "0 e", "2 f", "0 g", "0 h")
    val actor = spawned(noting(words*), byDigit(3, Overflow.DropOldest))
    actor ! "0 go"
    assertEquals(stage.noted, List("0 go", "0 e", "0 g", "0 h"))
    assertEquals(
      stage.lost,
      List("2 a", "2 c", "2 f", "1 b", "1 d").map((_, DeadLetterReason.Full))
    )
    assertEquals(stage.system.observe.audit.deadLetters, Map(DeadLetterReason.Full -> 5L))

  onEveryModel("with Overflow.DropOldest a failure of the level function is one of the actor"):
    val actor = spawned(
      noting("1 a", "x", "1 b").supervised { case _ => Supervision.Resume },
      byDigit(3, Overflow.DropOldest)
    )
    actor ! "0 go"
    assertEquals(stage.noted, List("0 go", "1 a", "1 b"))
    assertEquals(
      stage.decided.map(_._1),
      List("the level function of held returned 72, but the levels are 0 to 2")
    )

  onEveryModel("with Overflow.DropOldest converted messages have the last level"):
    val actor = spawned(
      Behavior.setup[String]:
        val adapter = context.messageAdapter[Int](n => s"$n adapted")
        Behavior.receive: word =>
          note(word)
          if word == "0 go" then
            adapter ! 0
            self ! "1 told"
            self ! "2 told"
          Behavior.same
      ,
      byDigit(10, Overflow.DropOldest)
    )
    actor ! "0 go"
    assertEquals(stage.noted, List("0 go", "1 told", "0 adapted", "2 told"))

  onEveryModel("a stack overflow in the level function fails one message"):
    val actor = spawned(
      noting("1 a", "stack", "2 b").supervised { case _ => Supervision.Resume },
      Mailbox.prioritized(3): (word: String) =>
        if word == "stack" then throw StackOverflowError("planted")
        word.head - '0'
    )
    actor ! "0 go"
    assertEquals(stage.noted, List("0 go", "1 a", "2 b"))
    assertEquals(stage.decided, List(("planted", Supervision.Resume)))

  onEveryModel("the same object, sent again to a full mailbox, is dropped as full, not as stopped"):
    val word = "1 a"
    val mailboxes = List(Mailbox(1, Overflow.DropOldest), byDigit(1, Overflow.DropOldest))
    for (mailbox, i) <- mailboxes.zipWithIndex do
      val actor = spawn(noting(word, word), "held", stage.run, mailbox)(using stage.system)
      actor ! "0 go"
      stage.quiet()
      actor ! word
      assertEquals(stage.noted.drop(3 * i), List("0 go", word, word))
      assertEquals(stage.lost.drop(i), List((word, DeadLetterReason.Full)))

  onEveryModel("Overflow.Backpressure slows the senders of a priority mailbox", seeds = 5):
    val perSender = 500
    val order = ConcurrentLinkedQueue[(Int, Int)]()
    val slow = spawned(
      Behavior.receive[(Int, Int)] { message =>
        order.add(message): Unit
        Behavior.same
      },
      Mailbox.prioritized(levels = 4, limit = 8, Overflow.Backpressure)(_._2 % 4)
    )
    val senders = Vector.tabulate(3): id =>
      stage.start(Behavior.setup[Int]:
        Behavior.receive: n =>
          slow ! (id, n)
          if n < perSender then self ! n + 1
          Behavior.same)
    for sender <- senders do sender ! 1
    stage.quiet()
    for id <- senders.indices; level <- 0 to 3 do
      val received = order.asScala.toList.collect { case (`id`, n) if n % 4 == level => n }
      assertEquals(received, (1 to perSender).toList.filter(_ % 4 == level))
    assertEquals(stage.system.observe.audit.deadLetters, Map.empty)

  onEveryModel("messages of timers, asks, adapters, futures and watchWith have their own level"):
    val actor = spawned(
      Behavior.setup[String | (Reply[Int], String)]:
        val adapter = context.messageAdapter[Int](n => s"1 adapted $n")
        Behavior.receive:
          case word: String if word == "0 go" =>
            val child = spawn(Behavior.receive[Int](_ => Behavior.stopped))
            context.watchWith(child, "0 the child has stopped")
            context.pipeToSelf(Future.successful(1))(result => s"1 future ${result.get}")
            context.startSingleTimer("timer", "1 timer", 0.seconds)
            child ! 1
            adapter ! 1
            note("go")
            Behavior.same
          case (reply, word) =>
            note(word)
            reply ! 1
            Behavior.same
          case word: String =>
            note(word)
            Behavior.same
      ,
      Mailbox.prioritized(3):
        case (_, word)    => word.head - '0'
        case word: String => word.head - '0'
    )
    val asked = actor.askAsync[Int](1.minute)(reply => (reply, "2 asked"))
    actor ! "0 go"
    assertEquals(stage.result(asked), scala.util.Success(1))
    stage.until("all were handled")(stage.system.observe.auditOf(actor).handled == 6)
    val noted = stage.noted.toSet
    assertEquals(
      noted,
      Set("go", "2 asked", "1 adapted 1", "1 future 1", "1 timer", "0 the child has stopped")
    )

  onEveryModel("converted messages are ordered by the user message that they become"):
    val actor = spawned(
      Behavior.setup[String]:
        val adapter = context.messageAdapter[Int](n => s"$n adapted")
        Behavior.receive: word =>
          note(word)
          if word == "0 go" then
            self ! "1 told"
            adapter ! 2
            adapter ! 0
            self ! "0 told"
          Behavior.same
      ,
      byDigit()
    )
    actor ! "0 go"
    assertEquals(stage.noted, List("0 go", "0 adapted", "0 told", "1 told", "2 adapted"))

  onEveryModel("an adapter that throws fails its message and no other one"):
    val actor = spawned(
      Behavior.setup[String] {
        val adapter =
          context.messageAdapter[Int](n => if n == 7 then throw Exception("no 7") else s"$n a")
        Behavior.receive: word =>
          note(word)
          if word == "0 go" then for n <- List(2, 7, 1) do adapter ! n
          Behavior.same
      }.supervised { case _ => Supervision.Resume },
      byDigit()
    )
    actor ! "0 go"
    assertEquals(stage.noted, List("0 go", "1 a", "2 a"))
    assertEquals(stage.decided, List(("no 7", Supervision.Resume)))
    assertEquals(stage.system.observe.audit.failed, 1L)

  onEveryModel("a timer whose messages have no level is armed again"):
    val actor = spawned(
      Behavior.setup[String] {
        context.startTimerAtFixedRate("ticks", "x", 1.milli)
        Behavior.receive: word =>
          note(word)
          if word == "0 end" then context.cancelTimer("ticks")
          Behavior.same
      }.supervised { case _ => Supervision.Resume },
      byDigit()
    )
    stage.until("two messages have failed")(stage.decided.size >= 2)
    actor ! "0 end"
    stage.until("the timer ends")(stage.noted == List("0 end"))

  onEveryModel("an ask without a level fails when its actor stops"):
    val actor = spawned(
      Behavior
        .receive[String | Reply[Int]] {
          case _: String => Behavior.stopped
          case _         => Behavior.same
        }
        .supervised { case _ => Supervision.Resume },
      Mailbox.prioritized(2):
        case _: String => 1
        case _         => 2
    )
    val asked = actor.askAsync[Int](1.minute)(identity)
    stage.until("the ask has failed")(stage.decided.nonEmpty)
    actor ! "stop"
    val failure = stage.result(asked).failed.get
    assertEquals(
      (failure.getClass.getSimpleName, failure.getMessage),
      ("AskFailedException", s"the handler of held failed: ${failure.getCause}")
    )

  onEveryModel("Terminated follows all messages that the stopped actor sent"):
    val actor = spawned(
      Behavior
        .setup[String] {
          val parent = self
          val child = spawn(Behavior.receive[Int] { n =>
            parent ! s"${n % 3} $n"
            if n == 20 then Behavior.stopped else Behavior.same
          })
          context.watch(child)
          for n <- 1 to 20 do child ! n
          Behavior.receive: word =>
            note(word)
            Behavior.same
        }
        .onSignal { case Signal.Terminated(_, _) =>
          note("terminated")
          Behavior.same
        },
      byDigit()
    )
    stage.until("the child has stopped")(stage.noted.contains("terminated"))
    assertEquals(stage.noted.size, 21)
    assertEquals(stage.noted.last, "terminated")
    assert(!actor.isStopped)

  onEveryModel("a receive timeout of an actor with a priority mailbox follows silence"):
    val actor = spawned(
      Behavior.setup[String]:
        Behavior.receive: word =>
          note(word)
          if word == "2 idle" then context.cancelReceiveTimeout()
          else context.setReceiveTimeout(5.millis, "2 idle")
          Behavior.same
      ,
      byDigit()
    )
    actor ! "1 a"
    stage.until("it was idle")(stage.noted.contains("2 idle"))
    assertEquals(stage.noted, List("1 a", "2 idle"))

  onEveryModel("struct messages to a priority mailbox are objects, ordered by their fields"):
    val actor = spawned(
      Behavior.setup[Order]:
        Behavior.receive:
          case Order.Go(count) =>
            note(s"go $count")
            for n <- 1 to count do self ! Order.Item(n, n % 2)
            Behavior.same
          case Order.Item(number, _) => note(s"$number"); Behavior.same,
      Mailbox.prioritized(2):
        case Order.Go(_)      => 0
        case Order.Item(_, n) => n
    )
    actor ! Order.Go(6)
    assertEquals(stage.noted, List("go 6", "2", "4", "6", "1", "3", "5"))

  onEveryModel("the level function is called once for each message, by the actor's thread"):
    val calls = ConcurrentHashMap[String, Integer]()
    val current = ConcurrentHashMap[String, Boolean]()
    lazy val actor: ActorRef[String] = spawned(
      noting("2 a", "1 b", "2 c", "0 d"),
      Mailbox.prioritized(3): (word: String) =>
        calls.merge(word, 1, (a, b) => a + b): Unit
        val running = internal.dispatch.Dispatcher.current(Thread.currentThread)
        current.put(word, running eq actor.asInstanceOf[AnyRef]): Unit
        word.head - '0'
    )
    actor ! "0 go"
    assertEquals(stage.noted.size, 5)
    assertEquals(calls.values.asScala.map(_.intValue).toList, List.fill(5)(1))
    assertEquals(current.values.asScala.toSet, Set(true))

  onEveryModel("a level function may send messages to its own actor"):
    lazy val actor: ActorRef[String] = spawned(
      noting("2 a"),
      Mailbox.prioritized(3): (word: String) =>
        if word == "2 a" then actor ! "1 nested"
        word.head - '0'
    )
    actor ! "0 go"
    assertEquals(stage.noted.sorted, List("0 go", "1 nested", "2 a"))

  onEveryModel("random programs are handled as by a model of queues", seeds = 20):
    val seed = stage.seed
    var events = Set[String]()
    var count = 0
    // Twelve programs may not have every kind of event; then more of them run.
    while count < 12 || events != PriorityProgram.Events && count < 200 do
      for overflow <- Overflow.values do events ++= PriorityProgram(seed + count, overflow).check()
      count += 1
    assertEquals(events, PriorityProgram.Events, s"from seed $seed on")

  onEveryThread("each sender's messages of one level are handled in their order"):
    val (senders, perSender, levels) = (4, 5000, 5)
    val received = ConcurrentLinkedQueue[(Int, Int)]()
    val gate = CountDownLatch(1)
    val isHeld = stage.run != Run.Caller
    val actor = spawned(
      Behavior.receive[(Int, Int)] { message =>
        if message._1 < 0 then
          (if isHeld then gate.await()
        )
        else received.add(message): Unit
        Behavior.same
      },
      Mailbox.prioritized(levels)(_._2 % levels)
    )
    actor ! (-1, 0)
    val threads = Vector.tabulate(senders): id =>
      Thread.ofPlatform.start(() => for n <- 1 to perSender do actor ! (id, n))
    threads.foreach(_.join())
    gate.countDown()
    stage.quiet()
    val order = received.asScala.toVector
    assertEquals(order.size, senders * perSender)
    if isHeld then
      val handledLevels = order.map(_._2 % levels)
      assertEquals(handledLevels, handledLevels.sorted)
    for ((id, level), messages) <- order.groupBy((id, n) => (id, n % levels)) do
      assertEquals(messages.map(_._2), messages.map(_._2).sorted, s"sender $id, level $level")

  onEveryModel("a mailbox has up to 64 levels"):
    val actor = spawned(
      Behavior.setup[Int]:
        Behavior.receive: n =>
          note(s"$n")
          if n == 0 then for next <- 63 to 1 by -1 do self ! next
          Behavior.same
      ,
      Mailbox.prioritized(64)((n: Int) => n)
    )
    actor ! 0
    assertEquals(stage.noted, (0 to 63).map(_.toString).toList)
end PriorityMailboxTest

object PriorityMailboxTest:
  enum Order derives undercroft.struct.Struct, CanEqual:
    case Go(count: Int)
    case Item(number: Int, level: Int)
