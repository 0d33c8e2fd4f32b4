package undercroft.lab.bench

import java.util.concurrent.{CountDownLatch, ForkJoinPool, TimeUnit}
import undercroft.actor.*

/** A ring of actors in one system: each actor sends a new message to the next one. */
trait RingOfActors extends AutoCloseable:
  /** Sends `tokens` messages round until `hops` have been handled; returns how many the actors
    * counted.
    */
  def pass(tokens: Int, hops: Int): Long

  /** The processor time that the process of its actors has used. */
  def processorNanos: Long

/** A message on its way; the last one, with no hops left, opens the latch. */
final case class Hop(left: Int, done: CountDownLatch)

/** The base of all rings on the JVM. Each node has its own count: the latch orders the counts.
  *
  * @param workNanos
  *   the work of a node for each message before it sends the next one: see [[Work]]
  */
abstract class JvmRing(nodes: Int, workNanos: Int) extends RingOfActors:
  // A cache line for each count, unless that is too much memory.
  private val stride = if nodes <= 1000 then 16 else 1
  private val counts: Array[Long] = new Array[Long](nodes * stride)
  private var before = 0L

  // A flag beside it: the JIT inlines no reading of a field whose class was never loaded.
  private val rounds = Rounds()
  @volatile private var isTimed = false

  /** Starts to time the rounds of a token. */
  def timed(): Rounds =
    isTimed = true
    rounds

  protected def start(node: Int, hop: Hop): Unit

  /** Counts a message, and works for `workNanos`. */
  protected final def handle(node: Int): Unit =
    counts(node * stride) += 1
    if node == 0 && isTimed then rounds.mark()
    if workNanos > 0 && Work.run(workNanos) == 0 then
      throw IllegalStateException(s"the work of node $node is zero")

  def processorNanos: Long = ProcessorTime.ofProcess

  /** The longest time of a pass: a minute, and ten times its work. */
  protected def patienceNanos(hops: Int): Long =
    TimeUnit.MINUTES.toNanos(1) + 10L * hops * workNanos

  /** Throws IllegalStateException if a message is lost. */
  def pass(tokens: Int, hops: Int): Long =
    if tokens < 1 || tokens > hops then
      throw IllegalArgumentException(s"tokens must be from 1 to $hops, but is $tokens")
    val done = CountDownLatch(tokens)
    for token <- 0 until tokens do
      val share = hops / tokens + (if token < hops % tokens then 1 else 0)
      start((token.toLong * nodes / tokens).toInt, Hop(share, done))
    val limit = patienceNanos(hops)
    if !done.await(limit, TimeUnit.NANOSECONDS) then
      throw IllegalStateException(
        s"${done.getCount} of $tokens tokens had not made their $hops hops after $limit ns"
      )
    var now = 0L
    for node <- 0 until nodes do now += counts(node * stride)
    val handled = now - before
    before = now
    handled
end JvmRing

/** A histogram of the times of rounds, with sixteen counts per power of two of nanoseconds.
  * Confined to one thread.
  */
final class Rounds:
  private val counts = new Array[Long](64 * 16)
  private var last = 0L

  /** A round ends here, and another begins. */
  def mark(): Unit =
    val now = System.nanoTime
    if last != 0 then add(now - last)
    last = now

  /** A round that took so long. */
  def add(nanos: Long): Unit = counts(Rounds.indexOf(nanos)) += 1

  /** Forgets all rounds, and the beginning of the current one. */
  def clear(): Unit =
    java.util.Arrays.fill(counts, 0)
    pause()

  /** Ends the current round without a mark. */
  def pause(): Unit = last = 0

  /** Nanoseconds that `share` of the rounds did not exceed, to a sixteenth; 0 without any. */
  def quantile(share: Double): Long =
    val target = math.ceil(counts.sum * share).toLong
    if target == 0 then 0
    else
      val sums = counts.iterator.scanLeft(0L)(_ + _).drop(1)
      Rounds.upTo(sums.indexWhere(_ >= target))
end Rounds

object Rounds:
  private def indexOf(nanos: Long): Int =
    val power = 63 - java.lang.Long.numberOfLeadingZeros(nanos | 16)
    power * 16 + ((nanos >>> (power - 4)).toInt & 15)

  private def upTo(index: Int): Long = (16L + index % 16 + 1) << (index / 16 - 4)

object Rings:
  private def processors = Runtime.getRuntime.availableProcessors
  private def commonPool = ForkJoinPool.commonPool().nn

  def open(system: String, nodes: Int, workNanos: Int = 0): RingOfActors = system match
    case "undercroft"          => UndercroftRing(nodes, processors, workNanos)
    case "undercroft-1"        => UndercroftRing(nodes, 1, workNanos)
    case "undercroft-virtual"  => UndercroftRing(nodes, processors, workNanos, Run.Virtual)
    case "undercroft-thread"   => UndercroftRing(nodes, processors, workNanos, Run.Thread)
    case "undercroft-caller"   => UndercroftRing(nodes, processors, workNanos, Run.Caller)
    case "undercroft-executor" => UndercroftRing(nodes, processors, workNanos, Run.On(commonPool))
    case "pekko"               => PekkoRing(nodes, None, workNanos)
    case "pekko-1"             => PekkoRing(nodes, Some(1), workNanos)
    case "ox"                  => OxRing(nodes, workNanos)
    case "erlang"              => ErlangsRing(nodes)
    case other => throw IllegalArgumentException(s"no system of actors is called $other")

final class ErlangsRing(nodes: Int) extends RingOfActors:
  private val erlang = ErlangRing.start()
  def pass(tokens: Int, hops: Int): Long = erlang.ask(s"ring $nodes $tokens $hops").toLong
  def processorNanos: Long = erlang.cpuMillis * 1_000_000
  def close(): Unit = erlang.close()

final class UndercroftRing(nodes: Int, workers: Int, workNanos: Int, run: Run = Run.Workers)
    extends JvmRing(nodes, workNanos):
  private val system = ActorSystem("ring", workers)
  private val refs = new Array[ActorRef[Hop]](nodes)
  for i <- refs.indices do refs(i) = spawn(node(i), run = run)(using system)

  private def node(i: Int): Behavior[Hop] =
    lazy val next = refs((i + 1) % nodes)
    Behavior.receive: hop =>
      handle(i)
      if hop.left > 1 then next ! Hop(hop.left - 1, hop.done) else hop.done.countDown()
      Behavior.same

  protected def start(node: Int, hop: Hop): Unit = refs(node) ! hop
  def close(): Unit = system.close()
end UndercroftRing
