package undercroft.lab.bench

// How much does one of many small reads and writes in a row cost, beside Okio and BufferedReader?

import java.io.{BufferedReader, InputStreamReader}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import org.openjdk.jmh.annotations.*
import scala.annotation.nowarn
import undercroft.buffer.{Buffer, BufferedSink, BufferedSource, buffered, source}

/** Each call makes [[OperationsInARow.times]] operations on one buffer of a few mebibytes, or reads
  * the same bytes through a buffered source over a file.
  */
@OperationsPerInvocation(OperationsInARow.times)
class OperationsInARow extends Measured:
  import OperationsInARow.*

  @Param(
    Array(
      "readDecimalLong",
      "readHexadecimalUnsignedLong",
      "readUtf8Line",
      "indexOf",
      "skip",
      "readByteArray16",
      "readUtf8of8",
      "readUtf8of40",
      "readByte",
      "readInt",
      "readLong"
    )
  ) var operation = ""
  @Param(Array("buffer", "file")) var place = ""

  private var read = reads("skip")
  private val bytes = Buffer()
  private val okioBytes = _root_.okio.Buffer()
  private var file: Path | Null = null

  @Setup def fill(): Unit =
    read = reads(operation)
    var i = 0
    while i < times do
      read.append(bytes, i)
      i += 1
    val content = bytes.copy().readByteArray()
    okioBytes.write(content): Unit
    if place == "file" then file = Files.write(Files.createTempFile("row", ".txt"), content)

  @TearDown def delete(): Unit =
    val path = file
    if path != null then Files.delete(path)

  @Benchmark def ours(): Long =
    val path = file
    if path == null then read.ours(bytes.copy())
    else
      val source = Files.newInputStream(path).nn.source().buffered
      try read.ours(source)
      finally source.close()

  @Benchmark def okio(): Long =
    val path = file
    if path == null then read.okio(okioBytes.clone())
    else
      val source = _root_.okio.Okio.buffer(_root_.okio.Okio.source(Files.newInputStream(path)))
      try read.okio(source)
      finally source.close()
end OperationsInARow

object OperationsInARow:
  final val times = 1 << 17

  /** Numbers of either sign with 1 to 14 digits. */
  def number(i: Int): Long = (i * 0x9e3779b97f4a7c15L) >> (18 + (i * 31 & 31) + (i & 7))

  /** A read of our source and of Okio's, and the bytes for it. */
  abstract class Read:
    def append(buffer: Buffer, i: Int): Unit
    def ours(source: BufferedSource): Long
    def okio(source: _root_.okio.BufferedSource): Long

  @nowarn("msg=anonymous class") // one class for each operation, so that its loop is compiled alone
  private inline def read(inline bytes: (Buffer, Int) => Buffer)(
      inline one: BufferedSource => Long
  )(inline other: _root_.okio.BufferedSource => Long): Read = new Read:
    def append(buffer: Buffer, i: Int): Unit = bytes(buffer, i): Unit
    def ours(source: BufferedSource): Long = sum(_ => one(source))
    def okio(source: _root_.okio.BufferedSource): Long = sum(_ => other(source))

  inline def sum(inline term: Int => Long): Long =
    var total = 0L
    var i = 0
    while i < times do
      total += term(i)
      i += 1
    total

  private val semicolon: Byte = ';'
  private val line = "a line of 20 chars, "

  val reads: Map[String, Read] = Map(
    "readDecimalLong" -> read((to, i) => to.writeDecimalLong(number(i)).writeByte(';')): source =>
      val value = source.readDecimalLong()
      source.skip(1)
      value
    .apply: source =>
      val value = source.readDecimalLong()
      source.skip(1)
      value
    ,
    "readHexadecimalUnsignedLong" ->
      read((to, i) => to.writeHexadecimalUnsignedLong(number(i) & Long.MaxValue).writeByte(';')):
        source =>
          val value = source.readHexadecimalUnsignedLong()
          source.skip(1)
          value
      .apply: source =>
        val value = source.readHexadecimalUnsignedLong()
        source.skip(1)
        value
    ,
    "readUtf8Line" -> read((to, _) => to.writeUtf8(line).writeByte('\n'))(
      _.readUtf8Line().nn.length
    )(_.readUtf8Line().nn.length),
    "indexOf" -> read((to, _) => to.writeUtf8(line).writeByte(';')): source =>
      val at = source.indexOf(semicolon)
      source.skip(at + 1)
      at
    .apply: source =>
      val at = source.indexOf(semicolon)
      source.skip(at + 1)
      at
    ,
    "skip" -> read((to, i) => to.writeByte(i)): source =>
      source.skip(1)
      1
    .apply: source =>
      source.skip(1)
      1
    ,
    "readByteArray16" -> read((to, i) => to.writeLong(i).writeLong(i))(
      _.readByteArray(16).length
    )(_.readByteArray(16).length),
    "readUtf8of8" -> read((to, _) => to.writeUtf8("8 chars."))(_.readUtf8(8).length)(
      _.readUtf8(8).length
    ),
    "readUtf8of40" -> read((to, _) => to.writeUtf8(line * 2))(_.readUtf8(40).length)(
      _.readUtf8(40).length
    ),
    "readByte" -> read((to, i) => to.writeByte(i))(_.readByte())(_.readByte()),
    "readInt" -> read((to, i) => to.writeInt(i))(_.readInt())(_.readInt()),
    "readLong" -> read((to, i) => to.writeLong(i))(_.readLong())(_.readLong())
  )
