package undercroft.cli

import java.io.IOException
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import undercroft.file.{DefaultLinesGrain, FieldSlices, LineBlock, MaxLineBytes, parFoldLines}

/** Receives the values of the rows of a CSV file, in their order. */
private[cli] trait CsvFields:
  /** Adds the value in the bytes `[at, at + length)`. */
  def add(column: Int, bytes: Array[Byte], at: Int, length: Int): Unit
  def addNull(column: Int): Unit

  /** Ends a row. */
  def addRow(): Unit

/** A CSV file that is read line by line.
  *
  * @param firstRow
  *   the line that has the first row, 0 or 1
  */
private final class CsvLines(
    path: Path,
    columns: Int,
    delimiter: Byte,
    quote: Byte,
    firstRow: Int
):
  import CsvLines.*

  /** Whether a byte ends a text without quotes, or makes it uncertain. */
  private val isMark = Array.tabulate(256): i =>
    Seq(delimiter, quote, '\r'.toByte, '\n'.toByte).contains(i.toByte)

  /** Reads the lines in ranges, by all processors; `open` has the offset of a range's first line.
    * None if the lines may not be records.
    */
  def read[F <: CsvFields](open: Long => F): Option[Vector[(Long, F)]] =
    // The same ranges in each pass, and not many: the forms of each are kept until all are read.
    val grain = Math.max(DefaultLinesGrain, Math.ceilDiv(Files.size(path), MostRanges))
    parFoldLines(path, grain)(Ranges(open))(_.add(_))(_.addAll(_)).result

  /** The values of ranges; the last one is being read. */
  private final class Ranges[F <: CsvFields](open: Long => F):
    private var ranges = Vector[(Long, F)]()

    /** The bytes of a block, with a line feed after them: loops over an array are compiled soonest.
      */
    private var bytes = Array.emptyByteArray
    private var size = 0

    /** Whether each line is one record by every reader's rules. */
    private var isCertain = true

    /** The bytes that end lines: 1 for a line feed, 2 for a carriage return before it. */
    private var ends = 0

    def add(lines: LineBlock): this.type =
      size = (lines.until - lines.from).toInt
      bytes = buffer.get.nn
      MemorySegment.copy(lines.memory, JAVA_BYTE, lines.from, bytes, 0, size)
      bytes(size) = '\n'
      if ranges.isEmpty then ranges = Vector(lines.fileOffset -> open(lines.fileOffset))
      val fields = ranges.head._2
      // DuckDB skips a byte order mark, and refuses other texts than UTF-8. A NUL is an error.
      val text = String(bytes, 0, size, UTF_8)
      isCertain &&= (lines.fileOffset > 0 || bytes(0) != 0xef.toByte) &&
        text.indexOf(0) < 0 && text.indexOf('\uFFFD') < 0
      var row = if lines.fileOffset == 0 then 0 else firstRow
      var at = 0
      while isCertain && at < size do
        at = addLine(fields, at, isRow = row >= firstRow)
        row += 1
      this
    end add

    def addAll(other: Ranges[F]): this.type =
      ends |= other.ends
      isCertain &&= other.isCertain && ends != 3
      ranges ++= other.ranges
      this

    def result: Option[Vector[(Long, F)]] = Option.when(isCertain)(ranges)

    /** Adds the values of a line; returns the start of the next one. */
    private def addLine(fields: F, from: Int, isRow: Boolean): Int =
      val bytes = this.bytes
      var at = from
      var column = 0
      while isCertain && column < columns do
        if bytes(at) == quote then
          val start = at + 1
          at = start
          // A quote in a text is doubled, and a line feed makes two lines: DuckDB reads both.
          while bytes(at) != quote && bytes(at) != '\n' do at += 1
          isCertain = bytes(at) == quote
          if isRow && isCertain then fields.add(column, bytes, start, at - start)
          at += 1
        else
          val start = at
          while !isMark(bytes(at) & 0xff) do at += 1
          if !isRow then ()
          else if at == start then fields.addNull(column)
          else fields.add(column, bytes, start, at - start)
        column += 1
        if column < columns then
          isCertain &&= bytes(at) == delimiter
          at += 1
      end while
      val isReturn = isCertain && bytes(at) == '\r'
      if isReturn then at += 1
      if at < size then ends |= (if isReturn then 2 else 1)
      // DuckDB may skip a line without text, and refuses lines that end in two ways.
      isCertain &&= bytes(at) == '\n' && bytes(from) != '\n' && bytes(from) != '\r' && ends != 3
      if isRow then fields.addRow()
      at + 1
    end addLine
  end Ranges
end CsvLines

private object CsvLines:
  private inline val MostRanges = 64

  private val buffer = ThreadLocal.withInitial(() => new Array[Byte](MaxLineBytes + 1)).nn

/** A CSV file whose lines are its records by every reader's rules. */
private[cli] final class CsvRecords private (
    lines: CsvLines,
    val forms: TextForms,
    firstRows: Map[Long, Long]
):
  /** Stores the values of all rows, which the columns have room for. */
  def store(slices: FieldSlices, step: Long => Unit): Unit =
    val stored =
      try lines.read(offset => CsvStore(slices, firstRows.getOrElse(offset, 0), step))
      catch case error: IOException => throw Failed(s"the CSV file: ${Failed.reason(error)}")
    if !stored.exists(_.map(_._2.rows).sum == slices.rows) then throw CsvRecords.changed

private[cli] object CsvRecords:
  /** None for a file that is compressed, or whose lines may not be its records, such as one with
    * quotes within quotes: DuckDB reads it.
    */
  def of(
      path: Path,
      columns: Int,
      delimiter: Char,
      quote: Char,
      hasHeader: Boolean
  ): Option[CsvRecords] =
    def isMark(char: Char) = char < 0x80 && !Character.isLetterOrDigit(char)
    if !isMark(delimiter) || !isMark(quote) || FileFormat.isCompressed(path.toString) then None
    else
      val lines =
        CsvLines(path, columns, delimiter.toByte, quote.toByte, if hasHeader then 1 else 0)
      try
        lines.read(_ => TextForms(columns)).map: ranges =>
          val firstRows = ranges.map(_._1).zip(ranges.map(_._2.rows).scanLeft(0L)(_ + _)).toMap
          val forms = ranges.map(_._2).foldLeft(TextForms(columns))(_.addAll(_))
          CsvRecords(lines, forms, firstRows)
      catch case _: IOException => None // a long line, or an error that DuckDB has, too
  end of

  def changed = BadInput(
    "the CSV file changed while it was read: convert it while no other program writes to it"
  )
end CsvRecords
