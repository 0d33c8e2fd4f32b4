package undercroft.arrow
package internal.exchange

import com.google.flatbuffers.FlatBufferBuilder
import internal.schema.ArrowField
import org.apache.arrow.flatbuf.{
  Binary,
  Bool,
  Date,
  DateUnit,
  Decimal,
  Duration,
  Field,
  FixedSizeBinary,
  FixedSizeList,
  FloatingPoint,
  Int as ArrowInt,
  LargeBinary,
  LargeList,
  LargeUtf8,
  List as ListType,
  Null,
  Precision,
  Struct_,
  Time,
  Timestamp,
  Type as TypeCode,
  Utf8
}
import scala.util.matching.Regex

/** The buffers of an array of the C data interface, without the validity bitmap. */
private[arrow] enum CBuffers derives CanEqual:
  /** Values of a number of bits each. */
  case Values(bits: Long)

  /** Strings or bytes with offsets of 4 or 8 bytes. */
  case Texts(offsetBytes: Int)

  /** Views of strings or bytes, which are copied as values with offsets of 8 bytes. */
  case Views
  case Struct

  /** Lists with offsets of 4 or 8 bytes. */
  case Lists(offsetBytes: Int)
  case Elements(count: Int)

  /** Nulls alone, without any buffer. */
  case Nulls

/** A type of the C data interface as a type of the IPC format. */
private[arrow] final case class CType(
    code: Byte,
    buffers: CBuffers,
    build: FlatBufferBuilder => Int
)

