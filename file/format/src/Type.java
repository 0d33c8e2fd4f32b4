package undercroft.file.format;

import java.util.List;
import java.util.Locale;

/** The type of a stored value. Sizes are in bytes. */
public sealed interface Type {

  int size();

  /** The stored type, without its meaning. */
  default Type physical() {
    return this;
  }

  /** The type in the words of error messages. */
  default String description() {
    return switch (this) {
      case Primitive primitive ->
          primitive.name().charAt(0) + primitive.name().substring(1).toLowerCase(Locale.ROOT);
      case Text text -> "Text[" + text.size() + "]";
      case Elements elements -> "InlineArray[" + elements.of().description() + ", " + elements.count() + "]";
      case Ordinal ordinal -> "an enum of " + ordinal.firstCases();
      case BigEndian big -> "big-endian " + big.of().description();
      case Logical logical -> logical.kind().description() + ", stored as " + logical.of().description();
      case Struct struct -> "the struct " + struct.name() + " of " + struct.size() + " bytes";
    };
  }

  /** A number in the byte order of the file. */
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

  /** UTF-8, padded with zeros. */
  record Text(int size) implements Type {}

  /** An array. */
  record Elements(Type of, int count) implements Type {
    @Override
    public int size() {
      return of.size() * count;
    }
  }

  /** The unsigned number of an enum's case.
   *
   * @param cases the names of the cases, by number from 0
   */
  record Ordinal(Primitive of, List<String> cases) implements Type {
    public Ordinal {
      cases = List.copyOf(cases);
      if (of.size() < 8 && cases.size() > 1L << 8 * of.size())
        throw new IllegalArgumentException(
            cases.size() + " cases of an enum of " + of.size() + " bytes");
    }

    /** The names of a few cases, and the number of the others. */
    public String firstCases() {
      int nameCount = Math.min(cases.size(), 8);
      var names = String.join(", ", cases.subList(0, nameCount));
      int rest = cases.size() - nameCount;
      return rest == 0 ? names : names + " and " + rest + " more";
    }

    @Override
    public int size() {
      return of.size();
    }
  }

  /** A big-endian primitive or ordinal, whatever the file's byte order. */
  record BigEndian(Type of) implements Type {
    @Override
    public int size() {
      return of.size();
    }
  }

  /** A value with a meaning, which has the bytes of the type `of`. */
  record Logical(Type of, LogicalKind kind) implements Type {
    public Logical {
      FieldChecks.checkStored(kind, of);
    }

    @Override
    public int size() {
      return of.size();
    }

    @Override
    public Type physical() {
      return of;
    }
  }

  /** A struct in an array, or the overlapping members of a union: offsets inside it are relative to
   * its start.
   */
  record Struct(String name, int size, List<Field> fields) implements Type {
    public Struct {
      fields = List.copyOf(fields);
      FieldChecks.checkPlaces(fields, size, "a " + name);
    }
  }
}
