package outside.actor

import java.lang.ref.WeakReference
import scala.concurrent.duration.*
import undercroft.actor.*

/** A stopped actor retains no memory except its own small object. */
class StoppedActorMemoryTest extends undercroft.tools.Suite:
  private val Count = 200

  /** Runs the garbage collector until at most `rest` of the objects are reachable, for at most 30
    * seconds.
    */
  private def assertCollected(kind: String, objects: Seq[WeakReference[?]], rest: Int)(using
      munit.Location
  ): Unit =
    val end = System.nanoTime + 30.seconds.toNanos
    def left = objects.count(_.get != null)
    System.gc()
    while left > rest && System.nanoTime < end do
      System.gc()
      Thread.`yield`()
    assert(left <= rest, s"$left of ${objects.size} $kind are reachable")

  private def withSystem(body: ActorSystem ?=> Unit): Unit =
    ActorSystem.scoped("memory", workers = 1)(body)

  private def quiet(using system: ActorSystem): Unit = assert(system.awaitQuiescence(1.minute))

  for run <- Run.standard do
    test(s"a watched actor does not retain watchers that stopped ($run)"):
      withSystem:
        val server = spawn(Behavior.receive[Int](_ => Behavior.same), "server", run)
        val sessions = Vector.fill(Count):
          val session = spawn(
            Behavior.setup[Int]:
              context[Int].watch(server)
              Behavior.receive[Int](_ => Behavior.stopped)
            ,
            run = run
          )
          session ! 0
          WeakReference(session)
        quiet
        assertCollected("watchers", sessions, rest = 2)
        assert(!server.isStopped)

    test(s"a reference to a stopped actor retains none of its state ($run)"):
      withSystem:
        val bystander = spawn(Behavior.receive[Int](_ => Behavior.same), "other", run)
        val states = Vector.newBuilder[WeakReference[?]]
        val refs = Vector.fill(Count):
          val state = new Array[Byte](1000)
          states += WeakReference(state)
          spawn(statefulBehavior(state, bystander), run = run)
        for ref <- refs do ref ! 1
        for ref <- refs do ref ! 0
        quiet
        assert(refs.forall(_.isStopped))
        assertCollected("states", states.result(), rest = 2)
        // Keeps the references reachable until here.
        assertEquals(refs.map(_.name).toSet.size, Count)
  end for

  private def statefulBehavior(state: Array[Byte], bystander: ActorRef[Int]): Behavior[Int] =
    Behavior
      .setup[Int]:
        context[Int].watchWith(bystander, state.length)
        context[Int].startSingleTimer(state, 1, 1.hour)
        Behavior.receive[Int]: n =>
          state(n) = 1
          if n == 0 then Behavior.stopped else Behavior.same
        .onSignal { case _ => if state(0) < 0 then Behavior.stopped else Behavior.same }
      .supervised { case _ if state(0) < 0 => Supervision.Restart() }

  test("an idle actor does not retain the message that it handled last"):
    withSystem:
      val messages = Vector.newBuilder[WeakReference[?]]
      val refs = Vector.fill(Count):
        val message = new Array[Byte](1000)
        messages += WeakReference(message)
        val ref = spawn(Behavior.receive[Array[Byte]](_ => Behavior.same))
        ref ! message
        ref
      quiet
      assertCollected("messages", messages.result(), rest = 2)
      assert(refs.forall(!_.isStopped))
end StoppedActorMemoryTest
