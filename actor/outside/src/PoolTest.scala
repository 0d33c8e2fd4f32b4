package outside.actor

import java.util.concurrent.{ConcurrentHashMap, ConcurrentLinkedQueue, CountDownLatch, TimeUnit}
import scala.concurrent.{Await, blocking}
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import undercroft.actor.*
import undercroft.struct.Struct

/** Named pools of workers. */
class PoolTest extends undercroft.tools.Suite:
  private val io = Run.Pool("io")

  private def namer: Behavior[Reply[String]] = Behavior.receive: reply =>
    reply ! Thread.currentThread.getName
    Behavior.same

  private def threadOf(actor: ActorRef[Reply[String]]): String =
    actor.ask[String](1.minute)(identity)

  test("an actor runs on the threads of its pool, and its children where they are spawned"):
    ActorSystem.scoped("town", workers = 1, pools = Map("io" -> 1, "other" -> 2)):
      assertEquals(threadOf(spawn(namer)), "town-worker-0")
      assertEquals(threadOf(spawn(namer, run = io)), "town-io-worker-0")
      assert(threadOf(spawn(namer, run = Run.Pool("other"))).startsWith("town-other-worker-"))
      val parent = spawn(
        Behavior.setup[Reply[(String, String)]] {
          val (inner, outer) = (spawn(namer, run = io), spawn(namer))
          Behavior.receive: reply =>
            given scala.concurrent.ExecutionContext = scala.concurrent.ExecutionContext.global
            for
              first <- inner.askAsync[String](1.minute)(identity)
              second <- outer.askAsync[String](1.minute)(identity)
            do reply ! (first, second)
            Behavior.same
        },
        run = io
      )
      assertEquals(
        parent.ask[(String, String)](1.minute)(identity),
        ("town-io-worker-0", "town-worker-0")
      )

  test("a pool whose workers are all occupied does not keep another pool waiting"):
    val mayEnd = CountDownLatch(1)
    ActorSystem.scoped("town", workers = 1, listener = _ => (), pools = Map("io" -> 1)):
      val isBusy = CountDownLatch(1)
      spawn(
        Behavior.receive[Int] { _ =>
          isBusy.countDown()
          mayEnd.await() // undeclared
          Behavior.same
        },
        run = io
      ) ! 1
      assert(isBusy.await(1, TimeUnit.MINUTES))
      assertEquals(threadOf(spawn(namer)), "town-worker-0")
      mayEnd.countDown()

  test("a handler of a pool that declares that it blocks hands its actors to a worker of the pool"):
    ActorSystem.scoped("town", workers = 1, pools = Map("io" -> 1)):
      val (isBusy, mayEnd) = (CountDownLatch(1), CountDownLatch(1))
      spawn(
        Behavior.receive[Int] { _ =>
          isBusy.countDown()
          blocking(mayEnd.await())
          Behavior.same
        },
        run = io
      ) ! 1
      assert(isBusy.await(1, TimeUnit.MINUTES))
      assertEquals(threadOf(spawn(namer, run = io)), "town-io-worker-1")
      mayEnd.countDown()

  test("an ask in a handler of a pool is rejected as on the workers, and a stall is reported"):
    val stalls = ConcurrentLinkedQueue[String]()
    val hasStalled = CountDownLatch(1)
    val listener: ActorEvent => Unit =
      case ActorEvent.Stalled(actor, _, _, _) =>
        stalls.add(actor.name)
        if actor.name == "slow" then hasStalled.countDown()
      case _ => ()
    ActorSystem.scoped("town", 1, listener, pools = Map("io" -> 1)):
      val other = spawn(namer)
      val asker = spawn(
        Behavior.receive[Reply[String]] { reply =>
          reply ! intercept[IllegalStateException](threadOf(other)).getMessage
          Behavior.same
        },
        run = io
      )
      val error = threadOf(asker)
      assert(error.endsWith("would block a worker: use askAsync"), error)
      spawn(
        Behavior.receive[Int] { _ =>
          // Not in an assert, as MUnit holds a lock in each.
          hasStalled.await(1, TimeUnit.MINUTES): Unit
          Behavior.same
        },
        "slow",
        io
      ) ! 1
      assert(summon[ActorSystem].awaitQuiescence(1.minute))
      // A loaded machine may stop another handler for as long.
      assertEquals(stalls.asScala.count(_ == "slow"), 1, s"$stalls")

  test("a system without the pool rejects the spawn, and names its pools"):
    ActorSystem.scoped("town", pools = Map("io" -> 1, "cpu" -> 2)):
      val error = intercept[IllegalArgumentException](spawn(namer, run = Run.Pool("disk")))
      assertEquals(error.getMessage, "town has no pool 'disk'; its pools: cpu, io")
      assertEquals(summon[ActorSystem].observe.tree.rows.size, 0)
    ActorSystem.scoped("village"):
      val error = intercept[IllegalArgumentException](spawn(namer, run = io))
      assertEquals(error.getMessage, "village has no pool 'io'; its pools: it has none")

  test("a system without the pool rejects the spawn of a process, too"):
    ActorSystem.scoped("town", pools = Map("io" -> 1)):
      val process = Behavior.process[Int](_ => ())
      val error = intercept[IllegalArgumentException](spawn(process, run = Run.Pool("disk")))
      assertEquals(error.getMessage, "town has no pool 'disk'; its pools: io")
      assertEquals(summon[ActorSystem].observe.tree.rows.size, 0)

  test("a pool without threads is an error"):
    val error = intercept[IllegalArgumentException](ActorSystem("town", pools = Map("io" -> 0)))
    assertEquals(error.getMessage, "the pool 'io' must have at least 1 thread, but has 0")

  test("the threads of all pools end with the system"):
    val system = ActorSystem("ending", 1, pools = Map("io" -> 2))
    val threads = ConcurrentHashMap.newKeySet[Thread]()
    for run <- List(Run.Workers, io, io) do
      spawn(
        Behavior.setup[Int] {
          threads.add(Thread.currentThread)
          Behavior.ignore
        },
        run = run
      )(using system)
    assert(system.awaitQuiescence(1.minute))
    assert(threads.size >= 2)
    assert(system.shutdown(1.minute, 1.minute))
    assert(system.observe.audit.isExact && system.isStopped)
    assert(threads.asScala.forall(!_.isAlive), threads.toString)

  enum Hop derives Struct, CanEqual:
    case Token(left: Int, sum: Long)

  test("struct messages cross pools in their order, and the audit counts them"):
    val sums = ConcurrentLinkedQueue[Long]()
    ActorSystem.scoped("ring", workers = 2, pools = Map("io" -> 2, "cpu" -> 1)):
      val system = summon[ActorSystem]
      val runs = Vector(Run.Workers, io, io, Run.Pool("cpu"), Run.Virtual, Run.Workers)
      def node(next: => ActorRef[Hop]): Behavior[Hop] = Behavior.receive:
        case Hop.Token(0, sum)    => sums.add(sum); Behavior.same
        case Hop.Token(left, sum) => next ! Hop.Token(left - 1, sum + left); Behavior.same
      lazy val nodes: Vector[ActorRef[Hop]] = Vector.tabulate(60): i =>
        spawn(node(nodes((i + 1) % 60)), run = runs(i % runs.size))
      val hops = 20_000
      for i <- 0 until 20 do nodes(i) ! Hop.Token(hops, 0)
      assert(system.awaitQuiescence(1.minute))
      assertEquals(sums.asScala.toVector, Vector.fill(20)(hops * (hops + 1L) / 2))
      assertEquals(system.observe.audit.handled, 20L * (hops + 1))
      assert(system.observe.audit.isExact)
end PoolTest
