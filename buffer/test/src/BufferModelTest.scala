package undercroft.buffer

import java.io.EOFException
import java.nio.charset.StandardCharsets.UTF_8
import org.scalacheck.{Gen, Shrink}
import munit.Assertions.{assertEquals, intercept}
import org.scalacheck.Prop.forAll

/** Random operations on two buffers, beside the same on arrays and on Okio's buffers. A failure
  * prints its seed and the shortest list of operations that was found to fail.
  */
class BufferModelTest extends undercroft.house.PropertySuite:
  import BufferModelTest.*

  override def scalaCheckTestParameters =
    super.scalaCheckTestParameters.withMinSuccessfulTests(40).withMaxSize(60)

  for (name, pool) <- Pools.all do
    property(s"with segments from a pool that is $name, every operation does what an array does"):
      given Shrink[Op] = Shrink.shrinkAny
      forAll(Gen.listOf(op)): ops =>
        val home = pool()
        val pair = Pair(home, home)
        ops.foreach(pair.run)
        pair.clear()
        home.assertAllHome()
        assertEquals(home.metrics.live, 0L)
        true

  property("with segments on the heap in one buffer and outside it in another, just so"):
    given Shrink[Op] = Shrink.shrinkAny
    forAll(Gen.listOf(op)): ops =>
      val homes =
        SegmentMemory.values.map(memory => SegmentPool.lockFree(debug = true, memory = memory))
      val pair = Pair(homes(0), homes(1))
      ops.foreach(pair.run)
      pair.clear()
      homes.foreach(_.assertAllHome())
      homes.foreach(_.native.assertAllHome())
      true
end BufferModelTest

