package undercroft.file.format;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Schema evolution: converts rows of one schema to another. Fields are matched by name, and may be
 * reordered, added (with value zero), widened, or become an Option, which then has each row's value.
 * Enums may gain cases at their end. Any other difference is a {@link ErrorKind#WRONG_SCHEMA} that names the field.
 */
public final class SchemaConversion {
  private final Schema from;
  private final Schema to;
  private final List<Move> moves;

  /** The fields `isDefined` of Options whose values are not optional in the file: they are set. */
  private final List<Schema.Leaf> defined;

  /** The copy of one value from its position in one schema to its position in the other.
   *
   * @param isReshaped whether the file lacks the dimensions of the array, and its bytes are the
   *     same
   */
  private record Move(Schema.Leaf from, Schema.Leaf to, boolean isReshaped) {}

  private SchemaConversion(Schema from, Schema to, List<Move> moves, List<Schema.Leaf> defined) {
    this.from = from;
    this.to = to;
    this.moves = moves;
    this.defined = defined;
  }

  /** The conversion from a file's schema to another one. */
  public static SchemaConversion of(StructFile file, Schema to) {
    return of(file.path(), file.hasDimensions(), file.schema(), to);
  }

  /** The conversion between two schemas; errors name `file`. */
  public static SchemaConversion of(Path file, Schema from, Schema to) {
    return of(file, true, from, to);
  }

  /** @param dimensions whether the file's schema has the dimensions of arrays; otherwise it has
   *     the total element count, which matches every array with as many elements
   */
  private static SchemaConversion of(Path file, boolean dimensions, Schema from, Schema to) {
    var wrong = new ArrayList<String>();
    if (from.layout() != to.layout())
      wrong.add("its layout is " + from.layout() + "; expected " + to.layout());
    if (!from.order().equals(to.order()))
      wrong.add("its byte order is " + from.order() + "; expected " + to.order());
    var there = new HashMap<List<String>, Schema.Leaf>();
    for (var leaf : from.leaves()) there.put(leaf.path(), leaf);
    var moves = new ArrayList<Move>();
    var defined = new ArrayList<Schema.Leaf>();
    var options = NewOptions.of(from, to);
    var cases = NewCases.of(from, to);
    for (var leaf : to.leaves()) {
      var source = there.remove(options.before(leaf.path()));
      if (options.isDefined(leaf.path())) defined.add(leaf);
      else if (source == null) {
        if (leaf.shared() && !cases.contain(leaf.path()))
          wrong.add("a case has the field " + leaf.dotted() + ", which is missing in the file");
      } else if (!fits(source, leaf) && (dimensions || !isReshaped(source, leaf)))
        wrong.add(
            "field " + leaf.dotted() + " is " + description(source) + "; expected " + description(leaf));
      else if (!dimensions && isReshaped(source, leaf)) {
        var sourceLeaf =
            new Schema.Leaf(source.path(), source.offset(), leaf.type(), source.shared());
        moves.add(new Move(sourceLeaf, leaf, true));
      } else moves.add(new Move(source, leaf, false));
    }
    for (var leaf : from.leaves())
      if (there.containsKey(leaf.path()))
        wrong.add("field " + leaf.dotted() + " of type " + description(leaf) + " is unexpected");
    checkUnions(moves, wrong);
    if (!wrong.isEmpty())
      throw new StructFileException(
          file, Header.SCHEMA_AT, ErrorKind.WRONG_SCHEMA, String.join("; ", wrong));
    return new SchemaConversion(from, to, moves, defined);
  }

  /** Whether both schemas are equal: all fields have the same offsets and types. */
  public boolean isIdentity() {
    return keepsPlaces()
        && moves.stream()
            .allMatch(move -> !move.isReshaped && move.from.type().equals(move.to.type()));
  }

  /** Whether the stored bytes are the same: the only difference is that enums may have more cases.
   */
  public boolean movesNothing() {
    return keepsPlaces()
        && moves.stream().allMatch(move -> sameBytes(move.from.type(), move.to.type()));
  }

  private boolean keepsPlaces() {
    return from.stride() == to.stride()
        && moves.size() == to.leaves().size()
        && moves.stream().allMatch(move -> move.from.offset() == move.to.offset());
  }

  /** Whether all values of one type have the same bytes in the other. */
  private static boolean sameBytes(Type from, Type to) {
    return from.equals(to)
        || switch (from) {
          case Type.Ordinal narrow ->
              to instanceof Type.Ordinal wide && narrow.of() == wide.of();
          case Type.BigEndian narrow ->
              to instanceof Type.BigEndian wide && sameBytes(narrow.of(), wide.of());
          case Type.Elements narrow ->
              to instanceof Type.Elements wide
                  && narrow.count() == wide.count()
                  && sameBytes(narrow.of(), wide.of());
          default -> false;
        };
  }

  /** Whether types differ only because the file lacks the dimensions of an array. */
  private static boolean isReshaped(Schema.Leaf from, Schema.Leaf to) {
    return from.shared() == to.shared()
        && !from.type().equals(to.type())
        && from.type().equals(flat(to.type()));
  }

  private static boolean fits(Schema.Leaf from, Schema.Leaf to) {
    if (from.shared() || to.shared()) return from.shared() == to.shared() && from.type().equals(to.type());
    return fits(from.type(), to.type());
  }

  /** A type without array dimensions: each array has its total element count. */
  private static Type flat(Type type) {
    return switch (type) {
      case Type.Elements elements ->
          flat(elements.of()) instanceof Type.Elements inner
              ? new Type.Elements(inner.of(), inner.count() * elements.count())
              : new Type.Elements(flat(elements.of()), elements.count());
      case Type.Struct struct ->
          new Type.Struct(struct.name(), struct.size(), flat(struct.fields()));
      default -> type;
    };
  }

  private static List<Field> flat(List<Field> fields) {
    return fields.stream().map(SchemaConversion::flat).toList();
  }

  private static Field flat(Field field) {
    return switch (field) {
      case Field.Leaf leaf -> new Field.Leaf(leaf.name(), leaf.offset(), flat(leaf.type()));
      case Field.Record record ->
          new Field.Record(record.name(), record.typeName(), flat(record.fields()));
      case Field.Union union ->
          new Field.Union(union.name(), union.typeName(), flat(union.members()));
    };
  }

  private static boolean fits(Type from, Type to) {
    if (from.equals(to)) return true;
    return switch (plain(to)) {
      case Type.Primitive wide ->
          plain(from) instanceof Type.Primitive narrow && (narrow == wide || widens(narrow, wide));
      case Type.Ordinal wide ->
          plain(from) instanceof Type.Ordinal narrow
              && narrow.size() <= wide.size()
              && narrow.cases().size() <= wide.cases().size()
              && narrow.cases().equals(wide.cases().subList(0, narrow.cases().size()));
      case Type.Text wide -> from instanceof Type.Text narrow && narrow.size() <= wide.size();
      case Type.Elements wide ->
          from instanceof Type.Elements narrow
              && narrow.count() <= wide.count()
              && fits(narrow.of(), wide.of());
      default -> false;
    };
  }

  private static Type plain(Type type) {
    return type instanceof Type.BigEndian big ? big.of() : type;
  }

  /** Whether a primitive type represents every value of another one exactly. */
  private static boolean widens(Type.Primitive from, Type.Primitive to) {
    return switch (from) {
      case BYTE -> to == Type.Primitive.SHORT || to.size() >= 4;
      case SHORT, CHAR -> to.size() >= 4;
      case INT -> to == Type.Primitive.LONG || to == Type.Primitive.DOUBLE;
      case FLOAT -> to == Type.Primitive.DOUBLE;
      default -> false;
    };
  }

  /** Members of a union overlap: they keep their relative offsets, or the schemas do not match. */
  private static void checkUnions(List<Move> moves, List<String> wrong) {
    Map<String, Integer> distances = new HashMap<>();
    for (var move : moves) {
      if (!move.to.shared()) continue;
      int distance = move.to.offset() - move.from.offset();
      var before = distances.putIfAbsent(move.to.path().getFirst(), distance);
      if (before != null && before != distance)
        wrong.add("the cases of " + move.to.path().getFirst() + " lie otherwise in the file, at " + move.to.dotted());
    }
  }

  private static String description(Schema.Leaf leaf) {
    return description(leaf.type());
  }

  /** The names of a few cases, and the number of the others. */
  private static String description(List<String> cases) {
    int nameCount = Math.min(cases.size(), 8);
    var names = String.join(", ", cases.subList(0, nameCount));
    int rest = cases.size() - nameCount;
    return rest == 0 ? names : names + " and " + rest + " more";
  }

  private static String description(Type type) {
    return switch (type) {
      case Type.Primitive primitive ->
          primitive.name().charAt(0) + primitive.name().substring(1).toLowerCase(java.util.Locale.ROOT);
      case Type.Text text -> "Text[" + text.size() + "]";
      case Type.Elements elements -> "InlineArray[" + description(elements.of()) + ", " + elements.count() + "]";
      case Type.Ordinal ordinal -> "an enum of " + description(ordinal.cases());
      case Type.BigEndian big -> "big-endian " + description(big.of());
      case Type.Struct struct -> "the struct " + struct.name() + " of " + struct.size() + " bytes";
    };
  }

  /** Converts `rows` rows. Added fields are not written: the target must be zero. */
  public void run(
      MemorySegment source, long sourceCapacity, MemorySegment target, long targetCapacity, long rows) {
    for (var move : moves) {
      long read = place(from, move.from, sourceCapacity);
      long write = place(to, move.to, targetCapacity);
      long readStep = step(from, move.from);
      long writeStep = step(to, move.to);
      for (long row = 0; row < rows; row++) {
        move(source, read, move.from.type(), from.order(), target, write, move.to.type(), to.order());
        read += readStep;
        write += writeStep;
      }
    }
    for (var leaf : defined) {
      long write = place(to, leaf, targetCapacity);
      long writeStep = step(to, leaf);
      for (long row = 0; row < rows; row++) target.set(ValueLayout.JAVA_BYTE, write + row * writeStep, (byte) 1);
    }
  }

  private static long place(Schema schema, Schema.Leaf leaf, long capacity) {
    return schema.layout() == FileLayout.COLUMNS ? capacity * leaf.offset() : leaf.offset();
  }

  private static long step(Schema schema, Schema.Leaf leaf) {
    return schema.layout() == FileLayout.COLUMNS ? leaf.type().size() : schema.stride();
  }

  private static void move(
      MemorySegment source, long read, Type from, ByteOrder in,
      MemorySegment target, long write, Type to, ByteOrder out) {
    if (from.equals(to) || from instanceof Type.Text)
      MemorySegment.copy(source, read, target, write, from.size());
    else if (from instanceof Type.Elements narrow && to instanceof Type.Elements wide)
      for (int i = 0; i < narrow.count(); i++)
        move(
            source, read + (long) i * narrow.of().size(), narrow.of(), in,
            target, write + (long) i * wide.of().size(), wide.of(), out);
    else {
      var readOrder = from instanceof Type.BigEndian ? ByteOrder.BIG_ENDIAN : in;
      var writeOrder = to instanceof Type.BigEndian ? ByteOrder.BIG_ENDIAN : out;
      if (plain(from) instanceof Type.Ordinal narrow && plain(to) instanceof Type.Ordinal wide) {
        long mask = -1L >>> (64 - 8 * narrow.size());
        putWhole(target, write, wide.of(), writeOrder, BlockTable.whole(narrow.of(), source, read, readOrder) & mask);
      } else moveNumber(source, read, (Type.Primitive) plain(from), readOrder,
          target, write, (Type.Primitive) plain(to), writeOrder);
    }
  }

  private static void moveNumber(
      MemorySegment source, long read, Type.Primitive from, ByteOrder in,
      MemorySegment target, long write, Type.Primitive to, ByteOrder out) {
    boolean decimal = from == Type.Primitive.FLOAT || from == Type.Primitive.DOUBLE;
    if (to == Type.Primitive.DOUBLE) {
      double value = decimal ? BlockTable.decimal(from, source, read, in) : BlockTable.whole(from, source, read, in);
      target.set(ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(out), write, value);
    } else if (to == Type.Primitive.FLOAT) {
      float value =
          decimal
              ? source.get(ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(in), read)
              : BlockTable.whole(from, source, read, in);
      target.set(ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(out), write, value);
    } else putWhole(target, write, to, out, BlockTable.whole(from, source, read, in));
  }

  private static void putWhole(
      MemorySegment target, long at, Type.Primitive type, ByteOrder order, long value) {
    switch (type.size()) {
      case 1 -> target.set(ValueLayout.JAVA_BYTE, at, (byte) value);
      case 2 -> target.set(ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(order), at, (short) value);
      case 4 -> target.set(ValueLayout.JAVA_INT_UNALIGNED.withOrder(order), at, (int) value);
      default -> target.set(ValueLayout.JAVA_LONG_UNALIGNED.withOrder(order), at, value);
    }
  }
}
