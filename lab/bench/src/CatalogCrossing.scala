package undercroft.lab.bench

// How much does it cost to hand a catalog from Java to C++, from 1 MB to 4 GB of it, and back?

import java.lang.foreign.{MemorySegment, ValueLayout}
import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit
import org.apache.thrift.{TBase, TDeserializer, TSerializer}
import org.openjdk.jmh.annotations.*
import scala.jdk.CollectionConverters.*
import undercroft.memory.Region
import undercroft.struct.*
import undercroft.thrift.{ThriftDeserializer, ThriftSerializer}

/** Impala's case: a catalog of `megabytes` tables of a megabyte each is written, crosses to C++ in
  * the same process, and is read there, one table after another, by the same code in every variant.
  * Small sizes are repeated in rounds, so that every call crosses at least [[CatalogScene.least]].
  * A call is the first of its size in its JVM, whose compiler a catalog of 10 MB has warmed up.
  *
  * The heap may grow to the size that the byte arrays need; `peakBytes` is the peak memory of the
  * process.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.SingleShotTime))
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = 1)
@Fork(
  value = 3,
  jvmArgs = Array(
    "-Xms128m",
    "-Xmx8g",
    "-XX:+UseG1GC",
    "--enable-native-access=ALL-UNNAMED",
    "--sun-misc-unsafe-memory-access=allow"
  )
)
abstract class CatalogScene extends Measured:
  protected def tables: Int
  private var serializer = Option.empty[ThriftSerializer]
  private lazy val stock = TSerializer()

  protected lazy val library: CatalogLibrary =
    CatalogLibrary.library.getOrElse(throw IllegalStateException(s"${CatalogLibrary.lack}"))

  @Setup def start(): Unit =
    serializer = Some(ThriftSerializer())
    for _ <- 1 to CatalogScene.warmUps do warmUp()

  @TearDown def end(): Unit = serializer.foreach(_.close())

  /** Hands over a catalog of 10 tables in the measured variant. */
  protected def warmUp(): Unit

  protected def measured(peak: Peak)(once: => Summary): Long =
    var last = Summary(0, 0, 0)
    for _ <- 1 to Math.max(1, CatalogScene.least / tables) do last = once
    peak.read()
    last.sum

  protected def byOutput(catalog: TBase[?, ?]): Summary =
    library.decode(serializer.get.serialize(catalog).segment)

  protected def byRows(tables: Int): Summary =
    Region.scoped:
      val rows = Rows[FileRow](Catalogs.fileCount(tables))
      Catalogs.store(tables, rows)
      library.fold(rows.segment, rows.size)

  /** As JNI does it: native code gets a copy of the array. */
  protected def byArray(catalog: TBase[?, ?]): Summary =
    val bytes = stock.serialize(catalog)
    val copy = LibC.malloc(bytes.length)
    try
      val segment = LibC.segment(copy, bytes.length)
      MemorySegment.copy(bytes, 0, segment, ValueLayout.JAVA_BYTE, 0, bytes.length)
      library.decode(segment)
    finally LibC.free(copy)
end CatalogScene

/** By Thrift in a ByteOutput, handed over as a pointer. */
class CatalogOutput extends CatalogScene:
  @Param(Array("1", "10", "100", "372", "745", "1000", "1090", "2000", "3000", "4000"))
  var megabytes = 0
  protected def tables: Int = megabytes
  protected def warmUp(): Unit = byOutput(Catalogs.thrift(10)): Unit
  @Benchmark def byteOutput(peak: Peak): Long = measured(peak)(byOutput(Catalogs.thrift(tables)))

/** As rows, which C++ reads as structs: `megabytes` is the size of the same catalog in Thrift. */
class CatalogRows extends CatalogScene:
  @Param(Array("1", "10", "100", "372", "745", "1000", "1090", "2000", "3000", "4000"))
  var megabytes = 0
  protected def tables: Int = megabytes
  protected def warmUp(): Unit = byRows(10): Unit
  @Benchmark def structRows(peak: Peak): Long = measured(peak)(byRows(tables))

/** By Thrift's TSerializer in an array, up to the maximum length of an array. */
class CatalogArray extends CatalogScene:
  @Param(Array("1", "10", "100", "372", "745", "1000", "1090", "2000")) var megabytes = 0
  protected def tables: Int = megabytes
  protected def warmUp(): Unit = byArray(Catalogs.thrift(10)): Unit
  @Benchmark def byteArray(peak: Peak): Long = measured(peak)(byArray(Catalogs.thrift(tables)))

/** The way back: C++ writes a catalog of one table, and Java reads it into objects. */
class CatalogToJava extends CatalogScene:
  @Param(Array("1", "10", "100", "372")) var megabytes = 0
  protected def tables: Int = megabytes
  protected def warmUp(): Unit = read(10, inPlace): Unit

  /** Read where C++ wrote it. */
  @Benchmark def nativeBytes(peak: Peak): Long = measured(peak)(read(tables, inPlace))

  /** As JNI does it: Java gets a copy of the bytes in an array. */
  @Benchmark def copiedArray(peak: Peak): Long = measured(peak)(read(tables, copied))

  private lazy val reader = ThriftDeserializer()
  private lazy val stock = TDeserializer()

  private def inPlace(bytes: MemorySegment): TBase[?, ?] =
    reader.deserialize(CatalogClasses.make("Catalog"), bytes)

  private def copied(bytes: MemorySegment): TBase[?, ?] =
    val catalog = CatalogClasses.make("Catalog")
    stock.deserialize(catalog, bytes.toArray(ValueLayout.JAVA_BYTE))
    catalog

  /** The summary that C++ made; the catalog that Java read has as many files. */
  private def read(megabytes: Int, decode: MemorySegment => TBase[?, ?]): Summary =
    val (bytes, summary) = library.encode(megabytes * Catalogs.FilesOfMegabyte / 100, files = 100)
    try
      val count = Catalogs.files(decode(bytes.segment)).map(_.size).sum
      if count != summary.files then
        throw IllegalStateException(s"$count files instead of ${summary.files}")
      summary
    finally bytes.close()
end CatalogToJava

object CatalogScene:
  /** Megabytes that a call crosses at least. */
  val least = 100
  private val warmUps = 20

/** The peak memory of the process in bytes, if the system is Linux. */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.EVENTS)
class Peak:
  var peakBytes: Long = 0

  def read(): Unit =
    val lines = Files.readAllLines(Path.of("/proc/self/status")).asScala
    peakBytes = lines.collectFirst { case s"VmHWM:$kib kB" => kib.trim.toLong << 10 }.getOrElse(0L)