object BufferModelTest:
  /** An operation on one of two buffers; numbers are taken modulo what there is. */
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

  /** Two of our buffers, of Okio's and of arrays. */
  final class Pair(pool: SegmentPool, other: SegmentPool):
    private val ours = Array(Buffer(using pool), Buffer(using other))
    private val okios = Array.fill(2)(okio.Buffer())
    private val models = Array.fill(2)(Array.empty[Byte])
    private val choices =
      Options(options.filter(_.nonEmpty).map(ByteString.utf8)*)
    private val okioChoices = okio.Options.of(
      options.filter(_.nonEmpty).map(text => okio.ByteString.encodeUtf8(text)).toArray*
    )

    def clear(): Unit = ours.foreach(_.clear())

    def run(op: Op): Unit =
      val i = if op.second then 1 else 0
      val (our, other, theirs) = (ours(i), ours(1 - i), okios(i))
      val before = models(i)
      val found = outcome(onOurs(op, our, other))
      val expected = outcome(onOkio(op, theirs, okios(1 - i)))
      if found != expected then throw AssertionError(s"$op: $found, but Okio $expected")
      updateModel(op, i)
      for k <- 0 to 1 do
        val content = new Array[Byte](ours(k).size.toInt)
        ours(k).copyTo(0, content)
        val right = models(k)
        if !java.util.Arrays.equals(content, right) || ours(k).size != right.length then
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

    /** At most 20 000 bytes that differ. */
    private def bytes(op: Op): Array[Byte] =
      Array.tabulate(java.lang.Math.floorMod(op.number, 20_001L).toInt)(i => (i * 7).toByte)

    private def codePoint(op: Op): Int =
      java.lang.Math.floorMod(op.number, 0x110000L).toInt

    private def onOurs(op: Op, it: Buffer, other: Buffer): Any = op.kind match
      case Kind.Bytes       => it.write(bytes(op)).size
      case Kind.Byte        => it.writeByte(op.number.toInt).size
      case Kind.ShortLe     => it.writeShortLe(op.number.toInt).size
      case Kind.Int         => it.writeInt(op.number.toInt).size
      case Kind.LongLe      => it.writeLongLe(op.number).size
      case Kind.Double      => it.writeDouble(op.number.toDouble).size
      case Kind.Text        => it.writeUtf8(op.text).size
      case Kind.Decimal     => it.writeDecimalLong(op.number).size
      case Kind.Hexadecimal => it.writeHexadecimalUnsignedLong(op.number).size
      case Kind.CodePoint   => it.writeUtf8CodePoint(codePoint(op)).size
      case Kind.ReadByte    => it.readByte()
      case Kind.ReadShort   => it.readShort()
      case Kind.ReadIntLe   => it.readIntLe()
      case Kind.ReadLong    => it.readLong()
      case Kind.ReadBytes =>
        it.readByteString(op.number.max(0).min(it.size + 1)).hex
      case Kind.ReadText        => it.readUtf8(within(op, it.size))
      case Kind.ReadLine        => it.readUtf8Line()
      case Kind.ReadLineStrict  => it.readUtf8LineStrict(op.number.max(0))
      case Kind.ReadDecimal     => it.readDecimalLong()
      case Kind.ReadHexadecimal => it.readHexadecimalUnsignedLong()
      case Kind.ReadCodePoint   => it.readUtf8CodePoint()
      case Kind.Skip            => it.skip(op.number.max(0).min(it.size)); it.size
      case Kind.Move            => other.write(it, within(op, it.size)); other.size
      case Kind.CopyOver =>
        val from = within(op, it.size)
        it.copyTo(other, from, (it.size - from).min(30_000))
        other.size
      case Kind.CopyToSelf => it.copyTo(it, 0, it.size.min(30_000)); it.size
      case Kind.Clone =>
        val clone = it.clone()
        val same = clone == it && clone.hashCode == it.hashCode && clone.mismatch(it) == -1
        clone.writeByte(1): Unit
        val differs = clone != it && clone.mismatch(it) == it.size
        clone.clear()
        same && differs
      case Kind.Get =>
        if it.size == 0 then "" else it(within(op, it.size - 1))
      case Kind.Find      => it.indexOf(op.number.toByte, within(op, it.size))
      case Kind.FindBytes => it.indexOf(ByteString.utf8(op.text + "a"), within(op, it.size))
      case Kind.FindElement =>
        it.indexOfElement(ByteString.utf8("\n7" + op.text), within(op, it.size))
      case Kind.Range => it.rangeEquals(within(op, it.size), ByteString.utf8(op.text))
      case Kind.Same  => it == other
      case Kind.Peek =>
        val peek = it.peek()
        val seen = peek.readByteString(within(op, it.size)).hex
        peek.close()
        seen
      case Kind.Select   => it.select(choices)
      case Kind.Clear    => it.clear(); it.size
      case Kind.Snapshot => it.snapshot(within(op, it.size).min(60_000).toInt).hex
      case Kind.Lend     => lent(it)

    /** What native code reads of a buffer that is lent, which nobody else may use meanwhile. */
    private def lent(it: Buffer): String =
      val before = it.copiedBytes
      val onHeap = (0 until it.segmentCount).map(it.segment).filter(_.data != null).map(_.size).sum
      val found = it.lend: vectors =>
        intercept[IllegalStateException](it.readByte()): Unit
        Lent.bytes(vectors)
      assertEquals(it.copiedBytes - before, onHeap.toLong)
      ByteString(found).hex

    private def onOkio(op: Op, it: okio.Buffer, other: okio.Buffer): Any = op.kind match
      case Kind.Bytes   => it.write(bytes(op)).size
      case Kind.Byte    => it.writeByte(op.number.toInt).size
      case Kind.ShortLe => it.writeShortLe(op.number.toInt).size
      case Kind.Int     => it.writeInt(op.number.toInt).size
      case Kind.LongLe  => it.writeLongLe(op.number).size
      case Kind.Double  => it.writeLong(java.lang.Double.doubleToLongBits(op.number.toDouble)).size
      case Kind.Text    => it.writeUtf8(op.text).size
      case Kind.Decimal => it.writeDecimalLong(op.number).size
      case Kind.Hexadecimal => it.writeHexadecimalUnsignedLong(op.number).size
      case Kind.CodePoint   => it.writeUtf8CodePoint(codePoint(op)).size
      case Kind.ReadByte    => it.readByte()
      case Kind.ReadShort   => it.readShort()
      case Kind.ReadIntLe   => it.readIntLe()
      case Kind.ReadLong    => it.readLong()
      case Kind.ReadBytes =>
        it.readByteString(op.number.max(0).min(it.size + 1)).hex
      case Kind.ReadText        => it.readUtf8(within(op, it.size))
      case Kind.ReadLine        => it.readUtf8Line()
      case Kind.ReadLineStrict  => it.readUtf8LineStrict(op.number.max(0))
      case Kind.ReadDecimal     => okioNumber(it)(_.readDecimalLong())
      case Kind.ReadHexadecimal => okioNumber(it)(_.readHexadecimalUnsignedLong())
      case Kind.ReadCodePoint   => it.readUtf8CodePoint()
      case Kind.Skip            => it.skip(op.number.max(0).min(it.size)); it.size
      case Kind.Move            => other.write(it, within(op, it.size)); other.size
      case Kind.CopyOver =>
        val from = within(op, it.size)
        it.copyTo(other, from, (it.size - from).min(30_000))
        other.size
      case Kind.CopyToSelf =>
        it.write(it.snapshot(it.size.min(30_000).toInt)).size
      case Kind.Clone => true
      case Kind.Get   => if it.size == 0 then "" else it.getByte(within(op, it.size - 1))
      case Kind.Find  => it.indexOf(op.number.toByte, within(op, it.size))
      case Kind.FindBytes =>
        it.indexOf(okio.ByteString.encodeUtf8(op.text + "a"), within(op, it.size))
      case Kind.FindElement =>
        it.indexOfElement(okio.ByteString.encodeUtf8("\n7" + op.text), within(op, it.size))
      case Kind.Range =>
        it.rangeEquals(within(op, it.size), okio.ByteString.encodeUtf8(op.text))
      case Kind.Same     => it.equals(other)
      case Kind.Peek     => it.peek().readByteString(within(op, it.size)).hex
      case Kind.Select   => it.select(okioChoices)
      case Kind.Clear    => it.clear(); it.size
      case Kind.Snapshot => it.snapshot(within(op, it.size).min(60_000).toInt).hex
      case Kind.Lend     => it.snapshot().hex

    /** Okio consumes digits before it fails: it is given a copy, and skips what was read. */
    private def okioNumber(it: okio.Buffer)(read: okio.Buffer => Long): Long =
      val copy = it.copy()
      val number = read(copy)
      it.skip(it.size - copy.size)
      number

    /** What the operation means for arrays. */
    private def updateModel(op: Op, i: Int): Unit =
      val it = models(i)
      val size = it.length.toLong
      def add(more: Array[Byte]): Unit = models(i) = it ++ more
      def remove(count: Long): Unit = models(i) = it.drop(count.toInt)
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
          models(1 - i) = models(1 - i) ++ it.take(count)
          remove(count)
        case Kind.CopyOver =>
          val from = within(op, size).toInt
          models(1 - i) = models(1 - i) ++ it.slice(from, from + 30_000)
        case Kind.CopyToSelf => add(it.take(30_000))
        // How far these read is compared with Okio.
        case Kind.ReadLine | Kind.ReadLineStrict | Kind.ReadDecimal | Kind.ReadHexadecimal |
            Kind.ReadCodePoint | Kind.Select =>
          models(i) = it.takeRight(okios(i).size.toInt)
        case _ => ()
      end match
    end updateModel
  end Pair
end BufferModelTest
