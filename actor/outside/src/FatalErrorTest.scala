package outside.actor

import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, Executors, TimeUnit}
import java.util.concurrent.atomic.AtomicReference
import java.util.concurrent.locks.LockSupport
import scala.concurrent.{Await, Future}
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import scala.util.{Failure, Success, Try}
import undercroft.actor.*
import undercroft.tools.ForkedJvm

/** Errors that end a system, and errors that do not. */
class FatalErrorTest extends undercroft.tools.RoundsSuite:
  import FatalErrorTest.*

  private val executor = Executors.newSingleThreadExecutor(Thread.ofPlatform.daemon.factory)
  override def afterAll(): Unit = executor.shutdown()

  for run <- Run.standard :+ Run.On(executor) do
    val name = run.productPrefix
    test(s"an OutOfMemoryError of a handler on $name ends the system with one event"):
      val events = ConcurrentLinkedQueue[SystemFailedException]()
      val failed = CountDownLatch(1)
      val system = ActorSystem(
        "app",
        2,
        {
          case ActorEvent.SystemFailed(failure) => events.add(failure); failed.countDown()
          case _                                => ()
        }
      )
      given ActorSystem = system
      val stops = ConcurrentLinkedQueue[String]()
      val planted = OutOfMemoryError("planted")
      val till = spawn(
        Behavior
          .receive[Int](_ => throw planted)
          .onSignal { case Signal.PostStop => stops.add("till"); Behavior.same }
          .supervised { case _ => Supervision.Restart() },
        "till",
        run
      )
      val bystander = spawn(
        Behavior.ignore[Int].onSignal { case Signal.PostStop =>
          stops.add("bystander")
          Behavior.same
        },
        "bystander"
      )
      // The waits: two asks, a full mailbox, the end of an actor and of the system.
      val silent = spawn(Behavior.ignore[Reply[Int]], "silent")
      val gate = CountDownLatch(1)
      val full = spawn(
        Behavior.receive[Int] { _ =>
          gate.await(); Behavior.same
        },
        run = Run.Thread,
        mailbox = Mailbox(1, Overflow.Backpressure)
      )
      val process = spawn(Behavior.process[Int](inbox => inbox.receive(): Unit))
      val asked = silent.askAsync[Int](1.hour)(identity)
      def started(wait: => Any) =
        val result = java.util.concurrent.CompletableFuture[Try[Any]]()
        val thread = Thread.ofPlatform.daemon.start(() => result.complete(Try(wait)): Unit)
        (thread, result)
      val (sender, sent) = started(for n <- 1 to 10 do full ! n)
      // A sender that has not begun to wait sends dead letters.
      val until = System.nanoTime + 1.minute.toNanos
      def blocker = s"${LockSupport.getBlocker(sender)}"
      while !blocker.contains("Waiters") && System.nanoTime < until do Thread.`yield`()
      assert(blocker.contains("Waiters"), blocker)
      val (_, quiet) = started(system.awaitQuiescence(1.hour)) // never, as messages wait
      val (_, answer) = started(silent.ask[Int](1.hour)(identity))
      val ends = List(system.whenStopped, bystander.whenStopped, process.whenStopped)
      till ! 1
      assert(failed.await(1, TimeUnit.MINUTES))
      for result <- List(sent, quiet, answer) do
        assertFailed(result.get(1, TimeUnit.MINUTES), planted)
      for end <- asked +: ends do assertFailed(Await.ready(end, 1.minute).value.get, planted)
      // Afterwards.
      assertFailed(Try(system.shutdown()), planted)
      assertFailed(Try(spawn(Behavior.ignore[Int])), planted)
      assertFailed(Try(silent.ask[Int](1.hour)(identity)), planted)
      assertFailed(Await.ready(silent.askAsync[Int](1.hour)(identity), 1.minute).value.get, planted)
      assertFailed(Await.ready(bystander.whenStopped, 1.minute).value.get, planted)
      assert(system.isStopped && bystander.isStopped && process.isStopped)
      bystander ! 1 // a dead letter
      gate.countDown()
      assertEquals(stops.asScala.toList, Nil)
      assertEquals(events.size, 1)
      assertEquals(events.peek.actor, "till#1")
      assertEquals(
        events.peek.getMessage,
        "the actor system app has ended: java.lang.OutOfMemoryError: planted, in a handler of the " +
          "actor till#1; set a larger heap (-Xmx), or bound the mailboxes"
      )

    test(s"a StackOverflowError or LinkageError of a handler on $name fails its actor only"):
      val system = ActorSystem("app", 2, _ => ())
      try
        given ActorSystem = system
        for error <- List(StackOverflowError("planted"), NoClassDefFoundError("planted")) do
          val actor = spawn(
            Behavior
              .receive[Reply[Int]](_ => throw error)
              .supervised { case _ => Supervision.Resume },
            run = run
          )
          val failure = intercept[AskFailedException](actor.ask[Int](1.minute)(identity))
          assert(failure.getCause eq error)
          assert(!actor.isStopped)
      finally assert(system.shutdown(1.minute, 1.minute))
  end for

  test("a handler that recurses without an end fails its actor only"):
    val system = ActorSystem("app", 2, _ => ())
    try
      given ActorSystem = system
      val actor = spawn(
        Behavior.receive[Reply[Int]] { _ =>
          def depth(n: Int): Int = 1 + depth(n + 1)
          depth(0): Unit
          Behavior.same
        }
      )
      val failure = intercept[AskException](actor.ask[Int](1.minute)(identity))
      assert(failure.getCause.isInstanceOf[StackOverflowError], failure)
    finally assert(system.shutdown(1.minute, 1.minute))

  test("two systems of one JVM fail independently"):
    val systems = List.tabulate(2)(i => ActorSystem(s"app $i", 1, _ => ()))
    val actors = systems.map(system =>
      spawn(Behavior.receive[Int](_ => throw InternalError("planted")))(using system)
    )
    actors(0) ! 1
    intercept[SystemFailedException](Await.result(systems(0).whenStopped, 1.minute)): Unit
    assert(!systems(1).isStopped)
    assert(systems(1).shutdown(1.minute, 1.minute))

  private def ended(main: String, flags: String*): ForkedJvm.Result =
    ForkedJvm.run(main, Seq("-Xmx64m", "-XX:+UseSerialGC", "-XX:-UseGCOverheadLimit") ++ flags)

  test("the log has one line with the error, its actor and the cure"):
    val jvm = ended("outside.actor.FullMailbox")
    val lines = jvm.output.linesIterator.filter(_.contains("has ended")).toList
    assertEquals(lines.size, 1, jvm.output)
    assert(lines(0).contains("java.lang.OutOfMemoryError: Java heap space"), jvm.output)
    assert(lines(0).contains("set a larger heap (-Xmx)"), jvm.output)
    assertEquals((jvm.exit, jvm.last), (0, "ended"), jvm.output)

  test("a setting lets a fatal error end the JVM with a status"):
    val jvm = ended("outside.actor.FullMailbox", "-Dundercroft.actor.exitStatus=7")
    assertEquals(jvm.exit, 7, jvm.output)

  private def endsInRounds(rounds: Int, main: String): Unit =
    for _ <- 1 to rounds do
      val jvm = ended(s"outside.actor.$main")
      assertEquals((jvm.exit, jvm.last), (0, "ended"), jvm.output)

  testRounds("a full heap ends the system, and all of its waits, with one event")(1, 100):
    endsInRounds(_, "FullHeap")

  test("a full mailbox ends the system, and all of its waits, in 100 rounds".tag(LongTest)):
    endsInRounds(100, "FullMailbox")

  testRounds("an actor misses no message that was sent before a stack overflow in a send")(2, 100):
    rounds =>
      val jvm = ForkedJvm.run(
        "outside.actor.RecursiveSenders",
        ForkedJvm.Granted :+ "-XX:TieredStopAtLevel=1",
        Seq(s"$rounds")
      )
      assertEquals((jvm.exit, jvm.last), (0, "no message is missing"), jvm.output)
