package undercroft.file;

import java.util.List;

/** What is stored in one place. Sizes are in bytes. */
public sealed interface Type {

  int size();

  /** A number, in the byte order of the file. */
  enum Primitive implements Type {
    BOOLEAN(1),
    BYTE(1),
    SHORT(2),
    CHAR(2),
    INT(4),
    LONG(8),
    FLOAT(4),
    DOUBLE(8);

    private final int size;

    Primitive(int size) {
      this.size = size;
    }

    @Override
    public int size() {
      return size;
    }
  }

  /** UTF-8, filled up with zeros. */
  record Text(int size) implements Type {}

  /** An array. */
  record Elements(Type of, int count) implements Type {
    @Override
    public int size() {
      return of.size() * count;
    }
  }

  /** The number of an enum's case, without a sign.
   *
   * @param cases
   *     their names, in the order of their numbers, from 0 on
   */
  record Ordinal(Primitive of, List<String> cases) implements Type {
    public Ordinal {
      cases = List.copyOf(cases);
      if (of.size() < 8 && cases.size() > 1L << 8 * of.size())
        throw new IllegalArgumentException(
            cases.size() + " cases of an enum of " + of.size() + " bytes");
    }

    @Override
    public int size() {
      return of.size();
    }
  }

  /** A primitive, or an ordinal, whose first byte is its highest whatever the file's order. */
  record BigEndian(Type of) implements Type {
    @Override
    public int size() {
      return of.size();
    }
  }

  /** A struct in an array, or one of the members of a union in one place: the offsets of what is
   * inside count from its beginning.
   */
  record Struct(String name, int size, List<Field> fields) implements Type {
    public Struct {
      fields = List.copyOf(fields);
      Schema.checkPlaces(fields, size, "a " + name);
    }
  }
}
