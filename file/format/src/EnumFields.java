package undercroft.file.format;

import java.util.List;

/** An enum in a schema: its case number, and the fields of its cases.
 *
 * @param tag the case number, with the names of all cases
 * @param members the cases, each with its fields; empty if no case has fields
 */
record EnumFields(Field.Leaf tag, List<Field> members) {
  /** The name of the field of the case number. */
  private static final String TAG = "tag";

  /** The enum whose parts are the fields of a record; null if they are not an enum. */
  static EnumFields of(List<Field> fields) {
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

  boolean hasFields() {
    return !members.isEmpty();
  }

  /** The names of the cases, by number. */
  List<String> cases() {
    return ((Type.Ordinal) TypeConversion.plain(tag.type())).cases();
  }

  /** The fields of a case. */
  List<Field> fields(String name) {
    for (var member : members)
      if (member.name().equals(name)) return ((Field.Record) member).fields();
    return List.of();
  }
}
