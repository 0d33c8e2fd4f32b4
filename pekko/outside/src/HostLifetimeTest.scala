package outside.pekko

import java.util.concurrent.{LinkedBlockingQueue, TimeUnit}
import org.apache.pekko.actor.typed
import org.apache.pekko.actor.typed.SupervisorStrategy
import org.apache.pekko.actor.typed.scaladsl.Behaviors
import scala.concurrent.Await
import undercroft.actor.*
import undercroft.pekko.*

/** Which actor an address stands for, until its end. */
class HostLifetimeTest extends PekkoSuite:

  /** Hosted actors, in the order of their setups. */
  private final class Hosted:
    private val actors = LinkedBlockingQueue[ActorRef[Int]]()
    def behavior: Behavior[Int] = Behavior.setup:
      actors.add(context.self): Unit
      Behavior.ignore[Int]
    def next(): ActorRef[Int] =
      val actor = actors.poll(patience.toMillis, TimeUnit.MILLISECONDS)
      assert(actor != null, "no actor was set up")
      actor.nn

  test("an actor that Pekko has stopped is not kept with its address"):
    pekko:
      val hosted = Hosted()
      val holder = start(Behaviors.setup[String]: context =>
        val child = context.spawn(hosted.behavior.toPekko(), "hosted")
        Behaviors.receiveMessage: _ =>
          context.stop(child)
          Behaviors.same)
      val actor = hosted.next()
      val address = actor.toPekko
      assertEquals(address.toUndercroft, actor)
      holder ! "stop"
      until(address.toUndercroft != actor)
      until(actor.isStopped)
      val stopped = address.toUndercroft
      until(stopped.isStopped)
      assertNotEquals(actor.toPekko, address)

  /** Fails at a negative message, in Pekko's part of the actor. */
  private final class Failing extends typed.BehaviorInterceptor[Int, Int]:
    override def aroundReceive(
        context: typed.TypedActorContext[Int],
        message: Int,
        target: typed.BehaviorInterceptor.ReceiveTarget[Int]
    ): typed.Behavior[Int] =
      if message < 0 then throw IllegalStateException(s"$message") else target(context, message)

  test("a host that Pekko restarts has the address of its new actor, and forgets the former one"):
    pekko:
      val hosted = Hosted()
      val behavior = Behaviors.intercept(() => Failing())(hosted.behavior.toPekko())
      val address = start(
        Behaviors.supervise(behavior).onFailure[IllegalStateException](SupervisorStrategy.restart)
      )
      var former = hosted.next()
      for _ <- 1 to 10 do
        assertEquals(former.toPekko, address)
        address ! -1
        val actor = hosted.next()
        until(former.toPekko != address)
        assertEquals(address.toUndercroft, actor)
        assertEquals(actor.toPekko, address)
        former = actor

  private def watching(ref: ActorRef[Int], notes: Notes)(using ActorScope): Unit =
    spawn(Behavior.setup[Int]:
      context.watch(ref)
      Behavior.receive[Int](_ => Behavior.same).onSignal { case Signal.Terminated(stopped, cause) =>
        notes.add((stopped == ref, cause))
        Behavior.stopped
      }): Unit

  test("a watch of a Pekko actor whose system has ended is a watch of a stopped actor"):
    for isWatchedBefore <- List(false, true) do
      ActorSystem.scoped("watchers"):
        val before = Notes()
        val (late, later) = pekko:
          def silent = start(Behaviors.ignore[Int]).toUndercroft
          if isWatchedBefore then watching(silent, before)
          (silent, silent)
        if isWatchedBefore then assertEquals(before.take(1), List("(true,None)"))
        val notes = Notes()
        watching(late, notes)
        assertEquals(notes.take(1), List("(true,None)"))
        Await.result(later.whenStopped, patience)
        assert(later.isStopped)

  test("a Pekko actor is first seen by Undercroft when its system has ended"):
    val (system, ref) = pekko((summon[typed.ActorSystem[Any]], start(Behaviors.ignore[Int])))
    ActorSystem.scoped("watchers"):
      val notes = Notes()
      watching(ref.toUndercroft(using system), notes)
      assertEquals(notes.take(1), List("(true,None)"))
end HostLifetimeTest
