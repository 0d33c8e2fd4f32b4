package undercroft.lab.bench

// Do a buffer's segments belong on the heap or outside it, or does each pool say where?

import java.lang.foreign.{Arena, FunctionDescriptor, Linker, MemorySegment, ValueLayout}
import java.lang.invoke.{MethodHandle, MethodHandles}
import java.nio.ByteBuffer
import java.nio.ByteOrder.LITTLE_ENDIAN
import java.nio.channels.FileChannel
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, StandardOpenOption}
import java.util.Arrays
import java.util.zip.{CRC32, Deflater}
import org.openjdk.jmh.annotations.*

/** The most frequent operations of a buffer over 64 segments of 8 KiB; a figure is of one segment.
  * The segments are arrays, native memory, or both alternately. All three run the same code, as in
  * a buffer that does not know the pool of its segments; with one kind only, the JIT knows the
  * kind.
  */
@State(Scope.Thread)
@OperationsPerInvocation(HeapOrNative.segments)
class HeapOrNative extends Measured:
  import HeapOrNative.*

  @Param(Array("heap", "native", "both")) var kind = ""

  private var places: Array[Place] = Array()
  private var copies: Array[Place] = Array()
  private var views: Array[ByteBuffer] = Array()
  private var channel: Option[FileChannel] = None
  private val newest = new Array[Object](1)
  private val arena = Arena.ofShared().nn
  private val outside = arena.allocate(bytes).nn
  private val deflater = Deflater(Deflater.BEST_SPEED)
  private val deflated = new Array[Byte](2 * bytes)

  @Setup def open(): Unit =
    places = Array.tabulate(segments)(made)
    copies = Array.tabulate(segments)(made)
    views = places.map(_.view)
    val file = Files.createTempFile("heap-or-native", "").nn
    channel = Some(FileChannel.open(file, StandardOpenOption.WRITE).nn)
    Files.delete(file)

  @TearDown def close(): Unit =
    channel.foreach(_.close())
    arena.close()
    deflater.end()

  private def made(i: Int): Place =
    val isNative = kind == "native" || kind == "both" && i % 2 == 1
    val place =
      if isNative then Place(null, arena.allocate(bytes)) else Place(new Array[Byte](bytes), null)
    for at <- 0 until bytes by 4 do place.putInt(at, at * 0x01010101 & 0x3f3f3f3f)
    place

  /** The sum of `term` over all segments. */
  private inline def sum(inline term: Place => Long): Long =
    var total = 0L
    var i = 0
    while i < segments do
      total += term(places(i))
      i += 1
    total

  @Benchmark def ints(): Long = sum(putAndGetInts(_))

  @Benchmark def text(): Long = sum(putAndGetText(_))

  @Benchmark def deflate(): Long = sum: place =>
    deflater.reset()
    place.giveTo(deflater)
    deflater.finish()
    deflater.deflate(deflated)

  @Benchmark def checksum(): Long = sum: place =>
    val sum = CRC32()
    place.addTo(sum)
    sum.getValue

  /** One gathering write of a channel to a file. */
  @Benchmark def gather(): Long =
    val file = channel.get
    file.position(0): Unit
    views.foreach(_.rewind())
    file.write(views)

  /** Handed to native code that may block, which takes addresses: an array is copied first. */
  @Benchmark def handed(): Long = sum: place =>
    val memory = place.memory
    if memory != null then find(memory)
    else
      MemorySegment.copy(place.array.nn, 0, outside, ValueLayout.JAVA_BYTE, 0, bytes)
      find(outside)

  /** Handed to a short native function: an array is passed without a copy. */
  @Benchmark def lent(): Long = sum: place =>
    val memory = place.memory
    findIn(if memory != null then memory else MemorySegment.ofArray(place.array.nn).nn)

  @Benchmark def indexOf(): Long = sum(place => search(place))

  @Benchmark def mismatch(): Long =
    var total = 0L
    var i = 0
    while i < segments do
      total += places(i).mismatch(copies(i))
      i += 1
    total

  /** A segment that does not come from a pool. */
  @Benchmark def fresh(): Long = sum: place =>
    newest(0) =
      if place.memory != null then Arena.ofAuto().nn.allocate(bytes).nn else new Array[Byte](bytes)
    bytes
end HeapOrNative

