package undercroft.cli

import java.io.IOException
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.nio.file.{Files, Path}
import undercroft.file.{DefaultLinesGrain, LineBlock, MaxLineBytes, parFoldLines}

/** The forms of the texts in the lines of a CSV file.
  *
  * @param firstRow
  *   the line that has the first row, 0 or 1
  */
private final class CsvLines(columns: Int, delimiter: Byte, quote: Byte, firstRow: Int):
  private val forms = TextForms(columns)
  private val texts = forms.columns.toArray

  /** The bytes of a block, with a line feed after them: loops over an array are compiled soonest.
    */
  private var bytes = Array.emptyByteArray

  /** Whether a byte ends a text without quotes, or makes it uncertain. */
  private val isMark = Array.tabulate(256): i =>
    Seq(delimiter, quote, '\r'.toByte, '\n'.toByte).contains(i.toByte)

  /** Whether each line is one record by every reader's rules. */
  private var isCertain = true

  def addAll(lines: LineBlock): CsvLines =
    val size = (lines.until - lines.from).toInt
    bytes = CsvLines.buffer.get.nn
    MemorySegment.copy(lines.memory, JAVA_BYTE, lines.from, bytes, 0, size)
    bytes(size) = '\n'
    var row = if lines.fileOffset == 0 then 0 else firstRow
    // DuckDB skips a byte order mark.
    isCertain &&= lines.fileOffset > 0 || bytes(0) != 0xef.toByte
    var at = 0
    while isCertain && at < size do
      at = addLine(at, isRow = row >= firstRow)
      row += 1
    this

  def addAll(other: CsvLines): CsvLines =
    isCertain &&= other.isCertain
    val _ = forms.addAll(other.forms)
    this

  def result: Option[TextForms] = Option.when(isCertain)(forms)

  /** Adds the texts of a line; returns the start of the next one. */
  private def addLine(from: Int, isRow: Boolean): Int =
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
        if isRow && isCertain then texts(column).add(bytes, start, at - start)
        at += 1
      else
        val start = at
        while !isMark(bytes(at) & 0xff) do at += 1
        if !isRow then ()
        else if at == start then texts(column).addNull()
        else texts(column).add(bytes, start, at - start)
      column += 1
      if column < columns then
        isCertain &&= bytes(at) == delimiter
        at += 1
    end while
    if isCertain && bytes(at) == '\r' then at += 1
    // DuckDB may skip a line without text.
    isCertain &&= bytes(at) == '\n' && bytes(from) != '\n' && bytes(from) != '\r'
    if isRow then forms.addRow()
    at + 1
  end addLine
end CsvLines

private[cli] object CsvLines:
  /** The most ranges of a file: the forms of each are kept until all are read. */
  private inline val MostRanges = 64

  private val buffer = ThreadLocal.withInitial(() => new Array[Byte](MaxLineBytes + 1)).nn

  /** None for a file that is compressed, or whose lines may not be its records, such as one with
    * quotes within quotes: DuckDB reads it.
    */
  def forms(
      path: Path,
      columns: Int,
      delimiter: Char,
      quote: Char,
      hasHeader: Boolean
  ): Option[TextForms] =
    def isMark(char: Char) = char < 0x80 && !Character.isLetterOrDigit(char)
    if !isMark(delimiter) || !isMark(quote) || FileFormat.isCompressed(path.toString) then None
    else
      def empty = CsvLines(columns, delimiter.toByte, quote.toByte, if hasHeader then 1 else 0)
      try
        val grain = Math.max(DefaultLinesGrain, Math.ceilDiv(Files.size(path), MostRanges))
        parFoldLines(path, grain)(empty)(_.addAll(_))(_.addAll(_)).result
      catch case _: IOException => None // a long line, or an error that DuckDB has, too
end CsvLines
