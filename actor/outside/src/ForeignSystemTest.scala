package outside.actor

import java.util.concurrent.atomic.AtomicReference
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import scala.util.Try
import undercroft.actor.*

/** Actors that use another system. */
class ForeignSystemTest extends undercroft.tools.Suite:

  /** The result of `body` in the handler of an actor. */
  private def inActor[A](run: Run)(body: => A): A =
    ActorSystem.scoped("outer"):
      val actor = spawn(
        Behavior.receive[Reply[Try[A]]] { reply =>
          reply ! Try(body)
          Behavior.same
        },
        run = run
      )
      actor.ask[Try[A]](60.seconds)(identity).get

  for run <- Seq(Run.Virtual, Run.Thread, Run.Caller) do
    test(s"an actor can close another system, and use one in a scope, on $run"):
      val system = ActorSystem("foreign")
      assert(inActor(run)(system.shutdown(60.seconds, 60.seconds)))
      assert(system.isStopped)
      val inner = AtomicReference[ActorSystem]()
      assertEquals(
        inActor(run)(ActorSystem.scoped("inner"):
          inner.set(summon[ActorSystem])
          spawn(Behavior.ignore[Int]) ! 1
          42),
        42
      )
      assert(inner.get.isStopped)

  test("on a worker, the shutdown of another system, and a scope, are refused; no system is left"):
    val system = ActorSystem("foreign")
    try
      val shutdown = inActor(Run.Workers)(Try(system.shutdown()))
      assertEquals(message(shutdown), "the shutdown of foreign would block a worker")
      val scope = inActor(Run.Workers)(Try(ActorSystem.scoped("no such system")(())))
      assertEquals(message(scope), "the scope of the system no such system would block a worker")
      val threads = Thread.getAllStackTraces.keySet.asScala.map(_.getName)
      assertEquals(threads.filter(_.startsWith("no such system")).toSeq, Seq.empty)
    finally assert(system.shutdown(60.seconds, 60.seconds))

  private def message(outcome: Try[Any]): String = outcome.failed.get match
    case cause: IllegalStateException => cause.getMessage
    case other                        => fail(s"$other")
end ForeignSystemTest
