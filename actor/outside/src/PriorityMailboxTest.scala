package outside.actor

import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.AtomicReference
import scala.concurrent.Await
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import undercroft.actor.*
import undercroft.actor.testkit.{simulate, simulation, Probe}
import undercroft.struct.Struct

/** Priority mailboxes, as the guide describes them, and their misuse. */
class PriorityMailboxTest extends undercroft.tools.Suite:
  import PriorityMailboxTest.*

  /** An actor that holds its first message until the gate opens, and keeps the order of the others.
    */
  private final class Held(mailbox: PriorityMailbox[Task], run: Run = Run.Workers)(using
      ActorScope
  ):
    private val (entered, gate) = (CountDownLatch(1), CountDownLatch(1))
    private val order = ConcurrentLinkedQueue[String]()
    val actor: ActorRef[Task] = spawn(
      Behavior.setup[Task]:
        Behavior.receive: task =>
          if task.name == "gate" then
            entered.countDown()
            gate.await()
          else order.add(task.name): Unit
          Behavior.same
      ,
      "worker",
      run,
      mailbox
    )
    actor ! Task("gate", 0)
    assert(entered.await(1, TimeUnit.MINUTES))
    def open(): Unit = gate.countDown()
    def handled(using system: ActorSystem): List[String] =
      assert(system.awaitQuiescence(1.minute), s"${system.observe.audit}")
      order.asScala.toList
  end Held

  private def tasks(names: String*): Seq[Task] =
    names.map(name => Task(name, "urgent normal background".split(' ').indexOf(name.init)))

  private val words = List("background1", "normal1", "urgent1", "background2", "normal2", "urgent2")
  private val sorted =
    List("urgent1", "urgent2", "normal1", "normal2", "background1", "background2")

  private def inSystem(body: ActorSystem ?=> Unit): Unit =
    ActorSystem.scoped("office", workers = 2, listener = _ => (), pools = Map("io" -> 1)):
      body(using summon[ActorSystem])

  for run <- List(Run.Workers, Run.Pool("io"), Run.Virtual, Run.Thread) do
    test(s"waiting messages of other threads are handled by their level ($run)"):
      inSystem:
        val worker = Held(Mailbox.prioritized(levels = 3)(_.level), run)
        for task <- tasks(words*) do worker.actor ! task
        assertEquals(summon[ActorSystem].observe.auditOf(worker.actor).waiting, 7L)
        worker.actor.tellPriority(Task("first", 2))
        worker.open()
        assertEquals(worker.handled, "first" :: sorted)
        val audit = summon[ActorSystem].observe.audit
        assertEquals((audit.handled, audit.deadLetterCount), (8L, 0L))
        assert(audit.isExact, s"$audit")

  test("watches of an actor do not count as priority messages"):
    inSystem:
      val worker = Held(Mailbox.prioritized(levels = 3)(_.level))
      val watched = CountDownLatch(1)
      spawn(
        Behavior.setup[Int]:
          for _ <- 1 to ActorRef.PriorityLimit do
            context.watch(worker.actor)
            context.unwatch(worker.actor)
          watched.countDown()
          Behavior.ignore
        ,
        run = Run.Virtual
      ): Unit
      assert(watched.await(1, TimeUnit.MINUTES))
      worker.actor.tellPriority(Task("first", 2))
      worker.open()
      assertEquals(worker.handled, List("first"))

  test("a full priority mailbox fails the sender by default"):
    inSystem:
      val worker = Held(Mailbox.prioritized(levels = 3, limit = 3)(_.level))
      for task <- tasks(words.take(2)*) do worker.actor ! task
      val e = intercept[MailboxFullException](worker.actor ! Task("urgent1", 0))
      assertEquals(e.getMessage, "the mailbox of worker is full: 3 messages wait")
      worker.open()
      assertEquals(worker.handled, List("normal1", "background1"))

  test("a full priority mailbox with DropNewest drops the new message, even an urgent one"):
    inSystem:
      val worker = Held(Mailbox.prioritized(3, limit = 3, Overflow.DropNewest)(_.level))
      for task <- tasks(words*) do worker.actor ! task
      worker.open()
      assertEquals(worker.handled, List("normal1", "background1"))
      assertEquals(summon[ActorSystem].observe.audit.deadLetters, Map(DeadLetterReason.Full -> 4L))

  test("a full priority mailbox with DropOldest drops the least urgent level first"):
    inSystem:
      val worker = Held(Mailbox.prioritized(3, limit = 3, Overflow.DropOldest)(_.level))
      for task <- tasks(words*) do worker.actor ! task
      worker.actor ! Task("late", 2) // less urgent than all that wait
      worker.open()
      assertEquals(worker.handled, List("urgent1", "urgent2", "normal2"))
      assertEquals(summon[ActorSystem].observe.audit.deadLetters, Map(DeadLetterReason.Full -> 4L))

  test("the actor's thread calls the level function; with DropOldest the sending threads do"):
    inSystem:
      for overflow <- Overflow.values do
        val threads = ConcurrentLinkedQueue[String]()
        val worker = spawn(
          Behavior.ignore[Task],
          run = Run.Pool("io"),
          mailbox = Mailbox.prioritized(3, overflow = overflow): (task: Task) =>
            threads.add(Thread.currentThread.getName): Unit
            task.level
        )
        val sender = Thread.ofPlatform.name("sender").start: () =>
          for task <- tasks(words*) do worker ! task
        sender.join()
        assert(summon[ActorSystem].awaitQuiescence(1.minute))
        val expected = if overflow == Overflow.DropOldest then "sender" else "office-io-worker-0"
        assertEquals(threads.asScala.toList, List.fill(words.size)(expected), s"$overflow")

  test("a full priority mailbox with back-pressure makes the sender wait, and loses nothing"):
    inSystem:
      val worker = Held(Mailbox.prioritized(3, limit = 3, Overflow.Backpressure)(_.level))
      val sender = Thread.ofPlatform.start(() => for task <- tasks(words*) do worker.actor ! task)
      worker.open()
      sender.join()
      assertEquals(worker.handled.sorted, words.sorted)
      assertEquals(summon[ActorSystem].observe.audit.deadLetterCount, 0L)

  test("a level out of range stops an actor without supervision, and nothing else"):
    val failure = AtomicReference[Throwable]()
    val listener: ActorEvent => Unit =
      case ActorEvent.Failed(_, cause, _) => failure.set(cause)
      case _                              => ()
    ActorSystem.scoped("office", workers = 2, listener = listener):
      val system = summon[ActorSystem]
      val actor = spawn(
        Behavior.ignore[Task],
        "worker",
        mailbox = Mailbox.prioritized(3)((task: Task) => task.level)
      )
      val other = spawn(Behavior.ignore[Task], mailbox = Mailbox.prioritized(3)((_: Task) => 0))
      actor ! Task("wrong", 3) // the sender sees no error
      Await.ready(actor.whenStopped, 1.minute)
      assertEquals(
        failure.get.getMessage,
        "the level function of worker returned 3, but the levels are 0 to 2"
      )
      assertEquals(failure.get.getClass.getName, "java.lang.IllegalStateException")
      other ! Task("right", 3)
      assert(system.awaitQuiescence(1.minute))
      val audit = system.observe.audit
      assertEquals((audit.handled, audit.failed, audit.deadLetterCount), (1L, 1L, 0L))

  test("a level function that throws fails its message; the supervised actor handles the others"):
    inSystem:
      val parked = AtomicReference(Vector.empty[Any])
      val system = summon[ActorSystem]
      val handled = ConcurrentLinkedQueue[String]()
      val actor = spawn(
        Behavior
          .receive[Task] { task =>
            handled.add(task.name): Unit
            Behavior.same
          }
          .onMessageFailure { case _: MatchError => MessageFailure.Park }
          .supervised { case _: MatchError => Supervision.Resume },
        mailbox = Mailbox.prioritized(2): (task: Task) =>
          (task.level: @unchecked) match
            case 0 => 0
            case 1 => 1
      )
      for n <- 0 to 2 do actor ! Task(s"$n", n)
      assert(system.awaitQuiescence(1.minute))
      parked.set(system.drainParked().map(_.message))
      assertEquals(handled.asScala.toSet, Set("0", "1"))
      assertEquals(parked.get, Vector[Any](Task("2", 2)))

  test("wrong numbers of levels and limits are rejected with the allowed range"):
    def error(mailbox: => Any): String = intercept[IllegalArgumentException](mailbox).getMessage
    val range = "levels must be at least 1 and at most 64, but is "
    for levels <- List(0, -1, 65) do
      assertEquals(error(Mailbox.prioritized(levels)((_: Int) => 0)), s"$range$levels")
    assertEquals(
      error(Mailbox.prioritized(2, limit = -3)((_: Int) => 0)),
      "limit must be at least 1, but is -3"
    )
    val e = intercept[NullPointerException](
      Mailbox.prioritized[Int](2)(null.asInstanceOf[Int => Int])
    )
    assertEquals(e.getMessage, "the level function of a mailbox is null")
    assertEquals(PriorityMailbox.LevelLimit, 64)

  test("a null mailbox is rejected by spawn"):
    inSystem:
      val e = intercept[NullPointerException](
        spawn(Behavior.ignore[Int], mailbox = null.asInstanceOf[Mailbox])
      )
      assertEquals(e.getMessage, "the mailbox of an actor of office is null")

  test("a level function for other messages than the actor's does not compile"):
    val error = compileErrors("""
      ActorSystem.scoped("office"):
        spawn(Behavior.ignore[Task], mailbox = Mailbox.prioritized(2)((n: Int) => n))
    """)
    assert(error.contains("Required: outside.actor.PriorityMailboxTest.Task => Int"), error)

  test("a mailbox of a wider message type is accepted, and one mailbox can serve several actors"):
    inSystem:
      val mailbox = Mailbox.prioritized(2)((message: Any) => message.hashCode & 1)
      val (first, second) = (
        spawn(Behavior.ignore[Int], mailbox = mailbox),
        spawn(Behavior.ignore[String], mailbox = mailbox)
      )
      for n <- 1 to 100 do
        first ! n
        second ! s"$n"
      assert(summon[ActorSystem].awaitQuiescence(1.minute))
      assertEquals(summon[ActorSystem].observe.audit.handled, 200L)

  test("a simulation handles the most urgent message in each order of steps"):
    simulate(seeds = 200):
      val probe = Probe[String]()
      val worker = spawn(
        Behavior.setup[Task]:
          Behavior.receive: task =>
            if task.name == "begin" then for next <- tasks(words*) do self ! next
            else probe.ref ! task.name
            Behavior.same
        ,
        mailbox = Mailbox.prioritized(levels = 3)(_.level)
      )
      worker ! Task("begin", 2)
      simulation.runUntilIdle()
      assertEquals(probe.received.toList, sorted)

  test("the report of a failed simulation has the messages of a priority mailbox"):
    val e = intercept[Throwable]:
      simulate(seeds = 1):
        val worker = spawn(
          Behavior.setup[Task]:
            Behavior.receive: task =>
              if task.name == "begin" then for next <- tasks(words*) do self ! next
              assert(task.name != "normal2", "a planted failure")
              Behavior.same
          ,
          "worker",
          mailbox = Mailbox.prioritized(levels = 3)(_.level)
        )
        worker ! Task("begin", 2)
        simulation.runUntilIdle()
        assert(simulation.events.isEmpty, "it has failed")
    val report = String.valueOf(e.getMessage)
    assert(report.contains("worker <- its most urgent message\n"), report)
    assert(report.contains("worker <- Task(urgent2,0)   from worker\n"), report)

  test("ten senders on two workers: each level keeps the order of each sender, and none is lost"):
    inSystem:
      val system = summon[ActorSystem]
      val (senders, perSender) = (10, 5000)
      val received = ConcurrentLinkedQueue[Numbered]()
      val receiver = spawn(
        Behavior.receive[Numbered]: message =>
          received.add(message): Unit
          Behavior.same
        ,
        mailbox = Mailbox.prioritized(4, overflow = Overflow.Backpressure)(_.number % 4)
      )
      for id <- 1 to senders do
        spawn(Behavior.setup[Int]:
          Behavior.receive: from =>
            for n <- from until from + 50 do receiver ! Numbered(id, n)
            if from + 50 < perSender then self ! from + 50
            Behavior.same) ! 0
      assert(system.awaitQuiescence(2.minutes))
      val byStream = received.asScala.toVector.groupBy(n => (n.sender, n.number % 4))
      assertEquals(byStream.size, senders * 4)
      for (stream, messages) <- byStream do
        val numbers = messages.map(_.number)
        assertEquals(numbers, (0 until perSender).filter(_ % 4 == stream._2).toVector, s"$stream")
      assert(system.observe.audit.isExact, s"${system.observe.audit}")
end PriorityMailboxTest

object PriorityMailboxTest:
  final case class Task(name: String, level: Int) derives CanEqual
  final case class Numbered(sender: Int, number: Int) derives Struct, CanEqual
