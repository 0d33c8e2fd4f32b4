package undercroft.buffer

import java.io.EOFException
import java.nio.charset.StandardCharsets.UTF_8
import org.scalacheck.{Gen, Shrink}
import munit.Assertions.{assertEquals, intercept}
import org.scalacheck.Prop.forAll

/** Runs random operations on two buffers, on a model of arrays and on Okio's buffers. A failure
  * prints its seed and the shortest failing list of operations.
  */
class BufferModelTest extends undercroft.tools.PropertySuite:
  import BufferModelTest.*

  override def scalaCheckTestParameters =
    super.scalaCheckTestParameters.withMinSuccessfulTests(40).withMaxSize(60)

  for (name, pool) <- Pools.all do
    property(s"random buffer operations agree with an array model (pool: $name)"):
      given Shrink[Op] = Shrink.shrinkAny
      forAll(Gen.listOf(op)): ops =>
        val home = pool()
        val pair = Pair(home, home)
        ops.foreach(pair.run)
        pair.clear()
        home.assertNoLeaks()
        assertEquals(home.metrics.live, 0L)
        true

  property("random operations between a heap and a native buffer agree with an array model"):
    given Shrink[Op] = Shrink.shrinkAny
    forAll(Gen.listOf(op)): ops =>
      val homes =
        SegmentMemory.values.map(memory => SegmentPool.lockFree(debug = true, memory = memory))
      val pair = Pair(homes(0), homes(1))
      ops.foreach(pair.run)
      pair.clear()
      homes.foreach(_.assertNoLeaks())
      homes.foreach(_.native.assertNoLeaks())
      true
end BufferModelTest

