package undercroft.lab.bench

// What do the operations cost that Okio's own benchmarks measure, in its buffer and in ours?

import org.openjdk.jmh.annotations.*
import undercroft.buffer.{Buffer, ByteString, Options}

/** Each method does the same to our buffer and to Okio's: [[BufferOperations.times]] times what its
  * name says, over one segment; comparisons and searches go over a mebibyte, which counts as
  * `times` operations of a KiB.
  */
@OperationsPerInvocation(BufferOperations.times)
class BufferOperations extends Measured:
  import BufferOperations.*

  @Param(Array("ascii", "two-bytes", "emoji")) var text = ""

  private val (ours, theirs) = (Buffer(), _root_.okio.Buffer())
  private val (full, fullToo) = (Buffer().write(mebibyte), Buffer().write(mebibyte))
  private val okioFull = _root_.okio.Buffer().write(mebibyte)
  private val okioFullToo = _root_.okio.Buffer().write(mebibyte)
  private val cursor = full.cursor()
  private val okioCursor = _root_.okio.Buffer.UnsafeCursor()
  _root_.okio.Buffer().write(mebibyte).readUnsafe(okioCursor): Unit
  private val options = Options(words.map(ByteString.utf8)*)
  private val okioOptions =
    _root_.okio.Options.of(words.map(word => _root_.okio.ByteString.encodeUtf8(word)).toArray*)
  private var chars = ""

  @Setup def choose(): Unit =
    val one = text match
      case "ascii"     => "plain text "
      case "two-bytes" => "žluťoučký "
      case _           => "\ud83d\ude00 smile "
    chars = one * 10

  @Benchmark def intsOurs(): Long = sum: i =>
    ours.writeInt(i)
    ours.readInt()
  @Benchmark def intsOkio(): Long = sum: i =>
    theirs.writeInt(i)
    theirs.readInt()

  @Benchmark def littleLongsOurs(): Long = sum: i =>
    ours.writeLongLe(i)
    ours.readLongLe()
  @Benchmark def littleLongsOkio(): Long = sum: i =>
    theirs.writeLongLe(i)
    theirs.readLongLe()

  @Benchmark def utf8Ours(): Long = sum: _ =>
    ours.writeUtf8(chars)
    ours.readUtf8(ours.size).length
  @Benchmark def utf8Okio(): Long = sum: _ =>
    theirs.writeUtf8(chars)
    theirs.readUtf8(theirs.size).length

  @Benchmark def byteStringOurs(): Long = sum: _ =>
    ours.write(mebibyte, 0, 100)
    ours.readByteString().size
  @Benchmark def byteStringOkio(): Long = sum: _ =>
    theirs.write(mebibyte, 0, 100)
    theirs.readByteString().size

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
    ours.write(wordBytes(i % words.size))
    ours.select(options)
  @Benchmark def selectOkio(): Long = sum: i =>
    theirs.write(wordBytes(i % words.size))
    theirs.select(okioOptions)

  @Benchmark def equalsOurs(): Boolean = full.equals(fullToo)
  @Benchmark def equalsOkio(): Boolean = okioFull.equals(okioFullToo)
  @Benchmark def indexOfOurs(): Long = full.indexOf(absent)
  @Benchmark def indexOfOkio(): Long = okioFull.indexOf(absent)

  private inline def sum(inline one: Int => Long): Long =
    var all = 0L
    var i = 0
    while i < times do
      all += one(i)
      i += 1
    all
end BufferOperations

object BufferOperations:
  final val times = 1024
  val mebibyte: Array[Byte] = Array.tabulate(1 << 20)(i => (i * 7 % 100).toByte)
  val absent: Byte = 101
  val words: Vector[String] =
    Vector("POST ", "GET ", "HEAD ", "PUT ", "DELETE ", "Host: ", "Accept: ", "Accept-Encoding: ")
  val wordBytes: Array[Array[Byte]] = words.map(_.getBytes.nn).toArray
