package undercroft.cli
package internal.csv

import internal.io.{BadInput, FileFormat}
import java.io.InputStreamReader
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import java.util.zip.GZIPInputStream
import scala.collection.mutable.ArrayBuffer

/** The caller's statements about a CSV file; the rest is taken from its first lines.
  *
  * @param skip
  *   the lines before the first record
  * @param types
  *   the SQL types of columns by their names
  */
private[cli] final case class CsvOptions(
    delimiter: Option[Char] = None,
    quote: Char = '"',
    hasHeader: Option[Boolean] = None,
    skip: Int = 0,
    types: Map[String, String] = Map.empty
) derives CanEqual

/** The delimiter and the fields of the first record of a CSV file. */
private[cli] final class CsvFormat(val delimiter: Char, val first: Vector[String])

private[cli] object CsvOptions:
  /** Throws [[BadInput]] for a value that the option does not have. */
  def of(
      delimiter: Option[String],
      quote: Option[String],
      header: Option[String],
      skip: Long,
      types: Option[String]
  ): CsvOptions = CsvOptions(
    delimiter.map(character("--delimiter", _)),
    quote.fold('"')(character("--quote", _)),
    header.map:
      case "yes" => true
      case "no"  => false
      case other => throw BadInput(s"--header must be yes or no, but is $other")
    ,
    Math.min(skip, Int.MaxValue).toInt,
    types.fold(Map.empty)(typesOf)
  )

  private def character(option: String, text: String): Char = text match
    case "\\t" | "tab"         => '\t'
    case _ if text.length == 1 => text.head
    case _ => throw BadInput(s"$option must be a single character or tab, but is $text")

  /** Types by names; a comma in parentheses is part of a type. */
  private def typesOf(text: String): Map[String, String] =
    text.split(",(?![^(]*\\))").toSeq.map: part =>
      part.split("=", 2) match
        case Array(name, sqlType) if sqlType.matches("[A-Za-z][A-Za-z_0-9 (),]*") =>
          name.strip.nn -> sqlType.strip.nn
        case _ => throw BadInput(s"--types must be NAME=TYPE,NAME=TYPE, but has $part")
    .toMap
end CsvOptions

private[cli] object CsvFormat:
  /** The characters that are tried, in this order. */
  private val Delimiters = Seq(',', ';', '\t', '|')

  /** The characters of a file that are read for it: the longest first record. */
  private val SampleChars = 1 << 20

  /** The format of a file. A delimiter that all records of the sample have equally often precedes
    * one that only the first record has, since a text may have any character. Throws [[BadInput]]
    * for a file without a record.
    */
  def of(path: Path, file: String, options: CsvOptions): CsvFormat =
    val sample = skipped(read(path, file), file, options)
    val isTabs = file.toLowerCase.endsWith(".tsv")
    val delimiters = options.delimiter.orElse(Option.when(isTabs)('\t')).fold(Delimiters)(Seq(_))
    val formats = delimiters.flatMap(firstRecord(sample, _, options.quote))
    val several = formats.filter(_._1.first.size > 1)
    several.find((_, isEven) => isEven)
      .orElse(several.maxByOption(_._1.first.size))
      .orElse(formats.headOption)
      .fold(
        throw BadInput(s"$file has no record; a CSV file has a line of names or of values")
      )(_._1)

  private def read(path: Path, file: String): String =
    val bytes = Files.newInputStream(path).nn
    try
      val content = if FileFormat.isCompressed(file) then GZIPInputStream(bytes) else bytes
      val chars = new Array[Char](SampleChars)
      val reader = InputStreamReader(content, UTF_8)
      var count = 0
      var step = reader.read(chars)
      while step > 0 do
        count += step
        step = reader.read(chars, count, chars.length - count)
      String(chars, 0, count).stripPrefix("\uFEFF")
    finally bytes.close()

  private val LineEnd = "\r\n|\n|\r".r

  /** The text behind the lines that are skipped. Throws [[BadInput]] if these end in another way
    * than the first record: DuckDB then reads other rows, without an error.
    */
  private def skipped(text: String, file: String, options: CsvOptions): String =
    val ends = LineEnd.findAllMatchIn(text).take(options.skip).toVector
    val rest = if ends.size < options.skip then "" else ends.lastOption.fold(text)(_.after.toString)
    var isQuoted = false
    val at = rest.indexWhere: c =>
      if c == options.quote then isQuoted = !isQuoted
      !isQuoted && (c == '\n' || c == '\r')
    for
      end <- Option.when(at >= 0)(rest.substring(at)).flatMap(LineEnd.findPrefixOf)
      line <- ends.indices.find(i => ends(i).matched.nn != end)
    do
      throw BadInput(
        s"$file: the skipped line ${line + 1} must end with ${nameOf(end)}, as the first record " +
          s"does, but ends with ${nameOf(ends(line).matched.nn)}"
      )
    rest
  end skipped

  private def nameOf(end: String): String =
    end.replace("\r", "CR").replace("\n", "LF")

  /** The first record of a text that is not a blank line, by RFC 4180, and whether all records of
    * several fields have as many. The last record does not count if the text may not have all of
    * it, unless it is the only one.
    */
  private def firstRecord(
      text: String,
      delimiter: Char,
      quote: Char
  ): Option[(CsvFormat, Boolean)] =
    val first = ArrayBuffer[String]()
    val field = StringBuilder()
    var isFirst = true
    var isEven = true
    var fields = 0
    var length = 0
    var isQuoted = false
    var wasQuoted = false
    inline def add(c: Char): Unit =
      length += 1
      if isFirst then field += c: Unit
    inline def endField(): Unit =
      fields += 1
      length = 0
      wasQuoted = false
      if isFirst then
        first += field.result()
        field.clear()
    inline def endRecord(): Unit =
      if fields > 0 || length > 0 || wasQuoted then
        endField()
        isEven = fields == first.size
        isFirst = false
        fields = 0
    var i = 0
    while i < text.length && (isFirst || isEven && first.size > 1) do
      val c = text(i)
      if isQuoted then
        if c != quote then add(c)
        else if i + 1 < text.length && text(i + 1) == quote then
          add(c)
          i += 1
        else isQuoted = false
      else if c == quote && length == 0 && !wasQuoted then
        isQuoted = true
        wasQuoted = true
      else if c == delimiter then endField()
      else if c == '\n' || c == '\r' then endRecord()
      else add(c)
      i += 1
    if isFirst || isEven && text.length < SampleChars - 1 then endRecord()
    Option.when(!isFirst)((CsvFormat(delimiter, first.toVector), isEven))
  end firstRecord
end CsvFormat