end FatalErrorTest

object FatalErrorTest:
  def assertFailed(result: Try[Any], cause: Throwable): Unit = result match
    case Failure(failure: SystemFailedException) => assert(failure.getCause eq cause, failure)
    case other                                   => throw AssertionError(s"$other")

/** The heap is filled while actors send each other messages, until one of them has no memory. */
object FullHeap:
  def main(args: Array[String]): Unit =
    java.util.logging.LogManager.getLogManager.reset()
    val hogs = AtomicReference[List[Array[Byte]]](Nil)
    val events = ConcurrentLinkedQueue[String]()
    val system = ActorSystem(
      "app",
      2,
      {
        case ActorEvent.SystemFailed(failure) => hogs.set(Nil); events.add(failure.toString)
        case _                                => ()
      }
    )
    given ActorSystem = system
    val actors = Vector.tabulate(100)(i =>
      spawn(Behavior.setup[Array[Byte]] {
        Behavior.receive: _ =>
          self[Array[Byte]] ! new Array[Byte](2_000 + i * 37 % 4_000)
          Behavior.same
      }.supervised { case _ => Supervision.Restart(limit = Int.MaxValue) })
    )
    actors.foreach(_ ! new Array[Byte](10))
    val until = System.nanoTime + 60_000_000_000L
    while !system.isStopped && System.nanoTime < until do
      try
        while !system.isStopped do
          hogs.updateAndGet(new Array[Byte](500) :: _): Unit
      catch case _: OutOfMemoryError => () // the heap stays full until an actor has no memory
    hogs.set(Nil)
    Ended.report(system, actors(0), events)
  end main
