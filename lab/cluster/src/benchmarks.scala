package undercroft.lab.cluster

import java.util.concurrent.TimeUnit
import java.util.concurrent.locks.LockSupport
import org.openjdk.jmh.annotations.*
import scala.compiletime.uninitialized

/** A link whose state is that of one benchmark. */
@State(Scope.Benchmark)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(
  value = 1,
  jvmArgsAppend = Array(
    "-Xms2g",
    "-Xmx2g",
    "--sun-misc-unsafe-memory-access=allow",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED"
  )
)
abstract class OnALink:
  private var link: Link[?] | Null = null

  /** The link, which is opened at the first call. */
  protected def opened[T](open: => Link[T]): Link[T] =
    if link eq null then link = open
    link.asInstanceOf[Link[T]]

  @TearDown def close(): Unit =
    if link ne null then link.nn.close()
end OnALink

/** Ten thousand messages of 32 bytes, or of a thousand, from one node to another one: the time for
  * each. Pekko drops the messages that find its queue full, so at most 2000 are on the way;
  * reliable delivery has its own window.
  */
@OperationsPerInvocation(ClusterMessages.count)
class ClusterMessages extends OnALink:
  @Param(Array("32", "1000")) var bytes: Int = uninitialized

  private def message(id: Long): AnyRef =
    if bytes == 32 then Transfer(id, id + 1, id + 2, 100) else Letter(id)

  private def pass(link: Link[AnyRef]): Long =
    val start = link.count
    var i = 0
    while i < ClusterMessages.count do
      if i % 64 == 0 then awaitCount(link, start + i - ClusterMessages.onTheWay)
      link.send(message(i))
      i += 1
    awaitCount(link, start + i)
    link.count

  private def awaitCount(link: Link[AnyRef], count: Long): Unit =
    val deadline = System.nanoTime + 60_000_000_000L
    while link.count < count do
      LockSupport.parkNanos(10_000)
      if System.nanoTime > deadline then
        throw IllegalStateException(s"${link.count} messages arrived; expected $count")

  private def passReliably(link: Link[AnyRef]): Long =
    val end = link.count + ClusterMessages.count
    var i = 0
    while i < ClusterMessages.count do
      link.send(message(i))
      i += 1
    awaitCount(link, end)
    end

  import Node.Serializer.*

  @Benchmark def tellOfStructs(): Long = pass(opened(Link.Ours()))
  @Benchmark def tellOfCbor(): Long = pass(opened(Link.Plain(Cbor)))
  @Benchmark def tellOfJava(): Long = pass(opened(Link.Plain(Java)))
  @Benchmark def reliableOfStructs(): Long = passReliably(opened(Link.OursReliable()))
  @Benchmark def reliableOfCbor(): Long = passReliably(opened(Link.PekkoReliable(Cbor)))
end ClusterMessages

object ClusterMessages:
  final val count = 10_000
  val onTheWay = 2000

/** A thousand messages of 32 bytes, one at a time: the mean and the slowest of them. */
@OperationsPerInvocation(ClusterLatency.count)
class ClusterLatency extends OnALink:
  private val nanos = new Array[Long](ClusterLatency.count)

  private def pass(link: Link[Transfer], latencies: Latencies): Long =
    var i = 0
    while i < ClusterLatency.count do
      val next = link.count + 1
      val start = System.nanoTime
      link.send(Transfer(i, i + 1, i + 2, 100))
      while link.count < next && System.nanoTime - start < 60_000_000_000L do Thread.onSpinWait()
      nanos(i) = System.nanoTime - start
      i += 1
    latencies.of(nanos)
    link.count

  import Node.Serializer.*

  @Benchmark def tellOfStructs(latencies: Latencies): Long = pass(opened(Link.Ours()), latencies)
  @Benchmark def tellOfCbor(latencies: Latencies): Long = pass(opened(Link.Plain(Cbor)), latencies)
  @Benchmark def reliableOfStructs(latencies: Latencies): Long =
    pass(opened(Link.OursReliable()), latencies)
  @Benchmark def reliableOfCbor(latencies: Latencies): Long =
    pass(opened(Link.PekkoReliable(Cbor)), latencies)
end ClusterLatency

object ClusterLatency:
  final val count = 1000

/** A hundred thousand messages at once to a receiver that pauses for at least 50 microseconds at
  * each: the number that does not arrive.
  */
@BenchmarkMode(Array(Mode.SingleShotTime))
@OutputTimeUnit(TimeUnit.MILLISECONDS)
class ClusterOverload extends OnALink:
  private def pass(link: Link[Transfer], lost: LostMessages): Long =
    link.pauseNanos = 50_000
    val start = link.count
    var i = 0
    while i < ClusterOverload.count do
      link.send(Transfer(i, i + 1, i + 2, 100))
      i += 1
    var last = link.count
    var progress = System.nanoTime
    while link.count - start < i && System.nanoTime - progress < 5_000_000_000L do
      LockSupport.parkNanos(1_000_000)
      if link.count > last then
        last = link.count
        progress = System.nanoTime
    lost.lost = (i - (link.count - start)).toDouble
    link.count

  import Node.Serializer.*

  @Benchmark def tellOfStructs(lost: LostMessages): Long = pass(opened(Link.Ours()), lost)
  @Benchmark def tellOfCbor(lost: LostMessages): Long = pass(opened(Link.Plain(Cbor)), lost)
  @Benchmark def reliableOfStructs(lost: LostMessages): Long =
    pass(opened(Link.OursReliable()), lost)
  @Benchmark def reliableOfCbor(lost: LostMessages): Long =
    pass(opened(Link.PekkoReliable(Cbor)), lost)
end ClusterOverload

object ClusterOverload:
  val count = 100_000