object BufferModelTest:
  /** An operation on one of two buffers; numbers are taken modulo the available bytes. */
  final case class Op(kind: Kind, second: Boolean, number: Long, text: String) derives CanEqual

  enum Kind derives CanEqual:
    case Bytes, Byte, ShortLe, Int, LongLe, Double, Text, Decimal, Hexadecimal, CodePoint
    case ReadByte, ReadShort, ReadIntLe, ReadLong, ReadBytes, ReadText, ReadLine, ReadLineStrict
    case ReadDecimal, ReadHexadecimal, ReadCodePoint, Skip, Move, CopyOver, CopyToSelf, Clone
    case Get, Find, FindBytes, FindElement, Range, Same, Peek, Select, Clear, Snapshot, Lend

  private val edges = Seq(0, 1, 2, 7, 8, 9, 1023, 1024, 1025, 8191, 8192, 8193, 20_000)
  private val number: Gen[Long] = Gen.frequency(
    4 -> Gen.oneOf(edges).map(_.toLong),
    3 -> Gen.choose(0L, 100L),
    2 -> Gen.choose(Long.MinValue, Long.MaxValue),
    1 -> Gen.oneOf(Long.MinValue, Long.MaxValue, -1L, -10L)
  )
  private val text: Gen[String] = Gen.oneOf(
    Gen.oneOf("", "a", "\n", "\r\n", "line\nnext", "-", "é", "\u20ac", "\ud83d\ude00", "\ud800x"),
    Gen.stringOf(Gen.oneOf('a', 'b', '\n', '7', 'é', '\ud83d')),
    Gen.asciiPrintableStr
  )
  val op: Gen[Op] =
    for
      kind <- Gen.oneOf(Kind.values.toSeq)
      second <- Gen.oneOf(true, false)
      number <- number
      text <- text
    yield Op(kind, second, number, text)

  private val options = Seq("", "-", "a", "ab", "line\n", "\u20ac", "\n", "b")

  /** Two Undercroft buffers, two of Okio and two arrays. */
  final class Pair(pool: SegmentPool, other: SegmentPool):
    private val buffers = Array(Buffer(using pool), Buffer(using other))
    private val okios = Array.fill(2)(okio.Buffer())
    private val models = Array.fill(2)(Array.empty[Byte])
    private val choices =
      Options(options.filter(_.nonEmpty).map(ByteString.utf8)*)
    private val okioChoices = okio.Options.of(
      options.filter(_.nonEmpty).map(text => okio.ByteString.encodeUtf8(text)).toArray*
    )

    def clear(): Unit = buffers.foreach(_.clear())

    def run(op: Op): Unit =
      val i = if op.second then 1 else 0
      val (buffer, second, okioBuffer) = (buffers(i), buffers(1 - i), okios(i))
      val before = models(i)
      val actual = outcome(onOurs(op, buffer, second))
      val expected = outcome(onOkio(op, okioBuffer, okios(1 - i)))
      if actual != expected then throw AssertionError(s"$op: $actual, but Okio $expected")
      updateModel(op, i)
      for k <- 0 to 1 do
        val content = new Array[Byte](buffers(k).size.toInt)
        buffers(k).copyTo(0, content)
        val right = models(k)
        if !java.util.Arrays.equals(content, right) || buffers(k).size != right.length then
          throw AssertionError(
            s"$op on ${show(before)}: buffer $k holds ${show(content)}, not ${show(right)}"
          )
        if !java.util.Arrays.equals(okios(k).snapshot().toByteArray, right) then
          throw AssertionError(s"$op: the model is wrong")

    private def show(bytes: Array[Byte]): String =
      s"${bytes.length} bytes ${ByteString(bytes.take(40)).hex}"

    private def outcome(body: => Any): String =
      try String.valueOf(body)
      catch
        case _: EOFException                                      => "end of input"
        case _: (NumberFormatException | MalformedInputException) => "malformed"

    private def within(op: Op, size: Long): Long =
      if size == 0 then 0 else java.lang.Math.floorMod(op.number, size + 1)

    /** At most 20 000 varying bytes. */
    private def bytes(op: Op): Array[Byte] =
      Array.tabulate(java.lang.Math.floorMod(op.number, 20_001L).toInt)(i => (i * 7).toByte)

    private def codePoint(op: Op): Int =
      java.lang.Math.floorMod(op.number, 0x110000L).toInt

    private def onOurs(op: Op, buffer: Buffer, other: Buffer): Any = op.kind match
      case Kind.Bytes       => buffer.write(bytes(op)).size
      case Kind.Byte        => buffer.writeByte(op.number.toInt).size
      case Kind.ShortLe     => buffer.writeShortLe(op.number.toInt).size
      case Kind.Int         => buffer.writeInt(op.number.toInt).size
      case Kind.LongLe      => buffer.writeLongLe(op.number).size
      case Kind.Double      => buffer.writeDouble(op.number.toDouble).size
      case Kind.Text        => buffer.writeUtf8(op.text).size
      case Kind.Decimal     => buffer.writeDecimalLong(op.number).size
      case Kind.Hexadecimal => buffer.writeHexadecimalUnsignedLong(op.number).size
      case Kind.CodePoint   => buffer.writeUtf8CodePoint(codePoint(op)).size
      case Kind.ReadByte    => buffer.readByte()
      case Kind.ReadShort   => buffer.readShort()
      case Kind.ReadIntLe   => buffer.readIntLe()
      case Kind.ReadLong    => buffer.readLong()
      case Kind.ReadBytes =>
        buffer.readByteString(op.number.max(0).min(buffer.size + 1)).hex
      case Kind.ReadText        => buffer.readUtf8(within(op, buffer.size))
      case Kind.ReadLine        => buffer.readUtf8Line()
      case Kind.ReadLineStrict  => buffer.readUtf8LineStrict(op.number.max(0))
      case Kind.ReadDecimal     => buffer.readDecimalLong()
      case Kind.ReadHexadecimal => buffer.readHexadecimalUnsignedLong()
      case Kind.ReadCodePoint   => buffer.readUtf8CodePoint()
      case Kind.Skip            => buffer.skip(op.number.max(0).min(buffer.size)); buffer.size
      case Kind.Move            => other.write(buffer, within(op, buffer.size)); other.size
      case Kind.CopyOver =>
        val from = within(op, buffer.size)
        buffer.copyTo(other, from, (buffer.size - from).min(30_000))
        other.size
      case Kind.CopyToSelf => buffer.copyTo(buffer, 0, buffer.size.min(30_000)); buffer.size
      case Kind.Clone =>
        val clone = buffer.clone()
        val isEqual =
          clone == buffer && clone.hashCode == buffer.hashCode && clone.mismatch(buffer) == -1
        clone.writeByte(1): Unit
        val differs = clone != buffer && clone.mismatch(buffer) == buffer.size
        clone.clear()
        isEqual && differs
      case Kind.Get =>
        if buffer.size == 0 then "" else buffer(within(op, buffer.size - 1))
      case Kind.Find      => buffer.indexOf(op.number.toByte, within(op, buffer.size))
      case Kind.FindBytes => buffer.indexOf(ByteString.utf8(op.text + "a"), within(op, buffer.size))
      case Kind.FindElement =>
        buffer.indexOfElement(ByteString.utf8("\n7" + op.text), within(op, buffer.size))
      case Kind.Range => buffer.rangeEquals(within(op, buffer.size), ByteString.utf8(op.text))
      case Kind.Same  => buffer == other
      case Kind.Peek =>
        val peek = buffer.peek()
        val content = peek.readByteString(within(op, buffer.size)).hex
        peek.close()
        content
      case Kind.Select   => buffer.select(choices)
      case Kind.Clear    => buffer.clear(); buffer.size
      case Kind.Snapshot => buffer.snapshot(within(op, buffer.size).min(60_000).toInt).hex
      case Kind.Lend     => lent(buffer)

    /** The bytes that native code reads from a lent buffer, which rejects other uses meanwhile. */
    private def lent(buffer: Buffer): String =
      val before = buffer.copiedBytes
      val segments = (0 until buffer.segmentCount).map(buffer.segment)
      val onHeap = segments.filter(_.data != null).map(_.size).sum
      val content = buffer.withIovecs: vectors =>
        intercept[IllegalStateException](buffer.readByte()): Unit
        Iovec.bytes(vectors)
      assertEquals(buffer.copiedBytes - before, onHeap.toLong)
      ByteString(content).hex

    private def onOkio(op: Op, buffer: okio.Buffer, other: okio.Buffer): Any = op.kind match
      case Kind.Bytes   => buffer.write(bytes(op)).size
      case Kind.Byte    => buffer.writeByte(op.number.toInt).size
      case Kind.ShortLe => buffer.writeShortLe(op.number.toInt).size
      case Kind.Int     => buffer.writeInt(op.number.toInt).size
      case Kind.LongLe  => buffer.writeLongLe(op.number).size
      case Kind.Double =>
        buffer.writeLong(java.lang.Double.doubleToLongBits(op.number.toDouble)).size
      case Kind.Text        => buffer.writeUtf8(op.text).size
      case Kind.Decimal     => buffer.writeDecimalLong(op.number).size
      case Kind.Hexadecimal => buffer.writeHexadecimalUnsignedLong(op.number).size
      case Kind.CodePoint   => buffer.writeUtf8CodePoint(codePoint(op)).size
      case Kind.ReadByte    => buffer.readByte()
      case Kind.ReadShort   => buffer.readShort()
      case Kind.ReadIntLe   => buffer.readIntLe()
      case Kind.ReadLong    => buffer.readLong()
      case Kind.ReadBytes =>
        buffer.readByteString(op.number.max(0).min(buffer.size + 1)).hex
      case Kind.ReadText        => buffer.readUtf8(within(op, buffer.size))
      case Kind.ReadLine        => buffer.readUtf8Line()
      case Kind.ReadLineStrict  => buffer.readUtf8LineStrict(op.number.max(0))
      case Kind.ReadDecimal     => okioNumber(buffer)(_.readDecimalLong())
      case Kind.ReadHexadecimal => okioNumber(buffer)(_.readHexadecimalUnsignedLong())
      case Kind.ReadCodePoint   => buffer.readUtf8CodePoint()
      case Kind.Skip            => buffer.skip(op.number.max(0).min(buffer.size)); buffer.size
      case Kind.Move            => other.write(buffer, within(op, buffer.size)); other.size
      case Kind.CopyOver =>
        val from = within(op, buffer.size)
        buffer.copyTo(other, from, (buffer.size - from).min(30_000))
        other.size
      case Kind.CopyToSelf =>
        buffer.write(buffer.snapshot(buffer.size.min(30_000).toInt)).size
      case Kind.Clone => true
      case Kind.Get =>
        if buffer.size == 0 then "" else buffer.getByte(within(op, buffer.size - 1))
      case Kind.Find => buffer.indexOf(op.number.toByte, within(op, buffer.size))
      case Kind.FindBytes =>
        buffer.indexOf(okio.ByteString.encodeUtf8(op.text + "a"), within(op, buffer.size))
      case Kind.FindElement =>
        buffer.indexOfElement(okio.ByteString.encodeUtf8("\n7" + op.text), within(op, buffer.size))
      case Kind.Range =>
        buffer.rangeEquals(within(op, buffer.size), okio.ByteString.encodeUtf8(op.text))
      case Kind.Same     => buffer.equals(other)
      case Kind.Peek     => buffer.peek().readByteString(within(op, buffer.size)).hex
      case Kind.Select   => buffer.select(okioChoices)
      case Kind.Clear    => buffer.clear(); buffer.size
      case Kind.Snapshot => buffer.snapshot(within(op, buffer.size).min(60_000).toInt).hex
      case Kind.Lend     => buffer.snapshot().hex

    /** Okio consumes digits before it fails: it gets a copy, and skips the bytes that were read. */
    private def okioNumber(buffer: okio.Buffer)(read: okio.Buffer => Long): Long =
      val copy = buffer.copy()
      val number = read(copy)
      buffer.skip(buffer.size - copy.size)
      number

    /** Applies the operation to the arrays. */
    private def updateModel(op: Op, i: Int): Unit =
      val model = models(i)
      val size = model.length.toLong
      def add(suffix: Array[Byte]): Unit = models(i) = model ++ suffix
      def remove(count: Long): Unit = models(i) = model.drop(count.toInt)
      def number(value: Long, bytes: Int, little: Boolean): Unit =
        val order = if little then 0 until bytes else (0 until bytes).reverse
        add(order.map(k => (value >>> (8 * k)).toByte).toArray)
      def removeIfThere(count: Long): Unit = if size >= count then remove(count)
      op.kind match
        case Kind.Bytes   => add(bytes(op))
        case Kind.Byte    => number(op.number, 1, false)
        case Kind.ShortLe => number(op.number, 2, true)
        case Kind.Int     => number(op.number, 4, false)
        case Kind.LongLe  => number(op.number, 8, true)
        case Kind.Double =>
          number(java.lang.Double.doubleToLongBits(op.number.toDouble), 8, false)
        case Kind.Text        => add(op.text.getBytes(UTF_8))
        case Kind.Decimal     => add(op.number.toString.getBytes(UTF_8))
        case Kind.Hexadecimal => add(java.lang.Long.toHexString(op.number).getBytes(UTF_8))
        case Kind.CodePoint   => add(Character.toString(codePoint(op)).getBytes(UTF_8))
        case Kind.ReadByte    => removeIfThere(1)
        case Kind.ReadShort   => removeIfThere(2)
        case Kind.ReadIntLe   => removeIfThere(4)
        case Kind.ReadLong    => removeIfThere(8)
        case Kind.ReadBytes   => removeIfThere(op.number.max(0))
        case Kind.ReadText    => remove(within(op, size))
        case Kind.Skip        => remove(op.number.max(0).min(size))
        case Kind.Clear       => models(i) = Array.empty
        case Kind.Move =>
          val count = within(op, size).toInt
          models(1 - i) = models(1 - i) ++ model.take(count)
          remove(count)
        case Kind.CopyOver =>
          val from = within(op, size).toInt
          models(1 - i) = models(1 - i) ++ model.slice(from, from + 30_000)
        case Kind.CopyToSelf => add(model.take(30_000))
        // The number of bytes read is compared with Okio.
        case Kind.ReadLine | Kind.ReadLineStrict | Kind.ReadDecimal | Kind.ReadHexadecimal |
            Kind.ReadCodePoint | Kind.Select =>
          models(i) = model.takeRight(okios(i).size.toInt)
        case _ => ()
      end match
    end updateModel
  end Pair
end BufferModelTest
