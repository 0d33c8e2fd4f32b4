package outside.pekko

import org.apache.pekko.actor.typed
import org.apache.pekko.actor.typed.ActorRefResolver
import org.apache.pekko.cluster.MemberStatus
import org.apache.pekko.cluster.typed.Cluster
import scala.concurrent.Await
import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.pekko.*
import undercroft.tools.FreePort

/** A cluster of two nodes, of which one is killed. Neither of the two is a majority, so the split
  * brain resolver lets the node with the lowest address continue, and no other: the last sentence
  * about partitions in docs/howto/pekko.md.
  */
class TwoNodesTest extends NodeSuite:
  override val patience: FiniteDuration = 3.minutes

  /** Runs `body` with this process as one node, and the other one killed. */
  private def withSurvivor(isLowest: Boolean)(
      body: (typed.ActorSystem[Nothing], ActorRef[Entry], ActorRef[Entry]) => Unit
  ): Unit =
    val (low, high) = twoPorts()
    val (own, other) = if isLowest then (low, high) else (high, low)
    val here = FarNode.start(own, None)
    try
      val far = FarNode.spawn(other, own)
      try
        given typed.ActorSystem[?] = here
        until(Cluster(here).state.members.count(_.status == MemberStatus.Up) == 2)
        val (ownBook, farBook) = (book(here, own), book(here, other))
        assertEquals(report(farBook).process, far.pid)
        assertEquals(report(ownBook).process, ProcessHandle.current.pid)
        far.kill()
        body(here, ownBook, farBook)
      finally far.kill()
    finally
      here.terminate()
      Await.ready(here.whenTerminated, patience): Unit
  end withSurvivor

  private def twoPorts(): (Int, Int) =
    val (a, b) = (FreePort.take(), FreePort.take())
    (a.min(b), a.max(b))

  private def book(here: typed.ActorSystem[?], port: Int): ActorRef[Entry] =
    val text = s"pekko://${here.name}@127.0.0.1:$port/system/book"
    ActorRefResolver(here).resolveActorRef[Entry](text).toUndercroft(using here)

  test(
    "two nodes: after `kill -9` of the other one, the node with the lowest address continues".tag(
      LongTest
    )
  ):
    withSurvivor(isLowest = true): (here, own, far) =>
      until(Cluster(here).state.members.size == 1)
      until(far.isStopped)
      own ! Entry.Put(1)
      assertEquals(report(own).count, 1L)
      assert(!here.whenTerminated.isCompleted)

  test("two nodes: after `kill -9` of the other one, the node with the higher address stops".tag(
    LongTest
  )):
    withSurvivor(isLowest = false): (here, own, _) =>
      Await.ready(here.whenTerminated, patience): Unit
      until(own.isStopped)
      intercept[AskTargetStoppedException](own.ask[Booked](1.minute)(Entry.Report(_))): Unit
end TwoNodesTest
