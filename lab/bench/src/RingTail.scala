package undercroft.lab.bench

// How long does a ring of actors stand still beside a large live heap: with objects and with structs?

import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicBoolean
import org.openjdk.jmh.annotations.*
import scala.compiletime.uninitialized

/** A call lets one token pass a ring of a hundred actors for `seconds`, on one worker, while a
  * thread exchanges references within a live heap of `liveMiB`. That thread creates no garbage, so
  * every collection is caused by the messages. Counted: the longest time that a round of the ring
  * took, and the time that 99.99 % of the rounds did not exceed.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.SingleShotTime))
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 1)
@Measurement(iterations = 1)
@Fork(
  value = 3,
  jvmArgs = Array(
    "-Xms9g",
    "-Xmx9g",
    "-XX:+UseG1GC",
    "--enable-native-access=ALL-UNNAMED",
    "--sun-misc-unsafe-memory-access=allow"
  )
)
class RingTail:
  @Param(Array("structs", "objects", "pekko-1")) var messages = ""
  @Param(Array("6144")) var liveMiB = 0
  @Param(Array("20")) var seconds = 0

  private var heap: LiveHeap = uninitialized
  private var ring: TimedRing = uninitialized

  @Setup def open(): Unit =
    heap = LiveHeap(liveMiB)
    ring = TimedRing.open(messages)
  @TearDown def close(): Unit =
    ring.close()
    heap.close()

  @Benchmark def pass(gaps: Gaps): Long =
    val handled = ring.pass(seconds)
    gaps.nanosOf9999 = ring.rounds.quantile(0.9999).toDouble
    gaps.longestNanos = ring.rounds.quantile(1).toDouble
    handled
end RingTail

/** Times of rounds, for the lab to read. */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.EVENTS)
class Gaps:
  var nanosOf9999: Double = 0
  var longestNanos: Double = 0

/** A live heap of `mebibytes` in nodes of about 64 bytes, and a thread that exchanges references
  * between them until the close, without creating an object.
  */
final class LiveHeap(mebibytes: Int) extends AutoCloseable:
  import LiveHeap.*
  private val parts = Array.fill(mebibytes)(Array.fill(NodesPerPart)(Node()))
  private val isClosed = AtomicBoolean()
  private val mutator = Thread.ofPlatform.daemon.name("mutator").start(() => mutate())

  private def mutate(): Unit =
    var random = 1L
    while !isClosed.getPlain do
      var i = 0
      while i < 1000 do
        random = random * 0x5851f42d4c957f2dL + 0x14057b7ef767814fL
        val from = node((random >>> 33).toInt)
        val to = node((random >>> 17).toInt & Int.MaxValue)
        from.other = to
        i += 1
      Thread.onSpinWait()

  private def node(index: Int): Node =
    parts(index % parts.length)((index / parts.length) & (NodesPerPart - 1))

  def close(): Unit =
    isClosed.set(true)
    mutator.join()
end LiveHeap

object LiveHeap:
  final val NodesPerPart = 1 << 14

  /** Header, reference and five Longs: 56 bytes, and 4 in the array that holds it. */
  final class Node:
    var other: Node | Null = null
    var (a, b, c, d, e) = (0L, 0L, 0L, 0L, 0L)
end LiveHeap

/** A ring of a hundred actors on one worker that times its rounds.
  *
  * @param rounds
  *   the times of the last call's rounds
  * @param passOnce
  *   passes one token for [[RingMessages.hops]] messages; returns how many were handled
  */
final class TimedRing private (
    val rounds: Rounds,
    passOnce: () => Long,
    ring: AutoCloseable
) extends AutoCloseable:
  /** Passes one token after another for at least `seconds`; returns the messages that were handled.
    */
  def pass(seconds: Int): Long =
    rounds.clear()
    val until = System.nanoTime + seconds * 1_000_000_000L
    var handled = 0L
    while System.nanoTime < until do
      rounds.pause()
      handled += passOnce()
    handled

  def close(): Unit = ring.close()
end TimedRing

object TimedRing:
  def open(messages: String): TimedRing = messages match
    case "structs" => ofMessages(Ring3(inSlots = true))
    case "objects" => ofMessages(Ring3(inSlots = false))
    case "pekko-1" =>
      val ring = PekkoRing(100, Some(1), 0)
      new TimedRing(ring.timed(), () => ring.pass(1, RingMessages.hops), ring)
    case other => throw IllegalArgumentException(s"no ring of $other")

  private def ofMessages(ring: MessageRing) =
    new TimedRing(ring.timed(), () => ring.pass(RingMessages.hops), ring)
end TimedRing
