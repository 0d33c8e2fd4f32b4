package undercroft.cli
package internal.csv

import internal.io.{BadInput, Failed, FileFormat}
import java.io.IOException
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import java.util.concurrent.atomic.AtomicBoolean
import undercroft.file.{FieldSlices, LineBlock, MaxLineBytes, parFoldLines}

/** Receives the texts of the rows of a CSV file, in their order. */
private[cli] trait CsvRows:
  def add(batch: CsvBatch): Unit

/** The texts of consecutive rows of a CSV file. */
private[cli] final class CsvBatch(val columns: Int, val bytes: Array[Byte]):
  /** The most rows. */
  val capacity: Int = Math.max(CsvBatch.Texts / columns, 1)

  /** The first byte of each text and the number of its bytes, row by row; -1 for a null. */
  val starts: Array[Int] = new Array[Int](capacity * columns)
  val lengths: Array[Int] = new Array[Int](capacity * columns)
  var rows = 0

  /** Room for the values of a column, and for whether they are defined; all bytes are zero. */
  val values: Array[Byte] = new Array[Byte](capacity * java.lang.Long.BYTES)
  val flags: Array[Byte] = new Array[Byte](capacity)
end CsvBatch

private object CsvBatch:
  /** The texts that are found before they are read: their bytes are in the processor's cache. */
  private inline val Texts = 8192

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
  private val marks = Array.tabulate(256): i =>
    Seq(delimiter, quote, '\r'.toByte, '\n'.toByte).contains(i.toByte)

  /** Reads the lines in ranges, by all processors; `open` has the offset of a range's first line.
    * None if the lines may not be records.
    */
  def read[F <: CsvRows](open: Long => F): Option[Vector[F]] =
    parFoldLines(path, grain)(Ranges(open))(_.add(_))(_.addAll(_)).result

  /** Reads the first lines, or all lines of a small file; None if they may not be records. */
  def sample[F <: CsvRows](fields: F): Option[F] =
    val input = Files.newInputStream(path).nn
    val bytes =
      try input.readNBytes(SampleBytes).nn
      finally input.close()
    val size = if bytes.length < SampleBytes then bytes.length else bytes.lastIndexOf('\n') + 1
    if size == 0 then None
    else
      val batch = CsvBatch(columns, bytes.take(size) :+ '\n'.toByte)
      Ranges(_ => fields).add(batch, size, 0).result.map(_ => fields)

  /** The first row of each range, by the offset of its first line, and the number of rows. */
  lazy val starts: (Map[Long, Long], Long) =
    val counts = parFoldLines(path, grain)(Vector[(Long, Long)]())((counts, lines) =>
      val (offset, count) = counts.headOption.getOrElse((lines.fileOffset, 0L))
      Vector((offset, count + lines.count))
    )(_ ++ _)
    val rows = counts.scanLeft(0L)(_ + _._2).map(lines => Math.max(lines - firstRow, 0))
    (counts.map(_._1).zip(rows).toMap, rows.last)

  // The same ranges in each pass, and not many: the forms of each are kept until all are read.
  private def grain = Math.max(Grain, Math.ceilDiv(Files.size(path), MostRanges))

  // Loops over an array are compiled soonest.
  private val batches =
    ThreadLocal.withInitial(() => CsvBatch(columns, new Array[Byte](MaxLineBytes + 1))).nn

  /** The values of ranges; the last one is being read. */
  private final class Ranges[F <: CsvRows](open: Long => F):
    private var ranges = Vector[F]()

    /** Whether each line is one record by every reader's rules. */
    private var isCertain = true

    /** The bytes that end lines: 1 for a line feed, 2 for a carriage return before it. */
    private var ends = 0

    def add(lines: LineBlock): this.type =
      val size = (lines.until - lines.from).toInt
      val batch = batches.get.nn
      MemorySegment.copy(lines.memory, JAVA_BYTE, lines.from, batch.bytes, 0, size)
      batch.bytes(size) = '\n'
      add(batch, size, lines.fileOffset)

    /** Adds the lines in the first bytes of a batch, which are at `offset` in the file. */
    def add(batch: CsvBatch, size: Int, offset: Long): this.type =
      if ranges.isEmpty then ranges = Vector(open(offset))
      val fields = ranges.head
      // DuckDB skips a byte order mark, and refuses other texts than UTF-8. A NUL is an error.
      val text = String(batch.bytes, 0, size, UTF_8)
      isCertain &&= (offset > 0 || batch.bytes(0) != 0xef.toByte) &&
        text.indexOf(0) < 0 && text.indexOf('\uFFFD') < 0
      var isRow = offset > 0 || firstRow == 0
      var at = 0
      batch.rows = 0
      while isCertain && at < size do
        at = addLine(batch, at, size)
        if isRow then batch.rows += 1
        isRow = true
        if isCertain && (batch.rows == batch.capacity || at >= size) then
          fields.add(batch)
          batch.rows = 0
      this
    end add

    def addAll(other: Ranges[F]): this.type =
      ends |= other.ends
      isCertain &&= other.isCertain && ends != 3
      ranges ++= other.ranges
      this

    def result: Option[Vector[F]] = Option.when(isCertain)(ranges)

    /** Finds the texts of a line; returns the start of the next one. */
    private def addLine(batch: CsvBatch, from: Int, size: Int): Int =
      val bytes = batch.bytes
      val isMark = marks
      var at = from
      var text = batch.rows * columns
      val end = text + columns
      while isCertain && text < end do
        if bytes(at) == quote then
          at += 1
          batch.starts(text) = at
          // A quote in a text is doubled, and a line feed makes two lines: DuckDB reads both.
          while bytes(at) != quote && bytes(at) != '\n' do at += 1
          isCertain = bytes(at) == quote
          batch.lengths(text) = at - batch.starts(text)
          at += 1
        else
          val start = at
          while !isMark(bytes(at) & 0xff) do at += 1
          batch.starts(text) = start
          batch.lengths(text) = if at == start then -1 else at - start
        text += 1
        if text < end then
          isCertain &&= bytes(at) == delimiter
          at += 1
      end while
      val isReturn = isCertain && bytes(at) == '\r'
      if isReturn then at += 1
      if at < size then ends |= (if isReturn then 2 else 1)
      // DuckDB may skip a line without text, and refuses lines that end in two ways.
      isCertain &&= bytes(at) == '\n' && bytes(from) != '\n' && bytes(from) != '\r' && ends != 3
      at + 1
    end addLine
  end Ranges