/** The format strings of the C data interface. */
private[arrow] object CFormat:
  private val Integers = "cCsSiIlL"
  private val Units = "smun"
  private val FixedBinary = Regex("w:([0-9]{1,9})")
  private val FixedList = Regex("\\+w:([0-9]{1,9})")
  private val Moment = Regex("ts([smun]):(.*)")
  private val DecimalNumber = Regex("d:([0-9]{1,3}),(-?[0-9]{1,3})(?:,([0-9]{1,3}))?")

  /** The format of a field that `ArrowSchema` builds, or of its indices if it has a dictionary. */
  def of(field: Field): String =
    val dictionary = field.dictionary
    if dictionary == null then value(field)
    else integer(dictionary.indexType.nn)

  /** The format of the values of a field. */
  def value(field: Field): String = field.typeType match
    case TypeCode.Bool => "b"
    case TypeCode.Int  => integer(ArrowField.typed(field, ArrowInt()))
    case TypeCode.FloatingPoint =>
      if ArrowField.typed(field, FloatingPoint()).precision == Precision.SINGLE then "f" else "g"
    case TypeCode.Utf8            => "u"
    case TypeCode.Binary          => "z"
    case TypeCode.List            => "+l"
    case TypeCode.FixedSizeBinary => s"w:${ArrowField.typed(field, FixedSizeBinary()).byteWidth}"
    case TypeCode.FixedSizeList   => s"+w:${ArrowField.typed(field, FixedSizeList()).listSize}"
    case TypeCode.Struct_         => "+s"
    case TypeCode.Date            => "tdD"
    case TypeCode.Time            => s"tt${Units(ArrowField.typed(field, Time()).unit)}"
    case TypeCode.Duration        => s"tD${Units(ArrowField.typed(field, Duration()).unit)}"
    case TypeCode.Timestamp =>
      val timestamp = ArrowField.typed(field, Timestamp())
      s"ts${Units(timestamp.unit)}:${Option(timestamp.timezone).getOrElse("")}"
    case TypeCode.Decimal =>
      val decimal = ArrowField.typed(field, Decimal())
      s"d:${decimal.precision},${decimal.scale}"
    case code => throw IllegalStateException(s"the writer has no fields of type $code")

  private def integer(number: ArrowInt): String =
    val size = Integer.numberOfTrailingZeros(number.bitWidth / 8)
    Integers(2 * size + (if number.isSigned then 0 else 1)).toString

  /** The type of a format string, if the type is supported. */
  def read(format: String): Option[CType] = format match
    case "n"  => Some(CType(TypeCode.Null, CBuffers.Nulls, empty(Null.startNull, Null.endNull)))
    case "b"  => Some(CType(TypeCode.Bool, CBuffers.Values(1), empty(Bool.startBool, Bool.endBool)))
    case "e"  => real(Precision.HALF, 16)
    case "f"  => real(Precision.SINGLE, 32)
    case "g"  => real(Precision.DOUBLE, 64)
    case "u"  => Some(CType(TypeCode.Utf8, CBuffers.Texts(4), empty(Utf8.startUtf8, Utf8.endUtf8)))
    case "U"  => Some(CType(TypeCode.LargeUtf8, CBuffers.Texts(8), largeText))
    case "vu" => Some(CType(TypeCode.LargeUtf8, CBuffers.Views, largeText))
    case "z" =>
      val build = empty(Binary.startBinary, Binary.endBinary)
      Some(CType(TypeCode.Binary, CBuffers.Texts(4), build))
    case "Z"  => Some(CType(TypeCode.LargeBinary, CBuffers.Texts(8), largeBinary))
    case "vz" => Some(CType(TypeCode.LargeBinary, CBuffers.Views, largeBinary))
    case "+l" =>
      val build = empty(ListType.startList, ListType.endList)
      Some(CType(TypeCode.List, CBuffers.Lists(4), build))
    case "+L" =>
      val build = empty(LargeList.startLargeList, LargeList.endLargeList)
      Some(CType(TypeCode.LargeList, CBuffers.Lists(8), build))
    case "+s" =>
      val build = empty(Struct_.startStruct_, Struct_.endStruct_)
      Some(CType(TypeCode.Struct_, CBuffers.Struct, build))
    case "tdD" => values(TypeCode.Date, 32, Date.createDate(_, DateUnit.DAY))
    case "tdm" => values(TypeCode.Date, 64, Date.createDate(_, DateUnit.MILLISECOND))
    case FixedBinary(bytes) =>
      val size = bytes.nn.toInt
      values(TypeCode.FixedSizeBinary, 8L * size, FixedSizeBinary.createFixedSizeBinary(_, size))
    case FixedList(count) =>
      val size = count.nn.toInt
      val build = (builder: FlatBufferBuilder) => FixedSizeList.createFixedSizeList(builder, size)
      Some(CType(TypeCode.FixedSizeList, CBuffers.Elements(size), build))
    case Moment(unit, place) =>
      val zone = place.nn
      values(
        TypeCode.Timestamp,
        64,
        builder =>
          val name = if zone.isEmpty then 0 else builder.createString(zone)
          Timestamp.createTimestamp(builder, number(unit.nn), name)
      )
    case DecimalNumber(precision, scale, bits) =>
      val size = Option(bits).fold(128)(_.toInt)
      if !Seq(32, 64, 128, 256).contains(size) then None
      else
        val (digits, places) = (precision.nn.toInt, scale.nn.toInt)
        values(TypeCode.Decimal, size, Decimal.createDecimal(_, digits, places, size))
    case _ if format.length == 1 && Integers.contains(format) =>
      val index = Integers.indexOf(format)
      val bits = 8 << index / 2
      values(TypeCode.Int, bits, ArrowInt.createInt(_, bits, index % 2 == 0))
    case _ if format.length == 3 && Units.contains(format.substring(2)) =>
      val unit = number(format.substring(2).nn)
      if format.startsWith("tt") then
        val bits = if unit < 2 then 32 else 64
        values(TypeCode.Time, bits, Time.createTime(_, unit, bits))
      else if format.startsWith("tD") then
        values(TypeCode.Duration, 64, Duration.createDuration(_, unit))
      else None
    case _ => None

  private def number(unit: String): Short = Units.indexOf(unit).toShort

  private def values(code: Byte, bits: Long, build: FlatBufferBuilder => Int): Option[CType] =
    Some(CType(code, CBuffers.Values(bits), build))

  private def real(precision: Short, bits: Long): Option[CType] =
    values(TypeCode.FloatingPoint, bits, FloatingPoint.createFloatingPoint(_, precision))

  private def largeText: FlatBufferBuilder => Int =
    empty(LargeUtf8.startLargeUtf8, LargeUtf8.endLargeUtf8)

  private def largeBinary: FlatBufferBuilder => Int =
    empty(LargeBinary.startLargeBinary, LargeBinary.endLargeBinary)

  /** Builds a type that has no properties. */
  private def empty(
      start: FlatBufferBuilder => Unit,
      end: FlatBufferBuilder => Int
  ): FlatBufferBuilder => Int = builder =>
    start(builder)
    end(builder)
end CFormat