end FullHeap

/** An actor sends itself two messages for each one, until the heap is full. */
object FullMailbox:
  def main(args: Array[String]): Unit =
    val events = ConcurrentLinkedQueue[String]()
    val system = ActorSystem(
      "app",
      2,
      {
        case ActorEvent.SystemFailed(failure) => events.add(failure.toString): Unit
        case _                                => ()
      }
    )
    given ActorSystem = system
    val till = spawn(
      Behavior.setup[Array[Byte]] {
        Behavior.receive: _ =>
          for _ <- 1 to 2 do self[Array[Byte]] ! new Array[Byte](5000)
          Behavior.same
      },
      "till"
    )
    till ! new Array[Byte](1)
    // This thread allocates nothing while the heap is full.
    val until = System.nanoTime + 60_000_000_000L
    while !system.isStopped && System.nanoTime < until do Thread.`yield`()
    Ended.report(system, till, events)
  end main
end FullMailbox

object Ended:
  /** Prints `ended` if all waits of the system end by its failure, and it was told once. */
  def report(
      system: ActorSystem,
      actor: ActorRef[Nothing],
      events: ConcurrentLinkedQueue[String]
  ): Unit =
    val waits = List[() => Any](
      () => system.awaitQuiescence(1.minute),
      () => Await.result(system.whenStopped, 1.minute),
      () => Await.result(actor.whenStopped, 1.minute),
      () => system.shutdown(1.minute, 1.minute)
    )
    val others = waits.map(wait => Try(wait())).filter:
      case Failure(_: SystemFailedException) => false
      case _                                 => true
    if others.isEmpty && events.size == 1 then println("ended")
    else println(s"$events, $others")
    Runtime.getRuntime.halt(0)
end Ended

/** Each call of a recursion sends to one actor, on each run model, until the stack overflows. */
object RecursiveSenders:
  enum Command:
    case Add(number: Int)
    case Count(to: Reply[Int])

  private def counter: Behavior[Command] =
    var count = 0
    Behavior.receive {
      case Command.Add(_) =>
        count += 1
        Behavior.same
      case Command.Count(to) =>
        to ! count
        Behavior.same
    }

  /** Makes nested calls, each after a step with its number, until the stack of a new thread
    * overflows. Returns the number of completed steps.
    *
    * @param padding
    *   the number of calls before, so that the overflow is at another place
    */
  private def untilOverflow(padding: Int)(step: Int => Unit): Int =
    var completed = 0
    def walk(number: Int): Int =
      step(number)
      completed += 1
      walk(number + 1) + 1
    def pad(calls: Int): Int = if calls == 0 then walk(0) else pad(calls - 1) + 1
    val body: Runnable = () =>
      try pad(padding): Unit
      catch case _: StackOverflowError => ()
    val thread = Thread(null, body, "small stack", 256 * 1024L)
    thread.start()
    thread.join()
    completed

  def main(args: Array[String]): Unit =
    java.util.logging.LogManager.getLogManager.reset() // an overflow leaves its locks locked
    // An executor for each system: an overflow leaves its locks locked, too.
    val models = Run.standard.map(run => () => run) ++
      Seq(() => Run.On(_.run()), () => Run.On(Executors.newSingleThreadExecutor()))
    var ended = 0
    var missing = 0
    for
      model <- models
      padding <- 1 to args(0).toInt
    do
      val run = model()
      val system = ActorSystem("senders", 1, listener = _ => ())
      val target = spawn(counter, run = run)(using system)
      val sent = untilOverflow(padding)(target ! Command.Add(_))
      Try(target.ask[Int](1.minute)(Command.Count(_))) match
        // The handler of the last message may have had no room on the stack of its sender.
        case Success(count)                    => if count < sent - 1 then missing += sent - count
        case Failure(_: SystemFailedException) => ended += 1
        case Failure(_: AskTargetStoppedException) => () // its handler overflowed
        case Failure(other) =>
          println(s"$run: $other")
          missing += 1
      Try(system.shutdown(1.minute, 1.minute)): Unit
    println(s"$ended systems ended")
    println(if missing == 0 then "no message is missing" else s"$missing are missing")
    Runtime.getRuntime.halt(0)
  end main
end RecursiveSenders
