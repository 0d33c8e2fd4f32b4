package undercroft.arrow

import internal.exchange.{ExportedMemory, ExportedStream}
import java.lang.foreign.MemorySegment
import java.nio.file.Path
import undercroft.arrow.unsafe.*
import undercroft.memory.*
import undercroft.struct.*

enum Gate derives CanEqual:
  case In, Out

final case class Halt(x: Int, note: Text[4]) derives Struct, CanEqual
final case class Cargo(
    id: Long,
    gate: Gate,
    name: Text[12],
    fee: Option[Double],
    weight: Int,
    size: InlineArray[Short, 3],
    stops: InlineArray[Halt, 2],
    label: TextRef,
    seal: Option[BytesRef],
    legs: RowsRef[Halt],
    marks: Option[RowsRef[Option[Int]]]
) derives Struct,
      CanEqual

object Cargo:
  def of(i: Long)(using Allocator): Cargo = Cargo(
    i,
    Gate.fromOrdinal((i % 2).toInt),
    Text(s"no. $i"),
    Option.when(i % 3 > 0)(i / 4.0),
    (i * 7 % 1000).toInt,
    InlineArray(i.toShort, (-i).toShort, 5.toShort),
    InlineArray(Halt(i.toInt, Text(s"s${i % 10}")), Halt(-i.toInt, Text(""))),
    TextRef("ż" * (i % 20).toInt),
    Option.when(i % 4 > 0)(BytesRef(Array.tabulate((i % 17).toInt)(_.toByte))),
    RowsRef.from(Vector.tabulate((i % 5).toInt)(k => Halt(k, Text(s"l$k")))),
    Option.when(i % 3 > 0)(RowsRef.from(Vector.tabulate((i % 4).toInt)(k =>
      Option.when(k != 1)(k)
    )))
  )
end Cargo

/** A function of Python. */
trait StreamReader:
  def read(address: Long): Unit

/** The functions that Python calls in its JVM. */
object PythonBridge:
  def exportTo(address: Long, rows: Int, batchRows: Int): Unit =
    Region.scoped:
      val cargoes = Columns.tabulate[Cargo](rows)(Cargo.of)
      cargoes.exportArrowStream(MemorySegment.ofAddress(address).nn, batchRows)

  def lend(rows: Int, reader: StreamReader): Unit =
    Region.scoped:
      Columns.tabulate[Cargo](rows)(Cargo.of)
        .withArrowStream(stream => reader.read(stream.address))

  def sumFrom(address: Long): Long =
    Region.scoped:
      val cargoes = Rows.importArrowStream[Cargo](MemorySegment.ofAddress(address).nn)
      cargoes.toVector.map: cargo =>
        val fee = cargo.fee.fold(0L)(fee => (fee * 4).toLong)
        val halts = cargo.stops(1).x + cargo.stops(0).note.toString.length
        val outOfLine = cargo.label.byteLength + cargo.seal.fold(-1L)(_.length) +
          cargo.legs.sumOf(_.x) + cargo.legs.sumOf(_.note.toString.length) +
          cargo.marks.fold(-1L)(_.toVector.map(_.fold(100L)(_.toLong)).sum)
        outOfLine + cargo.id + cargo.name.toString.length + cargo.size(
          0
        ) + fee + cargo.gate.ordinal + halts
      .sum

  /** The exports whose memory is not freed. */
  def unreleased: Int = ExportedMemory.count + ExportedStream.count
end PythonBridge

/** Tables to and from pyarrow, Polars and DuckDB in one process: Python starts the JVM. */
class PythonExchangeTest extends undercroft.tools.RoundsSuite:

  private val Rounds = 1000

  for (library, rounds) <- Seq("pyarrow" -> Rounds, "polars" -> Rounds, "duckdb" -> 200) do
    val title =
      s"$library in the same process reads exported and lent tables, and tables read its own"
    test(title.tag(LongTest)):
      val jvm = Path.of(System.getProperty("java.home"), "lib", "server", "libjvm.so")
      val output = Python.runAlone(
        sys.env("UNDERCROFT_EXCHANGE"),
        library,
        s"$rounds",
        jvm.toString,
        System.getProperty("java.class.path").nn
      )
      assertEquals(output.linesIterator.toVector.last, s"$rounds rounds, 0 exports unreleased")

  testRounds("a table of every type that is exported and imported has the same rows")(
    rounds = 60,
    longRounds = Rounds
  ): rounds =>
    import undercroft.file.samples.Everything
    for round <- 0 until rounds do
      val rows = round % 20
      val arena = java.lang.foreign.Arena.ofConfined().nn
      try
        val stream = arena.allocate(40, 8).nn
        Region.scoped:
          val source = Columns.tabulate[Everything](rows)(i => Everything.of(i.toInt))
          source.exportArrowStream(stream, 8)
          val copy = Rows.importArrowStream[Everything](stream)
          assertEquals(copy.toVector, source.toVector)
      finally arena.close()
    assertEquals(PythonBridge.unreleased, 0)

  test("an import that fails releases the stream and its arrays"):
    val arena = java.lang.foreign.Arena.ofConfined().nn
    val stream = arena.allocate(40, 8).nn
    Region.scoped:
      Columns.tabulate[Trade](10)(Trade.of).exportArrowStream(stream)
      assertEquals(PythonBridge.unreleased, 2)
      val error = intercept[ArrowException](Rows.importArrowStream[Cargo](stream))
      assertEquals(error.kind, ArrowErrorKind.WrongSchema)
    arena.close()
    assertEquals(PythonBridge.unreleased, 0)
end PythonExchangeTest
