package outside.actor

import java.nio.file.Path
import java.util.concurrent.TimeUnit.SECONDS
import scala.concurrent.duration.*
import scala.util.{Failure, Success, Try}
import undercroft.actor.*

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
        case Failure(_: AskTargetStoppedException) => ()
        case other                                 => fail(s"$other")
      val causes = refs.map(ref => Try(ref.isStopped))
      assertEquals(causes.count(_ == Success(true)), limit, "each asker failed, and no other actor")
      assertEquals(system.audit.handled, 0L)
      assertEquals(system.audit.failed, limit.toLong)
      assert(system.shutdown(10.seconds, 30.seconds))
      assert(system.audit.isExact, s"${system.audit}")
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

  test("after a stack overflow in the runtime, new systems work"):
    val java = Path.of(System.getProperty("java.home"), "bin", "java").toString
    val command = Seq(java, "-Xmx256m", "-XX:TieredStopAtLevel=1", "-cp") ++
      Seq(System.getProperty("java.class.path"), "outside.actor.OverflowChild")
    val child = ProcessBuilder(command*).redirectError(ProcessBuilder.Redirect.DISCARD).start()
    try
      assert(child.waitFor(60, SECONDS))
      val lines = String(child.getInputStream.readAllBytes).linesIterator.toSeq
      assert(lines.contains("works"), lines.mkString("\n"))
    finally child.destroyForcibly(): Unit
end NestedAskTest

/** A chain of actors: each asks the next one in its handler. */
object ChainOfAsks:
  final case class Link(number: Int, to: Reply[Int])

  def spawnAll(length: Int, run: Run)(using ActorSystem): IndexedSeq[ActorRef[Link]] =
    val refs = new Array[ActorRef[Link]](length)
    for i <- refs.indices do
      val behavior = Behavior.receive[Link] { case Link(number, to) =>
        if number == length - 1 then to ! 0
        else to ! refs(number + 1).ask[Int](30.seconds)(Link(number + 1, _)) + 1
        Behavior.same
      }
      refs(i) = spawn(behavior, s"link $i", run = run)
    refs.toIndexedSeq

  def ask(refs: IndexedSeq[ActorRef[Link]]): Int = refs(0).ask[Int](30.seconds)(Link(0, _))
end ChainOfAsks

/** Lets the stack of a thread overflow in the runtime, then uses a new system. */
object OverflowChild:
  def main(args: Array[String]): Unit =
    java.util.logging.LogManager.getLogManager.reset() // an overflow leaves its locks locked
    val system = ActorSystem("overflow", listener = _ => ())
    val threads =
      for kilobytes <- 160 to 260 by 5 yield
        val refs = ChainOfAsks.spawnAll(120, Run.Caller)(using system)
        val ask: Runnable = () => println(s"$kilobytes KB: ${Try(ChainOfAsks.ask(refs))}")
        Thread(null, ask, "small stack", kilobytes * 1024L)
    threads.foreach(_.start())
    for thread <- threads do thread.join(500) // an ask whose actor is lost waits longer
    val fresh = ActorSystem("fresh", listener = _ => ())
    val actor = spawn(Behavior.receive[Int](_ => Behavior.stopped))(using fresh)
    actor ! 1
    println(if fresh.shutdown(10.seconds, 10.seconds) then "works" else "does not stop")
    Runtime.getRuntime.halt(0)
end OverflowChild
