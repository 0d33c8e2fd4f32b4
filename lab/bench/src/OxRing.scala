package undercroft.lab.bench

import java.util.concurrent.{CompletableFuture, CountDownLatch}
import ox.channels.{Actor, ActorRef}
import ox.supervised

/** Ox: each actor is a channel and a virtual thread, in a scope that has its own thread. */
final class OxRing(nodes: Int, workNanos: Int) extends JvmRing(nodes, workNanos):
  private final class Node(i: Int):
    def hop(message: Hop): Unit =
      handle(i)
      if message.left > 1 then
        val next = Hop(message.left - 1, message.done)
        refs((i + 1) % nodes).tell(_.hop(next))
      else message.done.countDown()

  private val refs = new Array[ActorRef[Node]](nodes)
  private val closing = CountDownLatch(1)
  private val opened = CompletableFuture[Boolean]()
  private val scope = Thread.ofPlatform.start: () =>
    supervised:
      for i <- refs.indices do refs(i) = Actor.create(Node(i))
      opened.complete(true): Unit
      closing.await()
  opened.join(): Unit

  protected def start(node: Int, hop: Hop): Unit = refs(node).tell(_.hop(hop))

  def close(): Unit =
    closing.countDown()
    scope.join()
end OxRing
