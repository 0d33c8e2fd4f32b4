package outside.thrift

import java.nio.ByteBuffer
import java.util.UUID
import org.apache.thrift.{TFieldIdEnum, TSerializable, TUnion}
import org.apache.thrift.protocol.*

/** The code that Thrift's compiler generates for
  *
  * {{{
  * struct Order {
  *   1: required string id  2: i64 price            3: list<string> tags
  *   4: binary bytes        5: Order next           6: map<string, i32> counts
  *   7: set<i64> marks      8: Payment payment      9: uuid key
  *   10: bool isPaid        11: double weight
  * }
  * }}}
  */
final class Order(var id: String = null) extends TSerializable:
  var price = 0L
  var tags = Vector.empty[String]
  var bytes = ByteBuffer.allocate(0)
  var next: Order = null
  var counts = Map.empty[String, Int]
  var marks = Set.empty[Long]
  var payment: Payment = null
  var key = UUID(0, 0)
  var isPaid = false
  var weight = 0.0

  private def all: Product =
    (id, price, tags, bytes, next, counts, marks, payment, key, isPaid, weight)
  override def equals(other: Any): Boolean = other match
    case that: Order => all == that.all
    case _           => false
  override def hashCode: Int = all.hashCode
  override def toString: String = s"Order$all"

  private def validate(): Unit =
    if id == null then throw TProtocolException(s"Required field 'id' was not present!")

  def write(to: TProtocol): Unit =
    validate()
    to.writeStructBegin(Order.struct)
    writeFields(to)
    to.writeFieldStop()
    to.writeStructEnd()

  /** Writes the fields without the stop field, so that tests can write other fields behind them. */
  def writeFields(to: TProtocol): Unit =
    def field(id: Int, kind: Byte)(value: => Unit): Unit =
      to.writeFieldBegin(TField("", kind, id.toShort))
      value
      to.writeFieldEnd()
    if id != null then field(1, TType.STRING)(to.writeString(id))
    field(2, TType.I64)(to.writeI64(price))
    field(3, TType.LIST):
      to.writeListBegin(TList(TType.STRING, tags.size))
      for tag <- tags do to.writeString(tag)
      to.writeListEnd()
    field(4, TType.STRING)(to.writeBinary(bytes))
    if next != null then field(5, TType.STRUCT)(next.write(to))
    field(6, TType.MAP):
      to.writeMapBegin(TMap(TType.STRING, TType.I32, counts.size))
      for (name, count) <- counts do
        to.writeString(name)
        to.writeI32(count)
      to.writeMapEnd()
    field(7, TType.SET):
      to.writeSetBegin(TSet(TType.I64, marks.size))
      for mark <- marks do to.writeI64(mark)
      to.writeSetEnd()
    if payment != null then field(8, TType.STRUCT)(payment.write(to))
    field(9, TType.UUID)(to.writeUuid(key))
    field(10, TType.BOOL)(to.writeBool(isPaid))
    field(11, TType.DOUBLE)(to.writeDouble(weight))
  end writeFields

  def read(from: TProtocol): Unit =
    from.readStructBegin()
    var field = from.readFieldBegin()
    while field.`type` != TType.STOP do
      if Order.kinds.get(field.id).contains(field.`type`) then readValue(field.id, from)
      else TProtocolUtil.skip(from, field.`type`)
      from.readFieldEnd()
      field = from.readFieldBegin()
    from.readStructEnd()
    validate()

  private def readValue(id: Short, from: TProtocol): Unit = id match
    case 1 => this.id = from.readString()
    case 2 => price = from.readI64()
    case 3 =>
      val size = from.readListBegin().size
      val list = java.util.ArrayList[String](size) // as generated: for the declared size
      for _ <- 0 until size do list.add(from.readString())
      tags = list.toArray(new Array[String](0)).toVector
      from.readListEnd()
    case 4 => bytes = from.readBinary()
    case 5 =>
      next = Order()
      next.read(from)
    case 6 =>
      val size = from.readMapBegin().size
      counts = (0 until size).iterator.map(_ => from.readString() -> from.readI32()).toMap
      from.readMapEnd()
    case 7 =>
      val size = from.readSetBegin().size
      marks = (0 until size).iterator.map(_ => from.readI64()).toSet
      from.readSetEnd()
    case 8 =>
      payment = Payment()
      payment.read(from)
    case 9  => key = from.readUuid()
    case 10 => isPaid = from.readBool()
    case _  => weight = from.readDouble()

  def clear(): Unit = ()
end Order

object Order:
  private val struct = TStruct("Order")
  private val kinds: Map[Short, Byte] =
    import TType.*
    Vector(STRING, I64, LIST, STRING, STRUCT, MAP, SET, STRUCT, TType.UUID, BOOL, DOUBLE)
      .zipWithIndex.map((kind, i) => (i + 1).toShort -> kind).toMap

  /** An order with a value in each field, and `levels` orders inside it. */
  def sample(levels: Int = 1): Order =
    val order = Order("UND-251 ü 日本 🂡")
    order.price = -251L << 33
    order.tags = Vector("", "plain", "nöt ASCII", "x" * 40)
    order.bytes = ByteBuffer.wrap(Array.tabulate[Byte](20)(i => (i * 37).toByte))
    order.counts = Map("a" -> 1, "b" -> -1)
    order.marks = Set(0L, Long.MaxValue)
    order.payment = Payment.card("1234")
    order.key = UUID(1, -1)
    order.isPaid = true
    order.weight = 0.1
    if levels > 0 then order.next = sample(levels - 1)
    order
end Order

/** The generated code of `union Payment { 1: string card, 2: i64 cash }`. */
final class Payment extends TUnion[Payment, PaymentField]:
  protected def checkType(field: PaymentField, value: Any): Unit = ()
  protected def standardSchemeReadValue(from: TProtocol, field: TField): AnyRef =
    (field.id, field.`type`) match
      case (1, TType.STRING) => from.readString()
      case (2, TType.I64)    => java.lang.Long.valueOf(from.readI64())
      case (_, kind) =>
        TProtocolUtil.skip(from, kind)
        null
  protected def standardSchemeWriteValue(to: TProtocol): Unit = getFieldValue match
    case text: String         => to.writeString(text)
    case cash: java.lang.Long => to.writeI64(cash)
  protected def tupleSchemeReadValue(from: TProtocol, id: Short): AnyRef =
    throw UnsupportedOperationException()
  protected def tupleSchemeWriteValue(to: TProtocol): Unit = throw UnsupportedOperationException()
  protected def getStructDesc: TStruct = TStruct("Payment")
  protected def getFieldDesc(field: PaymentField): TField = field.description
  protected def enumForId(id: Short): PaymentField = fieldForId(id)
  def fieldForId(id: Int): PaymentField = PaymentField.values(id - 1)
  def deepCopy(): Payment = throw UnsupportedOperationException()
  def compareTo(that: Payment): Int = throw UnsupportedOperationException()
  override def hashCode: Int = (getSetField, getFieldValue).hashCode
  override def equals(other: Any): Boolean = other match
    case that: Payment => getSetField == that.getSetField && getFieldValue == that.getFieldValue
    case _             => false
end Payment

object Payment:
  def card(number: String): Payment =
    val payment = Payment()
    payment.setFieldValue(PaymentField.Card, number)
    payment

enum PaymentField(val description: TField) extends TFieldIdEnum:
  case Card extends PaymentField(TField("card", TType.STRING, 1))
  case Cash extends PaymentField(TField("cash", TType.I64, 2))

  def getThriftFieldId: Short = description.id
  def getFieldName: String = description.name
