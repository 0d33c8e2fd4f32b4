package undercroft.lab.cluster

import java.util.concurrent.TimeUnit
import org.apache.pekko.actor.ActorSystem
import org.apache.pekko.stream.scaladsl as pekko
import org.openjdk.jmh.annotations.*
import scala.compiletime.uninitialized
import scala.concurrent.{Await, Future}
import scala.concurrent.duration.DurationInt
import undercroft.buffer.{Buffer, Sink, buffered}
import undercroft.memory.Region
import undercroft.pekko.{ByteStreams, RowStreams}
import undercroft.struct.{Rows, Struct}

/** A Pekko system for streams. */
@State(Scope.Benchmark)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(value = 1, jvmArgsAppend = Array("-Xms2g", "-Xmx2g", "--sun-misc-unsafe-memory-access=allow"))
abstract class OnStreams:
  protected given system: ActorSystem = ActorSystem(
    "streams",
    com.typesafe.config.ConfigFactory
      .parseString("pekko.loglevel = off, pekko.stdout-loglevel = off")
      .withFallback(com.typesafe.config.ConfigFactory.load())
  )

  protected def resultOf[A](future: Future[A]): A = Await.result(future, 1.minute)

  @TearDown def stop(): Unit = resultOf(system.terminate()): Unit
end OnStreams

/** Sixteen MiB from a buffer through a stream to a sink that discards them: the time for a KiB. The
  * rival reads and writes the same source and sink by Pekko's converters for Java's streams.
  */
@OperationsPerInvocation(StreamedBytes.kibibytes)
class StreamedBytes extends OnStreams:
  private val bytes = Buffer()
  bytes.write(Array.tabulate(StreamedBytes.size)(_.toByte))

  @Benchmark def bySegments(): Long = resultOf(
    ByteStreams.source(bytes.copy()).runWith(ByteStreams.sink(Sink.blackhole()))
  )

  @Benchmark def byJavaStreams(): Long = resultOf(
    pekko.StreamConverters
      .fromInputStream(() => bytes.copy().inputStream(), ByteStreams.DefaultChunkBytes)
      .runWith(pekko.StreamConverters.fromOutputStream(() =>
        Sink.blackhole().buffered.outputStream()
      ))
  ).count
end StreamedBytes

object StreamedBytes:
  final val kibibytes = 16_384
  final val size = kibibytes * 1024

final case class Order(ticket: Int, price: Int, amount: Long, at: Long) derives Struct

/** A million rows through a stream in batches of 4096, and the sum of a field: the time for a row.
  * The rival has objects in a `Vector`.
  */
@OperationsPerInvocation(StreamedRows.count)
class StreamedRows extends OnStreams:
  private var region: Region = uninitialized
  private var rows: Rows[Order] = uninitialized
  private var objects: Vector[Order] = uninitialized

  @Setup def fill(): Unit =
    objects = Vector.tabulate(StreamedRows.count)(n => Order(n, n % 1000, n, n))
    region = Region.shared("orders")
    rows = Rows[Order](StreamedRows.count)(using region)
    for (order, n) <- objects.zipWithIndex do rows(n) = order

  @TearDown def free(): Unit = region.close()

  @Benchmark def ofStructs(): Long = resultOf(
    RowStreams.source(rows).map(batch => batch.sumOf(_.price.toLong)).runFold(0L)(_ + _)
  )

  @Benchmark def ofObjects(): Long = resultOf(
    pekko.Source
      .fromIterator(() => objects.grouped(RowStreams.DefaultBatchRows))
      .map(sumOf)
      .runFold(0L)(_ + _)
  )

  private def sumOf(batch: Vector[Order]): Long =
    var sum = 0L
    for order <- batch do sum += order.price
    sum
end StreamedRows

object StreamedRows:
  final val count = 1_000_000
