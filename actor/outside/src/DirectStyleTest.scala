package outside.actor

import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.locks.LockSupport
import ox.{fork, par, raceSuccess, supervised, timeoutOption, useCloseableInScope}
import scala.concurrent.duration.*
import undercroft.actor.*

/** Asks in direct style: in the scopes of ox, and on threads that are interrupted. */
class DirectStyleTest extends undercroft.tools.Suite:

  private enum Desk derives CanEqual:
    case Echo(number: Int, to: Reply[Int])
    case Keep(to: Reply[Int])
    case Kept(to: Reply[Int])
    case Open(to: Reply[Int])
    case ReplyAll

  /** Replies at once to `Echo`, and to `Keep` by `ReplyAll`. */
  private def desk(run: Run = Run.Workers)(using ActorSystem): ActorRef[Desk] =
    spawn(
      Behavior.setup:
        var kept = Vector.empty[Reply[Int]]
        Behavior.receive[Desk]:
          case Desk.Echo(number, to) => to ! number; Behavior.same
          case Desk.Keep(to)         => kept :+= to; Behavior.same
          case Desk.Kept(to)         => to ! kept.size; Behavior.same
          case Desk.Open(to)         => to ! kept.count(_.isOpen); Behavior.same
          case Desk.ReplyAll         => kept.foreach(_ ! 1); Behavior.same
      ,
      run = run
    )

  private def count(desk: ActorRef[Desk])(message: Reply[Int] => Desk): Int =
    desk.ask[Int](1.minute)(message)

  private def until(condition: => Boolean): Unit =
    val end = System.nanoTime + 60_000_000_000L
    while !condition && System.nanoTime < end do LockSupport.parkNanos(1_000_000)
    assert(condition)

  /** Starts a thread that asks for a reply that does not come, and interrupts it. */
  private def interruptAnAsk(start: Thread.Builder, desk: ActorRef[Desk]): (Throwable, Boolean) =
    val result = CompletableFuture[(Throwable, Boolean)]()
    val thread = start
      .start(() =>
        try result.completeExceptionally(AssertionError(s"${count(desk)(Desk.Keep(_))}")): Unit
        catch
          case error: Throwable =>
            result.complete((error, Thread.currentThread.isInterrupted)): Unit
      )
    until(count(desk)(Desk.Kept(_)) == 1)
    thread.interrupt()
    result.get(60, SECONDS)

  for (kind, start) <- Seq("a platform" -> Thread.ofPlatform, "a virtual" -> Thread.ofVirtual) do
    test(s"an interrupt of $kind thread ends its ask, and a late reply is a dead letter"):
      val deadLetters = java.util.concurrent.ConcurrentLinkedQueue[String]()
      val system = ActorSystem(
        "desks",
        listener = {
          case ActorEvent.DeadLetter(_, message, reason) =>
            deadLetters.add(s"$message $reason"): Unit
          case _ => ()
        }
      )
      try
        given ActorSystem = system
        val target = desk()
        val (error, isInterrupted) = interruptAnAsk(start, target)
        error match
          case interrupt: InterruptedException =>
            assertEquals(interrupt.getMessage, s"the ask of ${target.name} was interrupted")
          case other => fail(s"$other")
        assert(!isInterrupted, "the exception stands for the interrupt, so its status is clear")
        assertEquals(count(target)(Desk.Open(_)), 0)
        target ! Desk.ReplyAll
        assertEquals(count(target)(Desk.Kept(_)), 1)
        assertEquals(deadLetters.toArray.toSeq, Seq("1 AskEnded"))
      finally system.close()
  end for

  test("an interrupt before the call ends the ask, too"):
    supervised:
      given ActorSystem = useCloseableInScope(ActorSystem("desks"))
      val target = desk()
      fork:
        Thread.currentThread.interrupt()
        val isInterrupted =
          try count(target)(Desk.Keep(_)) < 0
          catch case _: InterruptedException => true // which munit's intercept does not catch
        assert(isInterrupted)
        assert(!Thread.interrupted())
        assertEquals(count(target)(Desk.Echo(7, _)), 7)
      .join()

  test("a reply that arrived wins over an interrupt, whose status remains"):
    supervised:
      given ActorSystem = useCloseableInScope(ActorSystem("desks"))
      val target = desk()
      fork:
        val own = Thread.currentThread
        val reply = target.ask[Int](1.minute): to =>
          to ! 5
          own.interrupt()
          Desk.Keep(to)
        assertEquals(reply, 5)
        assert(Thread.interrupted())
      .join()

  for run <- Seq(Run.Workers, Run.Virtual, Run.Thread) do
    test(s"a scope that ends by an exception cancels the asks of its forks: $run"):
      supervised:
        given ActorSystem = useCloseableInScope(ActorSystem("desks"))
        val target = desk(run)
        val failure = intercept[IllegalStateException](supervised {
          val asks = Vector.fill(20)(fork(count(target)(Desk.Keep(_))))
          until(count(target)(Desk.Kept(_)) == 20)
          assertEquals(count(target)(Desk.Open(_)), 20)
          if asks.size == 20 then throw IllegalStateException("the work ends here")
        })
        assertEquals(failure.getMessage, "the work ends here")
        assertEquals(count(target)(Desk.Open(_)), 0)

  test("a time limit of ox cancels an ask; the limit of the ask itself is an exception"):
    supervised:
      given ActorSystem = useCloseableInScope(ActorSystem("desks"))
      val target = desk()
      assertEquals(timeoutOption(100.millis)(count(target)(Desk.Keep(_))), None)
      until(count(target)(Desk.Open(_)) == 0)
      intercept[AskTimeoutException](target.ask[Int](100.millis)(Desk.Keep(_))): Unit

  test("asks of many forks get their own replies, and the slower of two asks is canceled"):
    supervised:
      given ActorSystem = useCloseableInScope(ActorSystem("desks"))
      val (one, two) = (desk(), desk(Run.Virtual))
      val replies = par(Vector.tabulate(1000)(n => () => count(one)(Desk.Echo(n, _))))
      assertEquals(replies, Vector.range(0, 1000))
      for n <- 1 to 100 do
        val first = raceSuccess(count(one)(Desk.Keep(_)), count(two)(Desk.Echo(n, _)))
        assertEquals(first, n)
      assertEquals(count(one)(Desk.Open(_)), 0)

  test("a child that waits in an ask is interrupted when its system shuts down"):
    val error = CompletableFuture[Throwable]()
    val system = ActorSystem("desks", listener = _ => ())
    try
      given ActorSystem = system
      val target = desk()
      spawn(
        Behavior.process[Int]: _ =>
          try count(target)(Desk.Keep(_)): Unit
          catch case cause: Throwable => error.complete(cause): Unit
      ): Unit
      until(count(target)(Desk.Kept(_)) == 1)
    finally system.shutdown(drain = 10.millis): Unit
    assert(error.isDone)
end DirectStyleTest
