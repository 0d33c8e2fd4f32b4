package outside.cli

import java.io.ByteArrayOutputStream
import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}
import java.util.zip.GZIPOutputStream
import scala.util.Random

/** A CSV file of at most ten rows and four columns, and the options that state its format; the same
  * for the same seed. One file in three has a fault: a byte or a line that other programs write by
  * mistake.
  */
final class RandomCsv(seed: Long):
  private val random = Random(seed)
  private def oneIn(count: Int): Boolean = random.nextInt(count) == 0
  private def one[A](choices: Seq[A]): A = choices(random.nextInt(choices.size))

  val columns: Int = 1 + random.nextInt(4)
  val delimiter: Char = one(",,,;\t|")
  val quote: Char = if oneIn(8) then '\'' else '"'
  val hasHeader: Boolean = !oneIn(3)
  val skip: Int = if oneIn(5) then 1 + random.nextInt(2) else 0
  private val isCompressed = oneIn(8)
  private val isMixed = oneIn(10)
  private val ending = one(Seq("\n", "\n", "\r\n"))

  val name: String =
    val plain = if oneIn(8) then "t.CSV" else "t.csv"
    if isCompressed then plain + (if oneIn(3) then ".GZ" else ".gz") else plain

  def options: Seq[String] =
    val header = if hasHeader then "yes" else "no"
    Seq(s"--delimiter=$delimiter", s"--quote=$quote", s"--header=$header", s"--skip=$skip")

  private def quoted(text: String): String =
    s"$quote${text.replace(s"$quote", s"$quote$quote")}$quote"

  private def cell(text: String): String =
    val isForced = text.exists(c => c == delimiter || c == quote || c == '\n' || c == '\r')
    if isForced || oneIn(6) then quoted(text) else text

  private def end: String = if isMixed then one(Seq("\n", "\r\n")) else ending

  val bytes: Array[Byte] =
    val kinds = Vector.fill(columns)(one(RandomCsv.Kinds))
    val few = kinds.map(kind => Vector.fill(3)(one(kind)))
    val rows = Vector.fill(random.nextInt(11)):
      few.map: texts =>
        if oneIn(10) then "" else if oneIn(25) then one(one(RandomCsv.Kinds)) else one(texts)
    val header = Option.when(hasHeader)(Vector.tabulate(columns)(i => s"n$i"))
    val lines = (header ++: rows).map(_.map(cell).mkString(s"$delimiter"))
    val faulty = if oneIn(3) && lines.size > 1 then faulted(lines) else lines
    val text = Vector.fill(skip)(one(Seq("first", "a,b;c", "x\"y", "é"))).map(_ + end).mkString +
      faulty.map(_ + end).mkString
    val mark = if oneIn(10) then "\uFEFF" else ""
    val whole = mark + (if oneIn(3) then text.stripSuffix("\n").stripSuffix("\r") else text)
    val out = ByteArrayOutputStream()
    val target = if isCompressed then GZIPOutputStream(out) else out
    // A character of the private area stands for a byte that is invalid in UTF-8.
    whole.split("(?=\uE000)|(?<=\uE000)").foreach: part =>
      target.write(if part == "\uE000" then "\u00ff".getBytes(ISO_8859_1) else part.getBytes(UTF_8))
    target.close()
    out.toByteArray
  end bytes

  private def faulted(lines: Vector[String]): Vector[String] =
    val at = 1 + random.nextInt(lines.size - 1) // the first line has the number of columns
    val line = lines(at)
    val middle = random.nextInt(line.length + 1)
    def inserted(text: String) = lines.updated(at, line.patch(middle, text, 0))
    random.nextInt(10) match
      case 0 => lines.updated(at, line.takeWhile(_ != delimiter))
      case 1 => lines.updated(at, s"$line${delimiter}x")
      case 2 => lines.patch(at, Seq(""), 0)
      case 3 => inserted("\u0000")
      case 4 => inserted("\uE000")
      case 5 => inserted(s"$quote")
      case 6 => inserted("\r")
      case 7 => inserted("w" * (1 << random.nextInt(21)))
      case 8 => inserted(" ")
      case _ => inserted(s"$delimiter")
end RandomCsv

object RandomCsv:
  private val Integers = Vector(
    "0",
    "1",
    "-7",
    "42",
    "-0",
    "+5",
    "007",
    "1_000",
    "1,000",
    " 42",
    "42 ",
    "999999999999999",
    "9007199254740993",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "99999999999999999999",
    "-"
  )
  private val Numbers = Vector(
    "2.50",
    "0.1",
    "-0.0",
    ".5",
    "5.",
    "-.5",
    "1e5",
    "1E+5",
    "1e",
    "1e308",
    "1e309",
    "4.9e-324",
    "1e-400",
    "0.12345678901234567890",
    "123456789012345678.5",
    "nan",
    "NaN",
    "-inf",
    "Infinity",
    "0x10",
    "1d",
    "1f",
    "1.2.3"
  )
  private val Booleans = Vector("true", "false", "TRUE", "False", "t", "yes", "tru")
  private val Days = Vector(
    "2026-01-02",
    "2024-02-29",
    "2023-02-29",
    "0001-01-01",
    "0000-01-01",
    "9999-12-31",
    "10000-01-01",
    "2026-1-2",
    "2026-13-01",
    "0044-03-15 (BC)",
    "5881580-07-10",
    "5881580-07-11",
    "infinity",
    "epoch",
    "2026/01/02"
  )
  private val Times = Vector(
    "00:00:00",
    "23:59:59",
    "23:59:59.999999",
    "24:00:00",
    "12:34:56.7",
    "12:34:56.123456789",
    "12:34:56.1234567890",
    "1:02:03",
    "12:34",
    "12:60:00",
    "12:34:56."
  )
  private val Moments = Vector("2026-01-02", "1677-09-21", "1600-01-01", "2262-04-12", "2023-02-29")
    .flatMap(day => Vector("T", " ").map(day + _))
    .flatMap(day => Vector("03:04:05", "03:04:05.5", "23:59:59.123456789").map(day + _))
    .flatMap(moment => Vector("", "", "Z", "+02:00", "-14", "+15:59", "+16").map(moment + _))
  private val Ids = Vector(
    "6f1c2d3e-0000-4000-8000-0123456789ab",
    "6F1C2D3E-0000-4000-8000-0123456789AB",
    "6f1c2d3e00004000800000123456789ab",
    "6f1c2d3e-0000-4000-8000-0123456789ag"
  )
  private val Texts = Vector(
    "x",
    "é",
    "日本",
    "😀",
    "a b",
    "#x",
    "'",
    "\\",
    "say \"x\"",
    "a,b",
    "a;b",
    "a|b",
    "two\nlines",
    "two\r\nlines",
    "NULL",
    "null",
    " ",
    "\u00a0",
    "\u2003x",
    "w" * 70,
    "2026",
    "\\N",
    "-"
  )

  /** Texts of each type that a column may have, at its limits and beyond. */
  val Kinds: Vector[Vector[String]] =
    Vector(Integers, Integers, Numbers, Booleans, Days, Times, Moments, Ids, Texts, Texts)
end RandomCsv