end OperationsInARow

/** Each call makes [[OperationsInARow.times]] writes to one buffer, or to it through a buffered
  * sink.
  */
@OperationsPerInvocation(OperationsInARow.times)
class WritesInARow extends Measured:
  import OperationsInARow.{number, sum}

  @Param(
    Array(
      "writeDecimalLong",
      "writeHexadecimalUnsignedLong",
      "writeUtf8of8",
      "writeByte",
      "writeLong"
    )
  ) var operation = ""
  @Param(Array("buffer", "sink")) var place = ""

  @Benchmark def ours(): Long =
    val target = Buffer()
    if place == "buffer" then written(target)
    else
      val sink = (target: undercroft.buffer.Sink).buffered
      written(sink)
      sink.flush()
    val bytes = target.size
    target.clear()
    bytes

  private def written(to: BufferedSink): Unit = operation match
    case "writeDecimalLong" => repeat(i => to.writeDecimalLong(number(i)): Unit)
    case "writeHexadecimalUnsignedLong" =>
      repeat(i => to.writeHexadecimalUnsignedLong(number(i)): Unit)
    case "writeUtf8of8" => repeat(_ => to.writeUtf8("8 chars."): Unit)
    case "writeByte"    => repeat(i => to.writeByte(i): Unit)
    case _              => repeat(i => to.writeLong(i): Unit)

  @Benchmark def okio(): Long =
    val target = _root_.okio.Buffer()
    if place == "buffer" then okioWritten(target)
    else
      val sink = _root_.okio.Okio.buffer(target: _root_.okio.Sink)
      okioWritten(sink)
      sink.flush()
    val bytes = target.size
    target.clear()
    bytes

  private def okioWritten(to: _root_.okio.BufferedSink): Unit = operation match
    case "writeDecimalLong" => repeat(i => to.writeDecimalLong(number(i)): Unit)
    case "writeHexadecimalUnsignedLong" =>
      repeat(i => to.writeHexadecimalUnsignedLong(number(i)): Unit)
    case "writeUtf8of8" => repeat(_ => to.writeUtf8("8 chars."): Unit)
    case "writeByte"    => repeat(i => to.writeByte(i): Unit)
    case _              => repeat(i => to.writeLong(i): Unit)

  private inline def repeat(inline write: Int => Unit): Unit =
    sum: i =>
      write(i)
      0L
    : Unit
end WritesInARow

/** The lines of a file, each of 8 to 70 bytes. */
@OperationsPerInvocation(FileLines.lines)
class FileLines extends Measured:
  private val file = Files.createTempFile("lines", ".txt").nn

  @Setup def fill(): Unit =
    val text = Iterator.tabulate(FileLines.lines)(i => "a line of a file " * 4 take 8 + i * 7 % 63)
    Files.writeString(file, text.mkString("", "\n", "\n")): Unit

  @TearDown def delete(): Unit = Files.delete(file)

  @Benchmark def ours(): Long =
    val source = Files.newInputStream(file).nn.source().buffered
    try
      var chars = 0L
      var line = source.readUtf8Line()
      while line != null do
        chars += line.length
        line = source.readUtf8Line()
      chars
    finally source.close()

  @Benchmark def oursAsIterator(): Long =
    val source = Files.newInputStream(file).nn.source().buffered
    try source.lines.foldLeft(0L)(_ + _.length)
    finally source.close()

  @Benchmark def okio(): Long =
    val source = _root_.okio.Okio.buffer(_root_.okio.Okio.source(Files.newInputStream(file)))
    try
      var chars = 0L
      var line = source.readUtf8Line()
      while line != null do
        chars += line.length
        line = source.readUtf8Line()
      chars
    finally source.close()

  @Benchmark def bufferedReader(): Long =
    val reader = BufferedReader(InputStreamReader(Files.newInputStream(file), UTF_8))
    try
      var chars = 0L
      var line = reader.readLine()
      while line != null do
        chars += line.length
        line = reader.readLine()
      chars
    finally reader.close()
end FileLines

object FileLines:
  final val lines = 1 << 16
