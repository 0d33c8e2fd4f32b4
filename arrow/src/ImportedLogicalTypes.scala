package undercroft.arrow

import java.nio.charset.StandardCharsets.UTF_8
import undercroft.file.format.{Field, LogicalKind, Type}

/** The logical types of a struct file for the fields of an Arrow file. */
private[arrow] object ImportedLogicalTypes:

  /** The type of values with the meaning of a field; None if the field has none, or a decimal that
    * is not stored.
    */
  def of(field: ArrowField): Option[Type.Logical] =
    if field.dictionary.isDefined then None
    else
      field.tpe match
        case ArrowType.Textual(TextualType.Date(_)) =>
          Some(Type.Logical(Type.Primitive.INT, LogicalKind.Date()))
        case ArrowType.Textual(TextualType.Time(_, ticks)) =>
          Some(Type.Logical(Type.Primitive.LONG, LogicalKind.Time(unit(ticks))))
        case ArrowType.Textual(TextualType.Timestamp(ticks, isUtc)) =>
          Some(Type.Logical(Type.Primitive.LONG, LogicalKind.Timestamp(unit(ticks), isUtc)))
        case ArrowType.Duration(ticks) =>
          Some(Type.Logical(Type.Primitive.LONG, LogicalKind.Duration(unit(ticks))))
        case ArrowType.Textual(decimal: TextualType.Decimal) => this.decimal(decimal)
        case _ => Option.when(field.isUuid)(Type.Logical(Pair, LogicalKind.Uuid()))

  /** A decimal without its least digits 0, or with leading zeros, has more digits than it states.
    * Of more than 38, the values decide.
    */
  private def decimal(decimal: TextualType.Decimal): Option[Type.Logical] =
    val scale = Math.max(0, decimal.scale)
    val digits = Math.max(decimal.precision - Math.min(0, decimal.scale), scale)
    Option.when(scale <= LogicalKind.MOST_DIGITS):
      val kind = LogicalKind.Decimal(Math.min(digits, LogicalKind.MOST_DIGITS), scale)
      val stored = if kind.precision <= LogicalKind.LONG_DIGITS then Type.Primitive.LONG else Pair
      Type.Logical(stored, kind)

  /** The name of a user's type, which the writer of a table stores with the field. */
  def name(field: ArrowField): Option[LogicalKind] =
    field.metadata
      .get(ArrowSchema.LogicalTypeKey)
      // Bytes that are not UTF-8 are more bytes in the schema.
      .filter(name => name.nonEmpty && name.getBytes(UTF_8).nn.length <= LogicalKind.LONGEST_NAME)
      .map(LogicalKind.Named(_))

  /** 128 bits, as a table stores them. */
  private val Pair: Type.Struct = Type.Struct(
    "Bits128",
    16,
    java.util.List.of(
      Field.Leaf("high", 0, Type.Primitive.LONG),
      Field.Leaf("low", 8, Type.Primitive.LONG)
    )
  )

  private def unit(ticks: Long): LogicalKind.Unit =
    LogicalKind.Unit.values.find(_.nn.perSecond == ticks).get.nn
end ImportedLogicalTypes
