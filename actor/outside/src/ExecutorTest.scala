package outside.actor

import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, Executor, Executors}
import java.util.concurrent.{RejectedExecutionException, TimeUnit}
import java.util.concurrent.atomic.{AtomicInteger, AtomicLong}
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import undercroft.actor.*

/** Actors on executors of the user: correct executors, full executors, and executors that break
  * their contract.
  */
class ExecutorTest extends munit.FunSuite:

  private def counter(sum: AtomicLong): Behavior[Int] = Behavior.receive: n =>
    sum.set(sum.get + n) // not atomic: it is right only if one thread at a time runs the actor
    Behavior.same

  private def sumOn(executor: Executor, senders: Int = 4, count: Int = 20_000): Long =
    val sum = AtomicLong()
    ActorSystem.scoped("sums"):
      val actor = spawn(counter(sum), run = Run.On(executor))
      val threads = Vector.fill(senders)(Thread.ofPlatform.start(() =>
        for _ <- 1 to count do
          if actor.isStopped then ()
          else
            try actor ! 1
            catch case _: MailboxFullException => Thread.onSpinWait()
      ))
      threads.foreach(_.join())
    sum.get

  test("an actor runs on the executor's threads, one at a time"):
    val pool = Executors.newFixedThreadPool(3, Thread.ofPlatform.name("mine-", 0).factory)
    val names = ConcurrentLinkedQueue[String]()
    try
      ActorSystem.scoped("names"):
        val actor = spawn(
          Behavior.receive[Int] { _ =>
            names.add(Thread.currentThread.getName)
            Behavior.same
          },
          run = Run.On(pool)
        )
        for n <- 1 to 100 do actor ! n
      assertEquals(names.size, 100)
      assert(names.asScala.forall(_.startsWith("mine-")), names)
      assertEquals(sumOn(pool, senders = 1), 20_000L)
    finally pool.shutdown()

  test("messages of one sender arrive in order"):
    val pool = Executors.newFixedThreadPool(3)
    val seen = ConcurrentLinkedQueue[Int]()
    try
      ActorSystem.scoped("order"):
        val actor = spawn(
          Behavior.receive[Int] { n =>
            seen.add(n)
            Behavior.same
          },
          run = Run.On(pool)
        )
        for n <- 1 to 50_000 do actor ! n
      assertEquals(seen.asScala.toVector, (1 to 50_000).toVector)
    finally pool.shutdown()

  test("an executor that runs tasks at once, on the caller's thread"):
    assertEquals(sumOn(task => task.run(), senders = 1), 20_000L)

  test("a chain of actors on such an executor does not overflow the stack"):
    val last = CountDownLatch(1)
    ActorSystem.scoped("chain"):
      val end = spawn(
        Behavior.receive[Int] { _ =>
          last.countDown()
          Behavior.same
        },
        run = Run.On(_.run())
      )
      val first = (1 to 20_000).foldLeft(end): (next, _) =>
        spawn(
          Behavior.receive[Int] { n =>
            next ! n
            Behavior.same
          },
          run = Run.On(_.run())
        )
      first ! 1
      val isOver = last.await(1, TimeUnit.MINUTES)
      assert(isOver)

  test("an ask between two actors on such an executor"):
    val answer = ActorSystem.scoped("asks"):
      val inner = spawn(
        Behavior.receive[Reply[Int]] { reply =>
          reply ! 21
          Behavior.same
        },
        run = Run.On(_.run())
      )
      val outer = spawn(
        Behavior.receive[Reply[Int]] { reply =>
          reply ! 2 * inner.ask[Int](1.minute)(identity)
          Behavior.same
        },
        run = Run.On(_.run())
      )
      outer.ask[Int](1.minute)(identity)
    assertEquals(answer, 42)

  test("an executor that runs each task twice, on two threads"):
    val pool = Executors.newFixedThreadPool(2)
    try
      val twice: Executor = task =>
        pool.execute(task)
        pool.execute(task)
      assertEquals(sumOn(twice, senders = 1), 20_000L)
    finally pool.shutdown()

  test("an executor that runs each task and then rejects it"):
    val sum = AtomicLong()
    val failed = AtomicInteger()
    val liar: Executor = task =>
      task.run()
      throw RejectedExecutionException("no")
    val listener: ActorEvent => Unit =
      case ActorEvent.Failed(_, _: ExecutorFailedException, Supervision.Stop) =>
        failed.incrementAndGet()
      case _ => ()
    ActorSystem.scoped("liar", listener = listener):
      val actor = spawn(counter(sum), run = Run.On(liar))
      actor ! 1
    assertEquals((sum.get, failed.get), (1L, 1))

  test("an executor that was shut down stops its actors, with dead letters and the cause"):
    val pool = Executors.newFixedThreadPool(1)
    val ended = CountDownLatch(1)
    val postStop = CountDownLatch(1)
    val dead = ConcurrentLinkedQueue[Any]()
    @volatile var cause: Option[Throwable] = None
    val listener: ActorEvent => Unit =
      case ActorEvent.DeadLetter(_, message, _) => dead.add(message)
      case _                                    => ()
    val system = ActorSystem("closed", listener = listener)
    try
      val actor = spawn(
        Behavior
          .ignore[Int]
          .onSignal { case Signal.PostStop =>
            postStop.countDown()
            Behavior.same
          },
        run = Run.On(pool)
      )(using system)
      spawn(Behavior.setup[Int]:
        context.watch(actor)
        Behavior.ignore[Int].onSignal { case Signal.Terminated(_, why) =>
          cause = why
          ended.countDown()
          Behavior.same
        })(using system)
      actor ! 1
      assert(system.awaitQuiescence(1.minute))
      pool.shutdown()
      actor ! 2
      val isOver = ended.await(1, TimeUnit.MINUTES) && postStop.await(1, TimeUnit.MINUTES)
      assert(isOver)
      assert(cause.exists(_.isInstanceOf[ExecutorFailedException]), cause)
      assert(cause.get.getCause.isInstanceOf[RejectedExecutionException], cause)
      actor ! 3
      assertEquals(dead.asScala.toList, List(2, 3))
      assert(actor.isStopped)
    finally system.close()
    end try
    assert(system.observe.audit.isExact, system.observe.audit)

  private val fatal = Seq(
    InterruptedException("no permit"),
    NoClassDefFoundError("a class"),
    new scala.util.control.ControlThrowable("a break") {},
    AssertionError("a bug"),
    OutOfMemoryError("unable to create a thread")
  )
  for thrown <- fatal do
    test(s"an executor that throws ${thrown.getClass.getSuperclass.getSimpleName}: $thrown"):
      val refuses = java.util.concurrent.atomic.AtomicBoolean(false)
      val executor: Executor = task => if refuses.get then throw thrown else task.run()
      val causes = ConcurrentLinkedQueue[Throwable]()
      val system = ActorSystem(
        "executors",
        listener = {
          case ActorEvent.Failed(_, cause, _) => causes.add(cause): Unit
          case _                              => ()
        }
      )
      given ActorSystem = system
      val actor = spawn(Behavior.ignore[Int], run = Run.On(executor))
      val parent = spawn(Behavior.setup[Int]:
        for _ <- 1 to 5 do spawn(Behavior.ignore[Int], run = Run.On(executor)): Unit
        Behavior.ignore[Int])
      actor ! 1
      assert(system.awaitQuiescence(1.minute))
      refuses.set(true)
      actor ! 2 // the sender does not fail
      assertEquals(Thread.interrupted(), thrown.isInstanceOf[InterruptedException])
      assert(system.shutdown(1.minute, 1.minute))
      assert(actor.isStopped && parent.isStopped)
      assert(system.observe.audit.isExact, s"${system.observe.audit}")
      val failures = causes.asScala.filter(_.isInstanceOf[ExecutorFailedException])
      assert(failures.exists(_.getCause eq thrown), s"$causes")
  end for

  test("a child whose executor is shut down stops with its parent, also by Escalate"):
    val pool = Executors.newFixedThreadPool(1)
    pool.shutdown()
    val system = ActorSystem("parents", listener = _ => ())
    spawn(Behavior.setup[Int]:
      for _ <- 1 to 10 do spawn(Behavior.ignore[Int], run = Run.On(pool)) ! 1
      Behavior.same)(using system): Unit
    for _ <- 1 to 10 do
      spawn(Behavior.setup[Int](Behavior.ignore[Int]), run = Run.On(pool))(using system) ! 1
    val isOver = system.shutdown(1.minute, 1.minute)
    assert(isOver)

  test("a process keeps a thread of its own"):
    val names = ConcurrentLinkedQueue[Boolean]()
    ActorSystem.scoped("processes"):
      spawn(
        Behavior.process[Int] { inbox =>
          val _ = inbox.receive()
          names.add(Thread.currentThread.isVirtual)
        },
        run = Run.On(_.run())
      ) ! 1
    assertEquals(names.asScala.toList, List(true))
end ExecutorTest
