package undercroft.lab.bench

// How much do the operations of Okio's own benchmarks cost, in its buffer and in ours?

import org.openjdk.jmh.annotations.*
import undercroft.buffer.{Buffer, ByteString, Options}

/** Each method does the same to our buffer and to Okio's: [[BufferOperations.times]] times the
  * operation of its name, over one segment; comparisons and searches go over a mebibyte, which
  * counts as `times` operations of a KiB.
  */
@OperationsPerInvocation(BufferOperations.times)
class BufferOperations extends Measured:
  import BufferOperations.*

  private val (buffer, okioBuffer) = (Buffer(), _root_.okio.Buffer())
  private val (full, fullToo) = (Buffer().write(mebibyte), Buffer().write(mebibyte))
  private val okioFull = _root_.okio.Buffer().write(mebibyte)
  private val okioFullToo = _root_.okio.Buffer().write(mebibyte)
  private val cursor = full.cursor()
  private val okioCursor = _root_.okio.Buffer.UnsafeCursor()
  _root_.okio.Buffer().write(mebibyte).readUnsafe(okioCursor): Unit
  private val options = Options(words.map(ByteString.utf8)*)
  private val okioOptions =
    _root_.okio.Options.of(words.map(word => _root_.okio.ByteString.encodeUtf8(word)).toArray*)

  @Benchmark def intsOurs(): Long = sum: i =>
    buffer.writeInt(i)
    buffer.readInt()
  @Benchmark def intsOkio(): Long = sum: i =>
    okioBuffer.writeInt(i)
    okioBuffer.readInt()

  @Benchmark def littleLongsOurs(): Long = sum: i =>
    buffer.writeLongLe(i)
    buffer.readLongLe()
  @Benchmark def littleLongsOkio(): Long = sum: i =>
    okioBuffer.writeLongLe(i)
    okioBuffer.readLongLe()

  @Benchmark def utf8Ours(text: SampleText): Long = sum: _ =>
    buffer.writeUtf8(text.chars)
    buffer.readUtf8(buffer.size).length
  @Benchmark def utf8Okio(text: SampleText): Long = sum: _ =>
    okioBuffer.writeUtf8(text.chars)
    okioBuffer.readUtf8(okioBuffer.size).length

  @Benchmark def byteStringOurs(): Long = sum: _ =>
    buffer.write(mebibyte, 0, 100)
    buffer.readByteString().size
  @Benchmark def byteStringOkio(): Long = sum: _ =>
    okioBuffer.write(mebibyte, 0, 100)
    okioBuffer.readByteString().size

  @Benchmark def getByteOurs(): Long = sum(i => full((i * 7919L) & 0xfffff))
  @Benchmark def getByteOkio(): Long = sum(i => okioFull.getByte((i * 7919L) & 0xfffff))

  /** From the beginning to the end and to a place between, as Okio's benchmark of cursors does. */
  @Benchmark def seekOurs(): Long = sum: i =>
    cursor.seek(0): Unit
    cursor.seek(mebibyte.length - 1): Unit
    cursor.seek((i * 7919L) & 0xfffff): Unit
    cursor(0)
  @Benchmark def seekOkio(): Long = sum: i =>
    okioCursor.seek(0): Unit
    okioCursor.seek(mebibyte.length - 1): Unit
    okioCursor.seek((i * 7919L) & 0xfffff): Unit
    okioCursor.data.nn(okioCursor.start)

  @Benchmark def selectOurs(): Long = sum: i =>
    buffer.write(wordBytes(i % words.size))
    buffer.select(options)
  @Benchmark def selectOkio(): Long = sum: i =>
    okioBuffer.write(wordBytes(i % words.size))
    okioBuffer.select(okioOptions)

  @Benchmark def equalsOurs(): Boolean = full.equals(fullToo)
  @Benchmark def equalsOkio(): Boolean = okioFull.equals(okioFullToo)
  @Benchmark def indexOfOurs(): Long = full.indexOf(absent)
  @Benchmark def indexOfOkio(): Long = okioFull.indexOf(absent)

  private inline def sum(inline term: Int => Long): Long =
    var total = 0L
    var i = 0
    while i < times do
      total += term(i)
      i += 1
    total
end BufferOperations

/** A text of a hundred chars or more, of one, two or four bytes each. */
@State(Scope.Thread)
class SampleText:
  @Param(Array("ascii", "two-bytes", "emoji")) var text = ""
  var chars = ""

  @Setup def choose(): Unit =
    val sample = text match
      case "ascii"     => "plain text "
      case "two-bytes" => "žluťoučký "
      case _           => "\ud83d\ude00 smile "
    chars = sample * 10

object BufferOperations:
  final val times = 1024
  val mebibyte: Array[Byte] = Array.tabulate(1 << 20)(i => (i * 7 % 100).toByte)
  val absent: Byte = 101
  val words: Vector[String] =
    Vector("POST ", "GET ", "HEAD ", "PUT ", "DELETE ", "Host: ", "Accept: ", "Accept-Encoding: ")
  val wordBytes: Array[Array[Byte]] = words.map(_.getBytes.nn).toArray
