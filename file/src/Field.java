package undercroft.file;

import java.util.List;

/** A named part of a row. One without a name lends its parts to what is around it. */
public sealed interface Field {
  String name();

  /** A value. In rows `offset` counts from the beginning of the row, in bytes. In columns it is where
   * the column starts, in bytes for each row of capacity.
   */
  record Leaf(String name, int offset, Type type) implements Field {}

  /** Fields one after the other. */
  record Record(String name, String typeName, List<Field> fields) implements Field {
    public Record {
      fields = List.copyOf(fields);
    }
  }

  /** Fields of which one is there, in the same place. */
  record Union(String name, String typeName, List<Field> members) implements Field {
    public Union {
      members = List.copyOf(members);
    }
  }
}
