package outside.actor

import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit.SECONDS
import scala.concurrent.Future
import scala.concurrent.duration.*
import scala.util.Try
import undercroft.actor.*
import undercroft.actor.testkit.*

class StashTest extends undercroft.tools.Suite:

  test("a pool serves as many stashed queries as connections return, in their order"):
    ActorSystem.scoped("pool"):
      var served = Vector.empty[String]
      val pool = spawn(Behavior.setup[String | Reply[Vector[String]]]:
        var free = 1
        Behavior.receive:
          case "returned" =>
            free += 1
            context.unstash(1)
            Behavior.same
          case query: String =>
            if free == 0 then context.stash()
            else
              free -= 1
              served :+= query
            Behavior.same
          case reply: Reply[Vector[String]] @unchecked =>
            reply ! served
            Behavior.same)
      def seen = pool.ask[Vector[String]](1.minute)(reply => reply)
      for query <- List("a", "b", "c") do pool ! query
      assertEquals(seen, Vector("a"))
      pool ! "returned"
      assertEquals(seen, Vector("a", "b"))
      for _ <- 1 to 3 do pool ! "returned"
      assertEquals(seen, Vector("a", "b", "c"))

  /** Stashes 1 to 6 until it gets 0; then `handle` gets them. Returns the order in which it did. */
  private def orderOf(atStart: Int)(handle: Int => ActorContext[Int] ?=> Boolean): Vector[Int] =
    val seen = Vector.newBuilder[Int]
    val done = CountDownLatch(6)
    ActorSystem.scoped("numbers"):
      def open: Behavior[Int] = Behavior.setup:
        Behavior.receive: n =>
          if handle(n) then
            seen += n
            done.countDown()
          else context.stash()
          Behavior.same
      val actor = spawn(Behavior.setup[Int]:
        Behavior.receive: n =>
          if n == 0 then
            context.unstash(atStart)
            open
          else
            context.stash()
            Behavior.same)
      for n <- List(1, 2, 3, 4, 5, 6, 0) do actor ! n
      assert(done.await(60, SECONDS))
    seen.result()
  end orderOf

  test("decisions about a failure have no current message to stash"):
    simulate(seeds = 20):
      val seen = Probe[Int]()
      val outcomes = Probe[String]()
      val behavior = Behavior.setup[Int]:
        def stash(): Unit =
          outcomes.ref ! Try(context[Int].stash()).fold(_.getMessage, _ => "stashed")
        Behavior
          .receive[Int] { n =>
            if n == 1 then throw IllegalStateException("a test")
            seen.ref ! n
            Behavior.same
          }
          .onMessageFailure { case _ =>
            stash()
            MessageFailure.Drop
          }
          .supervised { case _ =>
            stash()
            Supervision.Resume
          }
      val actor = spawn(behavior, "numbers")
      for n <- 1 to 3 do actor ! n
      simulation.runUntilIdle()
      assertEquals(seen.received, Vector(2, 3))
      assertEquals(outcomes.received, Vector.fill(2)("numbers has no current message to stash"))
      assertEquals(simulation.system.observe.audit.stashed, 0L)

  test("messages that a decision to resume unstashes are handled at once"):
    simulate(seeds = 20):
      val seen = Probe[Int]()
      val behavior = Behavior.setup[Int]:
        var isOpen = false
        Behavior
          .receive[Int] { n =>
            if n == 0 then throw IllegalStateException("a test")
            if isOpen then seen.ref ! n else context[Int].stash()
            Behavior.same
          }
          .supervised { case _ =>
            isOpen = true
            context[Int].unstashAll()
            Supervision.Resume
          }
      val actor = spawn(behavior)
      for n <- List(1, 2, 0) do actor ! n
      simulation.runUntilIdle()
      assertEquals(seen.received, Vector(1, 2))
      assert(simulation.system.observe.audit.isExact)

  test("messages that are unstashed in parts keep their order"):
    val whole = Vector(1, 2, 3, 4, 5, 6)
    val all = orderOf(2): n =>
      if n == 1 then context.unstashAll()
      true
    assertEquals(all, whole)
    val oneByOne = orderOf(2): _ =>
      context.unstash(1)
      true
    assertEquals(oneByOne, whole)
    val growing = orderOf(1): n =>
      context.unstash(n)
      true
    assertEquals(growing, whole)

  test("a message that is stashed again stays the oldest one"):
    var isFirst = true
    val again = orderOf(3): n =>
      val isNow = n != 1 || !isFirst
      if n == 1 then isFirst = false
      if n == 2 then context.unstashAll() // 1 is due before 3, and 4 to 6 after it
      isNow
    assertEquals(again, Vector(2, 1, 3, 4, 5, 6))

  test("a message that is retried and stashed again keeps its place"):
    val seen = Vector.newBuilder[Int]
    val done = CountDownLatch(3)
    ActorSystem.scoped("numbers", listener = _ => ()):
      var hasFailed, isOpen, isUnstashed = false
      val actor = spawn(
        Behavior
          .setup[Int]:
            Behavior.receive: n =>
              if n == 0 then
                isUnstashed = true
                context.unstashAll()
              else if n == 9 then
                isOpen = true
                context.unstashAll()
              else if n == 1 && isUnstashed && !hasFailed then
                hasFailed = true
                throw IllegalStateException("once")
              else if isOpen then
                seen += n
                done.countDown()
              else context.stash()
              Behavior.same
          .supervised { case _ => Supervision.Resume }
          .onMessageFailure { case _ => MessageFailure.Retry(3) }
      )
      for n <- List(1, 2, 3, 0, 9) do actor ! n
      assert(done.await(60, SECONDS))
    assertEquals(seen.result(), Vector(1, 2, 3))

  test("the result of a future that is stashed is converted once"):
    var conversions = 0
    var seen = Vector.empty[Int]
    ActorSystem.scoped("numbers"):
      val behavior = Behavior.setup[Int]:
        var isOpen = false
        context[Int].pipeToSelf(Future.successful(7)): result =>
          conversions += 1
          result.get
        Behavior.receive: n =>
          if n == 0 then
            isOpen = true
            context[Int].unstashAll()
          else if isOpen then seen :+= n
          else context[Int].stash()
          Behavior.same
      val actor = spawn(behavior, run = Run.Caller) // so the result comes first
      actor ! 0
      assert(summon[ActorSystem].awaitQuiescence(1.minute))
    assertEquals((seen, conversions), (Vector(7), 1))

  test("random parts of a stash, with messages that are stashed again, keep the order of the rest"):
    val seed = System.nanoTime
    val random = scala.util.Random(seed)
    for _ <- 1 to 50 do
      val postponed = random.shuffle(Vector(1, 2, 3, 4, 5, 6)).take(2).toSet
      var isFirst = postponed
      val order = orderOf(1 + random.nextInt(3)): n =>
        val isNow = !isFirst(n)
        isFirst -= n
        context.unstash(1 + random.nextInt(3))
        isNow
      val rest = order.filterNot(postponed)
      assertEquals(rest, rest.sorted, s"seed $seed, postponed $postponed, order $order")

  test("a process that waits for one kind of message in time keeps the others"):
    ActorSystem.scoped("office"):
      val process = spawn(Behavior.process[Int | String | Reply[String]]: inbox =>
        val none = inbox.receiveFirst(1.milli) { case n: Int if n < 0 => n }
        val number = inbox.receiveFirst(1.minute) { case n: Int => n }
        val text = inbox.receiveFirst(1.minute) { case s: String => s }
        inbox.receiveFirst { case reply: Reply[String] @unchecked =>
          reply
        } ! s"$none $number $text")
      process ! "page"
      process ! 3
      assertEquals(process.ask[String](1.minute)(reply => reply), "None Some(3) Some(page)")
end StashTest
