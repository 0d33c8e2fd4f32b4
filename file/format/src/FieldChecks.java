package undercroft.file.format;

import java.util.List;

/** Checks of the parts of a schema. */
final class FieldChecks {
  private FieldChecks() {}

  /** Throws if a value exceeds the `size` bytes of the enclosing type. */
  static void checkPlaces(List<Field> fields, long size, String of) {
    checkPlaces(fields, "", size, of);
  }

  private static void checkPlaces(List<Field> fields, String path, long size, String of) {
    for (var field : fields) {
      var name = path.isEmpty() || field.name().isEmpty() ? path + field.name() : path + "." + field.name();
      switch (field) {
        case Field.Leaf leaf -> {
          long end = (long) leaf.offset() + leaf.type().size();
          if (leaf.offset() < 0 || leaf.type().size() < 1 || end > size)
            throw new IllegalArgumentException(
                name + " ends at " + end + " of " + of + " of " + size + " bytes");
        }
        case Field.Record record -> checkPlaces(record.fields(), name, size, of);
        case Field.Union union -> checkPlaces(union.members(), name, size, of);
      }
    }
  }

  /** Throws if values of a kind are not stored as a type. */
  static void checkStored(LogicalKind kind, Type of) {
    var stored = of instanceof Type.BigEndian big ? big.of() : of;
    boolean isStored =
        switch (kind) {
          case LogicalKind.Date() -> stored == Type.Primitive.INT;
          case LogicalKind.Time(_), LogicalKind.Timestamp(_, _), LogicalKind.Duration(_) -> stored == Type.Primitive.LONG;
          case LogicalKind.Decimal(int precision, _) ->
              stored == Type.Primitive.LONG && precision <= LogicalKind.LONG_DIGITS
                  || of instanceof Type.Struct struct && isPair(struct.fields());
          case LogicalKind.Uuid() -> of instanceof Type.Struct struct && isPair(struct.fields());
          case LogicalKind.Named(_) -> !(of instanceof Type.Logical);
        };
    if (!isStored)
      throw new IllegalArgumentException(
          kind.description() + " cannot be stored as " + of.description());
  }

  /** Throws if values of a kind are not stored as a record of fields. */
  static void checkStored(LogicalKind kind, List<Field> fields) {
    boolean isStored =
        switch (kind) {
          case LogicalKind.Decimal(_, _), LogicalKind.Uuid() -> isPair(fields);
          case LogicalKind.Named(_) -> true;
          default -> false;
        };
    if (!isStored)
      throw new IllegalArgumentException(
          kind.description() + " cannot be stored as " + fields.size() + " fields");
  }

  /** Whether fields are 128 bits, the upper 64 bits first. */
  private static boolean isPair(List<Field> fields) {
    return fields.size() == 2
        && fields.stream()
            .allMatch(field -> field instanceof Field.Leaf leaf && leaf.type() == Type.Primitive.LONG);
  }
}
