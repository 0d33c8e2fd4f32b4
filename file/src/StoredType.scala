package undercroft.file

import undercroft.file.format.{Field, LogicalKind, Type}

/** The types of fields for values of other systems that have a meaning. */
private[undercroft] object StoredType:
  def of(kind: LogicalKind): Type.Logical =
    val stored = kind match
      case _: LogicalKind.Date => Type.Primitive.INT
      case _: LogicalKind.Uuid => Pair
      case decimal: LogicalKind.Decimal if decimal.precision > LogicalKind.LONG_DIGITS => Pair
      case _ => Type.Primitive.LONG
    Type.Logical(stored, kind)

  /** 128 bits, as a table stores them. */
  private val Pair: Type.Struct = Type.Struct(
    "Bits128",
    16,
    java.util.List.of(
      Field.Leaf("high", 0, Type.Primitive.LONG),
      Field.Leaf("low", 8, Type.Primitive.LONG)
    )
  )
end StoredType
