package outside.actor

import scala.concurrent.duration.*
import scala.util.{Failure, Success, Try}
import undercroft.actor.*
import undercroft.tools.ForkedJvm

/** Asks in the handlers of asked actors, on one thread. */
class NestedAskTest extends undercroft.tools.Suite:
  private val runs = Seq("Run.Caller" -> Run.Caller, "a direct executor" -> Run.On(_.run()))

  for (label, run) <- runs do
    test(s"on $label, a chain of asks up to the limit has a reply"):
      ActorSystem.scoped("chain"):
        val length = ActorSystem.NestedAskLimit
        assertEquals(ChainOfAsks.ask(ChainOfAsks.spawnAll(length, run)), length - 1)

    test(s"on $label, the ask beyond the limit throws, nothing is sent, and the system stops"):
      val system = ActorSystem("chain", listener = _ => ())
      given ActorSystem = system
      val limit = ActorSystem.NestedAskLimit
      val length = 3000
      val refs = ChainOfAsks.spawnAll(length, run)
      Try(ChainOfAsks.ask(refs)) match
        case Failure(_: AskFailedException) => ()
        case other                          => fail(s"$other")
      val causes = refs.map(ref => Try(ref.isStopped))
      assertEquals(causes.count(_ == Success(true)), limit, "each asker failed, and no other actor")
      assertEquals(system.observe.audit.handled, 0L)
      assertEquals(system.observe.audit.failed, limit.toLong)
      assert(system.shutdown(1.minute, 1.minute))
      assert(system.observe.audit.isExact, s"${system.observe.audit}")
  end for

  test("the exception states the actor, the number of asks and the limit"):
    val causes = java.util.concurrent.ConcurrentLinkedQueue[Throwable]()
    ActorSystem.scoped(
      "chain",
      listener = {
        case ActorEvent.Failed(_, cause, _) => causes.add(cause): Unit
        case _                              => ()
      }
    )(Try(ChainOfAsks.ask(ChainOfAsks.spawnAll(ActorSystem.NestedAskLimit + 1, Run.Caller))): Unit)
    causes.peek match
      case cause: AskNestingException =>
        assertEquals(
          cause.getMessage,
          "an ask of link 128 would be nested in 128 asks of this thread; allowed: less than 128"
        )
      case other => fail(s"$other")

  for run <- Seq("caller", "executor") do
    test(
      s"after stack overflows in the runtime, on the $run, each thread ends and new systems work"
    ):
      val flags = ForkedJvm.Granted :+ "-XX:TieredStopAtLevel=1"
      val jvm = ForkedJvm.run("outside.actor.OverflowChild", flags, Seq(run))
      assert(jvm.output.contains("all threads ended, a new system works"), jvm.output)
end NestedAskTest

/** A chain of actors: each asks the next one in its handler. */
object ChainOfAsks:
  final case class Link(number: Int, to: Reply[Int])

  def spawnAll(length: Int, run: Run)(using ActorSystem): IndexedSeq[ActorRef[Link]] =
    val refs = new Array[ActorRef[Link]](length)
    for i <- refs.indices do
      val behavior = Behavior.receive[Link] { case Link(number, to) =>
        if number == length - 1 then to ! 0
        else to ! refs(number + 1).ask[Int](3.minutes)(Link(number + 1, _)) + 1
        Behavior.same
      }
      refs(i) = spawn(behavior, s"link $i", run = run)
    refs.toIndexedSeq

  def ask(refs: IndexedSeq[ActorRef[Link]]): Int = refs(0).ask[Int](3.minutes)(Link(0, _))
end ChainOfAsks

/** Lets the stacks of threads overflow in the runtime, then uses a new system. */
object OverflowChild:
  def main(args: Array[String]): Unit =
    java.util.logging.LogManager.getLogManager.reset() // an overflow leaves its locks locked
    val run = if args.head == "caller" then Run.Caller else Run.On(_.run())
    val system = ActorSystem("overflow", listener = _ => ())
    val threads =
      for kilobytes <- 160 to 260 by 5 yield
        val refs = ChainOfAsks.spawnAll(120, run)(using system)
        val ask: Runnable = () => println(s"$kilobytes KB: ${Try(ChainOfAsks.ask(refs))}")
        Thread(null, ask, "small stack", kilobytes * 1024L)
    threads.foreach(_.start())
    val until = System.nanoTime + 60_000_000_000L // an ask whose actor is lost waits longer
    for thread <- threads do thread.join(math.max(1L, (until - System.nanoTime) / 1_000_000))
    val left = threads.count(_.isAlive)
    val fresh = ActorSystem("fresh", listener = _ => ())
    val actor = spawn(Behavior.receive[Int](_ => Behavior.stopped))(using fresh)
    actor ! 1
    val works = fresh.shutdown(1.minute, 1.minute)
    if works && left == 0 then println("all threads ended, a new system works")
    else println(s"$left threads run, works: $works")
    Runtime.getRuntime.halt(0)
  end main
end OverflowChild