object HeapOrNative:
  final val segments = 64
  final val bytes = 8192

  private val ints = MethodHandles.byteArrayViewVarHandle(classOf[Array[Int]], LITTLE_ENDIAN).nn
  private val longs = MethodHandles.byteArrayViewVarHandle(classOf[Array[Long]], LITTLE_ENDIAN).nn
  private val int = ValueLayout.JAVA_INT_UNALIGNED.nn
  private val long = ValueLayout.JAVA_LONG_UNALIGNED.nn

  /** A segment of either kind. */
  final class Place(val array: Array[Byte] | Null, val memory: MemorySegment | Null):
    def putInt(at: Int, value: Int): Unit =
      val bytes = array
      if bytes != null then ints.set(bytes, at, value) else memory.nn.set(int, at, value)

    def getInt(at: Int): Int =
      val bytes = array
      if bytes != null then ints.get(bytes, at).asInstanceOf[Int] else memory.nn.get(int, at)

    def getLong(at: Int): Long =
      val bytes = array
      if bytes != null then longs.get(bytes, at).asInstanceOf[Long] else memory.nn.get(long, at)

    /** Encoding text needs arrays, so native memory gets the text by a copy. */
    def putText(at: Int, text: String, scratch: Array[Byte]): Unit =
      val bytes = array
      if bytes != null then latin(text, bytes, at)
      else
        latin(text, scratch, 0)
        MemorySegment.copy(scratch, 0, memory.nn, ValueLayout.JAVA_BYTE, at, text.length)

    def getText(at: Int, count: Int, scratch: Array[Byte]): String =
      val bytes = array
      if bytes != null then String(bytes, at, count, UTF_8)
      else
        MemorySegment.copy(memory.nn, ValueLayout.JAVA_BYTE, at, scratch, 0, count)
        String(scratch, 0, count, UTF_8)

    def giveTo(deflater: Deflater): Unit =
      val bytes = array
      if bytes != null then deflater.setInput(bytes)
      else deflater.setInput(memory.nn.asByteBuffer)

    def addTo(sum: CRC32): Unit =
      val bytes = array
      if bytes != null then sum.update(bytes) else sum.update(memory.nn.asByteBuffer)

    def mismatch(other: Place): Long =
      val bytes = array
      val otherBytes = other.array
      if bytes != null && otherBytes != null then Arrays.mismatch(bytes, otherBytes)
      else memory.nn.mismatch(other.memory)

    def view: ByteBuffer =
      val bytes = array
      if bytes != null then ByteBuffer.wrap(bytes).nn else memory.nn.asByteBuffer.nn
  end Place

  private val scratch = new Array[Byte](bytes)
  private val line =
    "a line of text, as long as eighty letters are, of which each one is ASCII only. "

  @scala.annotation.nowarn("cat=deprecation") // it takes low bytes, as required here
  private def latin(text: String, target: Array[Byte], at: Int): Unit =
    text.getBytes(0, text.length, target, at)

  private def putAndGetInts(place: Place): Long =
    var at = 0
    while at < bytes do
      place.putInt(at, at)
      at += 4
    var sum = 0L
    at = 0
    while at < bytes do
      sum += place.getInt(at)
      at += 4
    sum

  private def putAndGetText(place: Place): Long =
    var sum = 0L
    var at = 0
    while at <= bytes - line.length do
      place.putText(at, line, scratch)
      sum += place.getText(at, line.length, scratch).length
      at += line.length
    sum

  /** A word that contains the byte becomes one with a zero byte: Warren, "Hacker's Delight", 6-1.
    */
  private def search(place: Place): Long =
    var zeros = 0L
    var at = 0
    while at < bytes && zeros == 0 do
      val word = place.getLong(at) ^ 0x7f7f7f7f7f7f7f7fL
      zeros = (word - 0x0101010101010101L) & ~word & 0x8080808080808080L
      at += 8
    if zeros == 0 then -1 else at - 8

  private val linker = Linker.nativeLinker().nn
  private def memchr(options: Linker.Option*): MethodHandle =
    val word = ValueLayout.JAVA_LONG.nn
    val shape = FunctionDescriptor.of(word, ValueLayout.ADDRESS, ValueLayout.JAVA_INT, word)
    linker.downcallHandle(linker.defaultLookup().nn.find("memchr").nn.get, shape, options*).nn
  private val plainFind = memchr()
  private val criticalFind = memchr(Linker.Option.critical(true).nn)

  private def find(memory: MemorySegment): Long = find(memory, bytes)

  /** Native code searches for an absent byte: returns 0. */
  private[bench] def find(memory: MemorySegment, count: Long): Long =
    plainFind.invokeExact(memory, 0x7f, count).asInstanceOf[Long]
  private def findIn(memory: MemorySegment): Long =
    criticalFind.invokeExact(memory, 0x7f, bytes.toLong).asInstanceOf[Long]
end HeapOrNative
