package outside.actor

import java.util.concurrent.{ConcurrentHashMap, CountDownLatch}
import java.util.concurrent.atomic.{AtomicInteger, LongAdder}
import scala.concurrent.duration.*
import undercroft.actor.*

/** Pools of workers, as the guide uses them and with workers that stop, throw or are too slow. */
class RouterPoolTest extends PatternSuite:

  /** Counts its messages, stops after a negative one and throws at 0. */
  private def counting(handled: LongAdder): Behavior[Int] = Behavior.receive: n =>
    if n == 0 then throw IllegalStateException("a worker was sent 0")
    handled.increment()
    if n < 0 then Behavior.stopped else Behavior.same

  test("a pool that routes by key sends all messages of one key to one worker"):
    withSystem:
      val workersOfKey = ConcurrentHashMap[Int, Set[ActorRef[Int]]]()
      val handled = LongAdder()
      val sums = spawn(
        Router.pool(3, Routing.ByKey[Int](_ % 10)):
          Behavior.setup[Int]:
            val worker = self[Int]
            Behavior.receive: n =>
              handled.increment()
              workersOfKey.merge(n % 10, Set(worker), _ ++ _)
              Behavior.same
        ,
        "sums"
      )
      for n <- 1 to 300 do sums ! n
      quiet()
      assertEquals(handled.sum, 300L)
      assertEquals(workersOfKey.size, 10)
      workersOfKey.forEach((key, workers) => assertEquals(workers.size, 1, s"key $key"))

  test(
    "a pool that routes by key sends messages with equal keys of different classes to one worker"
  ):
    withSystem:
      val workers = 7
      val workersOfKey = ConcurrentHashMap[Int, Set[ActorRef[Any]]]()
      val pool = spawn(
        Router.pool[Any](workers, Routing.ByKey[Any](key => key)):
          Behavior.setup[Any]:
            val worker = self[Any]
            Behavior.receive:
              case n: Int  => workersOfKey.merge(n, Set(worker), _ ++ _); Behavior.same
              case n: Long => workersOfKey.merge(n.toInt, Set(worker), _ ++ _); Behavior.same
              case _       => Behavior.unhandled
        ,
        "pool"
      )
      for n <- 1 to 50 do
        pool ! -n
        pool ! -n.toLong
      quiet()
      assertEquals(workersOfKey.size, 50)
      workersOfKey.forEach((key, chosen) => assertEquals(chosen.size, 1, s"key $key"))

  test("a pool of processes shares its messages out and stops after each process has returned"):
    withSystem:
      val pool = spawn(
        Router.pool[Int](2):
          Behavior.process: inbox =>
            for _ <- 1 to 3 do log.note(s"process:${inbox.receive()}")
        ,
        "processes"
      )
      for n <- 1 to 6 do pool ! n
      until("the pool has stopped")(pool.isStopped)
      assertEquals(notedBy("process").sorted, List(1, 2, 3, 4, 5, 6))
      assertEquals(log.deadLetters, Nil)

  test("the future of a pool's end completes after its last worker has stopped"):
    withSystem:
      val pool = spawn(Router.pool[Int](2)(Behavior.receive(_ => Behavior.stopped)), "stopping")
      val future = pool.whenStopped
      pool ! 1
      assert(!future.isCompleted)
      pool ! 2
      scala.concurrent.Await.result(future, scala.concurrent.duration.Duration(60, "s"))
      assert(pool.isStopped)

  for size <- List(0, -1, Int.MinValue) do
    test(s"a pool of $size workers throws an error with the least size and the given size"):
      val error = intercept[IllegalArgumentException](Router.pool(size)(Behavior.ignore[Int]))
      assertEquals(error.getMessage, s"size must be at least 1, but is $size")

  test("a router without a behavior for its workers fails when it is spawned, and stops"):
    withSystem:
      val router = spawn(Router.pool[Int](2)(null), "router")
      until("the router has stopped")(router.isStopped)
      assertEquals(
        log.failures.map(_.getMessage),
        List("the behavior of an actor of patterns is null")
      )

  test("a router without a routing fails when it is spawned, and stops its workers"):
    withSystem:
      val router = spawn(Router.pool[Int](2, null)(Behavior.ignore[Int]), "router")
      until("the router has stopped")(router.isStopped)
      assertEquals(log.failures.map(_.getClass.getName), List("java.lang.NullPointerException"))
      assertEquals(system.observe.tree.rows, Vector())

  test("each message that threads send while workers stop is handled or a dead letter"):
    for round <- 1 to 20 do
      withSystem:
        val handled = LongAdder()
        val pool = spawn(Router.pool(4)(counting(handled)), "pool")
        together(4): thread =>
          for n <- 1 to 500 do pool ! (if n == 100 && thread > 0 then -1 else n)
        quiet()
        val dead = log.deadLetters
        assertEquals(handled.sum + dead.size, 2000L, s"round $round")
        assertEquals(dead.map(_._2).toSet.filter(_ != DeadLetterReason.Stopped), Set())
        assert(!pool.isStopped, "one of four workers was not stopped")
        // The worker that is left has every message.
        val before = handled.sum
        for n <- 1 to 10 do pool ! n
        quiet()
        assertEquals(handled.sum, before + 10, s"round $round")

  test("a router whose last worker stopped stops, and a later message is a dead letter"):
    withSystem:
      val pool = spawn(Router.pool(2)(counting(LongAdder())), "pool")
      for _ <- 1 to 2 do pool ! -1
      until("the pool has stopped")(pool.isStopped)
      pool ! 7
      assertEquals(log.deadLetters, List((7, DeadLetterReason.Stopped)))

  test("an ask of a router whose last worker stopped fails at once with the name of the router"):
    withSystem:
      val pool = spawn(
        Router.pool[Reply[Int]](1)(Behavior.receive(_ => Behavior.stopped)),
        "pool"
      )
      intercept[AskTargetStoppedException](pool.ask[Int](1.minute)(identity)): Unit
      until("the pool has stopped")(pool.isStopped)
      val error = intercept[AskTargetStoppedException](pool.ask[Int](1.minute)(identity))
      assertEquals(error.getMessage, "pool stopped before it handled the ask")

  test("a worker that throws leaves the pool, and the other workers handle all later messages"):
    withSystem:
      val handled = LongAdder()
      val pool = spawn(Router.pool(3)(counting(handled)), "pool")
      pool ! 0
      until("the worker has stopped")(system.observe.tree.rows.size == 3)
      for n <- 1 to 100 do pool ! n
      quiet()
      assertEquals(log.failures.map(_.getMessage), List("a worker was sent 0"))
      assertEquals((handled.sum, system.observe.audit.failed), (100L, 1L))

  test("a supervised worker that throws restarts and stays in the pool"):
    withSystem:
      val handled = LongAdder()
      val worker = counting(handled).supervised { case _ => Supervision.Restart() }
      val pool = spawn(Router.pool(3)(worker), "pool")
      for n <- 0 until 3 do pool ! 0
      for n <- 1 to 99 do pool ! n
      quiet()
      assertEquals(system.observe.tree.rows.map(_.handled), Vector(102L, 33L, 33L, 33L))
      assertEquals(system.observe.tree.rows.map(_.restarts), Vector(0L, 1L, 1L, 1L))

  test("a pool whose workers all fail in their setup stops"):
    withSystem:
      val failing = Behavior.setup[Int](throw IllegalStateException("no database"))
      val pool = spawn(Router.pool(3)(failing), "pool")
      until("the pool has stopped")(pool.isStopped)
      assertEquals(log.failures.map(_.getMessage), List.fill(3)("no database"))

  test("a router whose key function throws stops with its workers"):
    withSystem:
      val failing = Routing.ByKey[Int](n => 100 / n)
      val handled = LongAdder()
      val pool = spawn(Router.pool(3, failing)(counting(handled)), "pool")
      pool ! 5
      quiet() // a worker that is stopped does not handle the messages that wait
      pool ! 0
      until("the pool has stopped")(pool.isStopped)
      assertEquals(log.failures.map(_.getMessage), List("/ by zero"))
      assertEquals(handled.sum, 1L)
      assertEquals(system.observe.tree.rows, Vector())

  test("a router that resumes routes the messages after the one whose key function throws"):
    withSystem:
      val handled = LongAdder()
      val pool = spawn(
        Router.pool(3, Routing.ByKey[Int](n => 100 / n))(counting(handled)).supervised:
          case _ => Supervision.Resume
        ,
        "pool"
      )
      for n <- List(1, 0, 2, 0, 3) do pool ! n
      quiet()
      assertEquals(log.failures.map(_.getMessage), List.fill(2)("/ by zero"))
      assertEquals(handled.sum, 3L)

  test("a key function that returns null routes its messages to one worker"):
    withSystem:
      val routing = Routing.ByKey[Int](_ => null)
      val pool = spawn(Router.pool(3, routing)(counting(LongAdder())), "pool")
      for n <- 1 to 30 do pool ! n
      quiet()
      assertEquals(system.observe.tree.rows.map(_.handled).toList.sorted, List(0L, 0L, 30L, 30L))

  test("workers whose mailboxes make the router wait lose no message"):
    withSystem:
      val (gate, entry) = (CountDownLatch(1), CountDownLatch(1))
      val handled = AtomicInteger()
      val slow = Behavior.receive[Int]: _ =>
        entry.countDown()
        gate.await()
        handled.incrementAndGet(): Unit
        Behavior.same
      val pool = spawn(
        Router.pool(2, run = Run.Virtual, mailbox = Mailbox(4, Overflow.Backpressure))(slow),
        "pool"
      )
      for n <- 1 to 1000 do pool ! n
      await(entry)
      gate.countDown()
      quiet()
      assertEquals(handled.get, 1000)
      assertEquals(log.deadLetters, Nil)

  test("messages beyond the mailboxes of a broadcasting pool's workers are dead letters of each"):
    withSystem:
      val gate = CountDownLatch(1)
      val handled = LongAdder()
      val entries = CountDownLatch(2)
      val slow = Behavior.receive[Int]: _ =>
        entries.countDown()
        gate.await()
        handled.increment()
        Behavior.same
      val pool = spawn(
        Router.pool(2, Routing.Broadcast, Run.Virtual, Mailbox(4))(slow),
        "pool"
      )
      pool ! 1
      await(entries)
      for n <- 2 to 101 do pool ! n
      until("the router has handled them")(system.observe.auditOf(pool).handled == 101)
      gate.countDown()
      quiet()
      val dead = log.deadLetters
      assertEquals(dead.map(_._2).toSet, Set(DeadLetterReason.Full))
      assertEquals(handled.sum + dead.size, 202L)
      assert(handled.sum <= 12, s"${handled.sum} were handled") // one, four and one more of each
      assertEquals(log.failures, Nil)
end RouterPoolTest
