package undercroft.lab.bench

import java.util.concurrent.CountDownLatch

/** A ring of actors in one system: a message goes from each to the next, made anew each time. */
trait RingOfActors extends AutoCloseable:
  /** Sends `tokens` messages round until `hops` have been handled; how many the actors counted. */
  def pass(tokens: Int, hops: Int): Long

/** A message on its way; the last one, with nothing left, opens the latch. */
final case class Hop(left: Int, done: CountDownLatch)

/** What all rings on the JVM share. Each node counts for itself: the latch orders the counts. */
abstract class JvmRing(nodes: Int) extends RingOfActors:
  protected val counts: Array[Array[Long]] = Array.fill(nodes)(new Array[Long](16)) // a line each
  private var before = 0L

  protected def start(node: Int, hop: Hop): Unit

  /** Messages that the first node has counted. Racy, but benign: it is looked at again. */
  def ofFirst: Long = counts(0)(0)

  def pass(tokens: Int, hops: Int): Long =
    if nodes % tokens != 0 || hops % tokens != 0 then
      throw IllegalArgumentException(s"$tokens tokens for $nodes nodes and $hops hops")
    val done = CountDownLatch(tokens)
    for token <- 0 until tokens do start(token * (nodes / tokens), Hop(hops / tokens, done))
    done.await()
    val now = counts.map(_(0)).sum
    val handled = now - before
    before = now
    handled
end JvmRing

object Rings:
  def open(system: String, nodes: Int): RingOfActors = system match
    case "undercroft"   => UndercroftRing(nodes, Runtime.getRuntime.availableProcessors)
    case "undercroft-1" => UndercroftRing(nodes, 1)
    case "pekko"        => PekkoRing(nodes, None)
    case "pekko-1"      => PekkoRing(nodes, Some(1))
    case "ox"           => OxRing(nodes)
    case "erlang"       => ErlangsRing(nodes)
    case other          => throw IllegalArgumentException(s"no system of actors is called $other")

final class ErlangsRing(nodes: Int) extends RingOfActors:
  private val erlang = ErlangRing.start()
  def pass(tokens: Int, hops: Int): Long = erlang.ask(s"ring $nodes $tokens $hops").toLong
  def close(): Unit = erlang.close()

final class UndercroftRing(nodes: Int, workers: Int) extends JvmRing(nodes):
  import undercroft.actor.*

  private val system = ActorSystem("ring", workers)
  private val refs = new Array[ActorRef[Hop]](nodes)
  for i <- refs.indices do refs(i) = spawn(node(i))(using system)

  private def node(i: Int): Behavior[Hop] =
    val count = counts(i)
    lazy val next = refs((i + 1) % nodes)
    Behavior.receive: hop =>
      count(0) += 1
      if hop.left > 1 then next ! Hop(hop.left - 1, hop.done) else hop.done.countDown()
      Behavior.same

  protected def start(node: Int, hop: Hop): Unit = refs(node) ! hop
  def close(): Unit = system.close()
end UndercroftRing
