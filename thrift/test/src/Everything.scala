package undercroft.thrift

import java.nio.ByteBuffer
import java.util.UUID
import org.apache.thrift.TSerializable
import org.apache.thrift.protocol.*

/** A message with a field of each type, written by hand as the compiler would for this:
  *
  * {{{
  * struct Everything {
  *   1: bool yes           2: i8 small           3: i16 short      4: i32 int
  *   5: i64 long           6: double real        7: string text    8: binary bytes
  *   9: list<i32> numbers  10: set<string> words 11: map<string, i64> counts
  *   12: uuid id           13: list<Everything> children
  * }
  * }}}
  */
final class Everything extends TSerializable derives CanEqual:
  var yes = false
  var small: Byte = 0
  var short: Short = 0
  var int = 0
  var long = 0L
  var real = 0.0
  var text = ""
  var bytes: ByteBuffer = ByteBuffer.allocate(0)
  var numbers = Vector.empty[Int]
  var words = Set.empty[String]
  var counts = Map.empty[String, Long]
  var id = UUID(0, 0)
  var children = Vector.empty[Everything]

  private def all: Product =
    (yes, small, short, int, long, real, text, bytes, numbers, words, counts, id, children)

  override def equals(other: Any): Boolean = other match
    case that: Everything => all.equals(that.all)
    case _                => false
  override def hashCode: Int = all.hashCode
  override def toString: String = s"Everything$all"

  def write(to: TProtocol): Unit =
    import Everything.*
    to.writeStructBegin(struct)
    def field(number: Int)(value: => Unit): Unit =
      to.writeFieldBegin(fields(number))
      value
      to.writeFieldEnd()
    field(1)(to.writeBool(yes))
    field(2)(to.writeByte(small))
    field(3)(to.writeI16(short))
    field(4)(to.writeI32(int))
    field(5)(to.writeI64(long))
    field(6)(to.writeDouble(real))
    field(7)(to.writeString(text))
    field(8)(to.writeBinary(bytes))
    field(9):
      to.writeListBegin(TList(TType.I32, numbers.size))
      numbers.foreach(to.writeI32)
      to.writeListEnd()
    field(10):
      to.writeSetBegin(TSet(TType.STRING, words.size))
      words.foreach(to.writeString)
      to.writeSetEnd()
    field(11):
      to.writeMapBegin(TMap(TType.STRING, TType.I64, counts.size))
      for (word, count) <- counts do
        to.writeString(word)
        to.writeI64(count)
      to.writeMapEnd()
    field(12)(to.writeUuid(id))
    field(13):
      to.writeListBegin(TList(TType.STRUCT, children.size))
      children.foreach(_.write(to))
      to.writeListEnd()
    to.writeFieldStop()
    to.writeStructEnd()
  end write

  def read(from: TProtocol): Unit =
    from.readStructBegin()
    var field = from.readFieldBegin()
    while field.`type` != TType.STOP do
      if field.id < 1 || field.id > 13 || Everything.fields(field.id).`type` != field.`type` then
        TProtocolUtil.skip(from, field.`type`)
      else value(field.id, from)
      from.readFieldEnd()
      field = from.readFieldBegin()
    from.readStructEnd()

  private def value(id: Short, from: TProtocol): Unit = id match
    case 1 => yes = from.readBool()
    case 2 => small = from.readByte()
    case 3 => short = from.readI16()
    case 4 => int = from.readI32()
    case 5 => long = from.readI64()
    case 6 => real = from.readDouble()
    case 7 => text = from.readString()
    case 8 => bytes = from.readBinary()
    case 9 =>
      numbers = times(from.readListBegin().size)(from.readI32())
      from.readListEnd()
    case 10 =>
      words = times(from.readSetBegin().size)(from.readString()).toSet
      from.readSetEnd()
    case 11 =>
      counts = times(from.readMapBegin().size)(from.readString() -> from.readI64()).toMap
      from.readMapEnd()
    case 12 => this.id = from.readUuid()
    case _ =>
      children = times(from.readListBegin().size):
        val child = Everything()
        child.read(from)
        child
      from.readListEnd()

  /** Reads elements like generated code: presizes for the declared count, then reads one after
    * another.
    */
  private def times[A](size: Int)(element: => A): Vector[A] =
    val list = java.util.ArrayList[A](size)
    var i = 0
    while i < size do
      list.add(element): Unit
      i += 1
    scala.jdk.CollectionConverters.ListHasAsScala(list).asScala.toVector
end Everything

object Everything:
  private val struct = TStruct("Everything")
  private val fields: Vector[TField] =
    import TType.*
    val types =
      Vector(BOOL, BYTE, I16, I32, I64, DOUBLE, STRING, STRING, LIST, SET, MAP, TType.UUID, LIST)
    TField("", STOP, 0) +: types.zipWithIndex.map((kind, i) => TField("", kind, (i + 1).toShort))

  /** Strings with characters of one, two, three and four bytes. */
  private val texts = Vector("", "plain", "nöt ASCII", "日本", "🂡", "x" * 300, "ü" * 9000)

  /** Random values from a seed, with `levels` levels of children. */
  def random(random: java.util.Random, levels: Int): Everything =
    val message = Everything()
    message.yes = random.nextBoolean()
    message.small = random.nextInt.toByte
    message.short = random.nextInt.toShort
    message.int = random.nextInt
    message.long = random.nextLong >> random.nextInt(64)
    message.real = random.nextGaussian
    message.text = texts(random.nextInt(texts.size - 1 + levels.min(1)))
    val array = new Array[Byte](random.nextInt(20) * random.nextInt(20))
    random.nextBytes(array)
    message.bytes = ByteBuffer.wrap(array)
    message.numbers = Vector.fill(random.nextInt(20))(random.nextInt >> random.nextInt(32))
    message.words = Set.fill(random.nextInt(4))(texts(random.nextInt(5)))
    val counts = Seq.fill(random.nextInt(3))(texts(random.nextInt(5)) -> random.nextLong)
    message.counts = Map.from(counts)
    message.id = UUID(random.nextLong, random.nextLong)
    if levels > 0 then
      message.children = Vector.fill(random.nextInt(4))(Everything.random(random, levels - 1))
    message
  end random
end Everything
