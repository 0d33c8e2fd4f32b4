package undercroft.arrow
package internal.columns

import internal.schema.{ArrowField, ArrowSchema, ArrowType, TextualType}
import java.nio.charset.StandardCharsets.UTF_8
import undercroft.file.StoredType
import undercroft.file.format.{LogicalKind, Type}

/** The logical types of a struct file for the fields of an Arrow file. */
private[arrow] object ImportedLogicalTypes:

  /** The type of values with the meaning of a field; None if the field has none, or a decimal that
    * is not stored.
    */
  def of(field: ArrowField): Option[Type.Logical] =
    if field.dictionary.isDefined then None
    else
      field.tpe match
        case ArrowType.Textual(TextualType.Date(_)) => Some(StoredType.of(LogicalKind.Date()))
        case ArrowType.Textual(TextualType.Time(_, ticks)) =>
          Some(StoredType.of(LogicalKind.Time(unit(ticks))))
        case ArrowType.Textual(TextualType.Timestamp(ticks, isUtc)) =>
          Some(StoredType.of(LogicalKind.Timestamp(unit(ticks), isUtc)))
        case ArrowType.Duration(ticks) => Some(StoredType.of(LogicalKind.Duration(unit(ticks))))
        case ArrowType.Textual(decimal: TextualType.Decimal) => this.decimal(decimal)
        case _ => Option.when(field.isUuid)(StoredType.of(LogicalKind.Uuid()))

  /** A decimal without its least digits 0, or with leading zeros, has more digits than it states.
    * Of more than 38, the values decide.
    */
  private def decimal(decimal: TextualType.Decimal): Option[Type.Logical] =
    val scale = Math.max(0, decimal.scale)
    val digits = Math.max(decimal.precision - Math.min(0, decimal.scale), scale)
    Option.when(scale <= LogicalKind.MOST_DIGITS):
      StoredType.of(LogicalKind.Decimal(Math.min(digits, LogicalKind.MOST_DIGITS), scale))

  /** The name of a user's type, which the writer of a table stores with the field. */
  def name(field: ArrowField): Option[LogicalKind] =
    field.metadata
      .get(ArrowSchema.LogicalTypeKey)
      // Bytes that are not UTF-8 are more bytes in the schema.
      .filter(name => name.nonEmpty && name.getBytes(UTF_8).nn.length <= LogicalKind.LONGEST_NAME)
      .map(LogicalKind.Named(_))

  private def unit(ticks: Long): LogicalKind.Unit =
    LogicalKind.Unit.values.find(_.nn.perSecond == ticks).get.nn
end ImportedLogicalTypes
