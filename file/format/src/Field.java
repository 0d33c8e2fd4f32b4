package undercroft.file.format;

import java.util.List;
import java.util.Optional;

/** A named part of a row. The parts of an unnamed field belong to the enclosing field. */
public sealed interface Field {
  String name();

  /** A value. In rows, `offset` is in bytes from the start of the row. In columns, it is the start
   * of the column in bytes per row of capacity.
   */
  record Leaf(String name, int offset, Type type) implements Field {}

  /** Consecutive fields, which have a meaning as a whole if `kind` is present. */
  record Record(String name, String typeName, List<Field> fields, Optional<LogicalKind> kind)
      implements Field {
    public Record {
      fields = List.copyOf(fields);
      if (kind.isPresent()) FieldChecks.checkStored(kind.get(), fields);
    }

    public Record(String name, String typeName, List<Field> fields) {
      this(name, typeName, fields, Optional.empty());
    }
  }

  /** Overlapping fields. One field is active at a time. */
  record Union(String name, String typeName, List<Field> members) implements Field {
    public Union {
      members = List.copyOf(members);
    }
  }
}
