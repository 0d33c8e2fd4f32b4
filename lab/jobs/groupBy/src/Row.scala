package groupBy

import java.lang.foreign.MemorySegment
import java.nio.file.{Files, Path}
import scala.util.Using
import undercroft.buffer.*
import undercroft.memory.*
import undercroft.struct.*

/** A row of the benchmark: the numbers of three texts, three numbers, and three values. */
case class Row(
    id1: Int,
    id2: Int,
    id3: Int,
    id4: Int,
    id5: Int,
    id6: Int,
    v1: Int,
    v2: Int,
    v3: Double
) derives Struct

/** A column of few texts, each stored once, as a categorical column of Polars is, and an ENUM of
  * DuckDB.
  */
final class Texts(using Region):
  private val numbers = StructMap[Text[12], Int]()

  /** The number of the text of a segment's first bytes. */
  def number(segment: MemorySegment, bytes: Long): Int =
    numbers.getOrElseUpdate(Text(segment, 0, bytes), numbers.size.toInt)

object Row:
  /** Reads at most `count` rows of a CSV file with a header. */
  def load(path: Path, count: Long)(using Region): Columns[Row] =
    val rows = Columns.growingTo[Row](count)
    Using.resource(Files.newInputStream(path).source().buffered): source =>
      val (id1, id2, id3, bytes) = (Texts(), Texts(), Texts(), Region.allocate(12))
      def text(texts: Texts) = texts.number(bytes, source.readUntil(',', bytes))
      def number() =
        val value = source.readDecimalLong().toInt
        source.skip(1) // the comma
        value
      val _ = source.readUtf8Line() // the header
      while !source.exhausted do
        rows += Row(
          text(id1),
          text(id2),
          text(id3),
          number(),
          number(),
          number(),
          number(),
          number(),
          source.readDecimalLong(scale = 6) / 1e6
        )
        source.skip(1) // the end of the line
    rows
  end load
end Row