end CsvLines

private object CsvLines:
  /** The fewest bytes of a range, and the most ranges. */
  private inline val Grain = 1L << 22
  private inline val MostRanges = 64

  private inline val SampleBytes = 1 << 18

/** A CSV file whose lines may be its records by every reader's rules. */
private[cli] final class CsvRecords private (lines: CsvLines, count: Int):
  /** The forms of all texts, after a pass over the lines; None if these are not records. */
  private var measured: Option[Option[TextForms]] = None

  /** The forms of the texts in the first rows; None if a later line is too long. */
  lazy val sample: Option[TextForms] =
    if measured.isDefined then None
    else readable(lines.sample(TextForms(count)).filter(_.rows > 0 && rows > 0))

  /** The forms of all texts; None if the lines may not be records. */
  def forms: Option[TextForms] =
    if measured.isEmpty then measured = Some(readable(lines.read(_ => TextForms(count))).map(all))
    measured.flatten

  def rows: Long = lines.starts._2

  /** Stores the values of all rows if their texts have the types of `expected` ones, and returns
    * whether they have; measures all texts.
    */
  def store(slices: FieldSlices, expected: TextForms, step: Long => Unit): Boolean =
    val isExpected = AtomicBoolean(true)
    val columns = slices.columns.map(CsvColumn(slices, _)).toArray
    val isAgain = measured.isDefined
    val stores =
      try
        lines.read: offset =>
          CsvStore(columns, slices.rows, lines.starts._1.getOrElse(offset, 0), isExpected, step)
      catch
        case error: IOException if isAgain =>
          throw Failed(s"the CSV file: ${Failed.reason(error)}")
        case _: IOException => None
    measured = Some(stores.map(ranges => all(ranges.map(_.forms))))
    val areRows = stores.exists: ranges =>
      ranges.scanLeft(0L)(_ + _.forms.rows) == ranges.map(_.first) :+ slices.rows
    val isStored = isExpected.get && areRows && measured.flatten.exists(_.isLike(expected))
    if !isStored && isAgain then throw CsvRecords.changed
    isStored

  private def all(ranges: Vector[TextForms]): TextForms =
    ranges.foldLeft(TextForms(count))(_.addAll(_))

  /** None for a long line, or an error that DuckDB has, too. */
  private def readable[A](body: => Option[A]): Option[A] =
    try body
    catch case _: IOException => None
end CsvRecords

private[cli] object CsvRecords:
  /** None for a file that is compressed: DuckDB reads it, as it reads one whose lines may not be
    * its records, such as one with quotes within quotes.
    */
  def of(
      path: Path,
      columns: Int,
      delimiter: Char,
      quote: Char,
      hasHeader: Boolean
  ): Option[CsvRecords] =
    def isMark(char: Char) = char < 0x80 && !Character.isLetterOrDigit(char)
    val isPlain =
      isMark(delimiter) && isMark(quote) && !FileFormat.isCompressed(path.toString)
    Option.when(isPlain):
      val firstRow = if hasHeader then 1 else 0
      CsvRecords(CsvLines(path, columns, delimiter.toByte, quote.toByte, firstRow), columns)

  private def changed = BadInput(
    "the CSV file changed while it was read: convert it while no other program writes to it"
  )
end CsvRecords
