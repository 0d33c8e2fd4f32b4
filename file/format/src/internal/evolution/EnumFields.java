package undercroft.file.format.internal.evolution;

import java.util.List;
import undercroft.file.format.Field;
import undercroft.file.format.Type;
import undercroft.file.format.internal.schema.TypeConversion;

/** An enum in a schema: its case number, and the fields of its cases.
 *
 * @param tag the case number, with the names of all cases
 * @param members the cases, each with its fields; empty if no case has fields
 */
public record EnumFields(Field.Leaf tag, List<Field> members) {
  /** The name of the field of the case number. */
  private static final String TAG = "tag";

  /** The enum whose parts are the fields of a record; null if they are not an enum. */
  public static EnumFields of(List<Field> fields) {
    if (fields.isEmpty() || fields.size() > 2) return null;
    if (!(fields.getFirst() instanceof Field.Leaf tag) || !tag.name().equals(TAG)) return null;
    if (!(TypeConversion.plain(tag.type()) instanceof Type.Ordinal number)) return null;
    if (number.cases().isEmpty()) return null;
    if (fields.size() == 1) return new EnumFields(tag, List.of());
    if (!(fields.getLast() instanceof Field.Union union) || !union.name().isEmpty()) return null;
    boolean hasCases =
        union.members().stream()
            .allMatch(member -> member instanceof Field.Record && number.cases().contains(member.name()));
    return hasCases ? new EnumFields(tag, union.members()) : null;
  }

  /** The same enum with other names of its cases, by number. */
  public EnumFields renamed(List<String> names) {
    if (names.equals(cases())) return this;
    var renamed =
        members.stream()
            .map(
                member -> {
                  var record = (Field.Record) member;
                  var name = names.get(cases().indexOf(record.name()));
                  return (Field) new Field.Record(name, record.typeName(), record.fields(), record.kind());
                })
            .toList();
    return new EnumFields(new Field.Leaf(tag.name(), tag.offset(), renamed(tag.type(), names)), renamed);
  }

  private static Type renamed(Type type, List<String> names) {
    return switch (type) {
      case Type.Ordinal ordinal -> new Type.Ordinal(ordinal.of(), names);
      case Type.BigEndian big -> new Type.BigEndian(renamed(big.of(), names));
      case Type.Logical logical -> new Type.Logical(renamed(logical.of(), names), logical.kind());
      default -> throw new IllegalArgumentException("not the number of a case: " + type);
    };
  }

  public boolean hasFields() {
    return !members.isEmpty();
  }

  /** The names of the cases, by number. */
  public List<String> cases() {
    return ((Type.Ordinal) TypeConversion.plain(tag.type())).cases();
  }

  /** The fields of a case. */
  public List<Field> fields(String name) {
    for (var member : members)
      if (member.name().equals(name)) return ((Field.Record) member).fields();
    return List.of();
  }
}
