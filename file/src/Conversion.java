package undercroft.file;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** How rows of one schema become rows of another: fields are found by their names, and may be
 * reordered, added (then they are zero) or widened. Anything else is a {@link Fault#WRONG_SCHEMA}
 * that says which field differs and how.
 */
public final class Conversion {
  private final Schema from;
  private final Schema to;
  private final List<Move> moves;

  /** One value of each row, from a place in one schema to a place in the other. */
  private record Move(Schema.Leaf from, Schema.Leaf to) {}

  private Conversion(Schema from, Schema to, List<Move> moves) {
    this.from = from;
    this.to = to;
    this.moves = moves;
  }

  /** The way from the schema of a file to the one that was asked for. */
  public static Conversion of(Path file, Schema from, Schema to) {
    var wrong = new ArrayList<String>();
    if (from.layout() != to.layout())
      wrong.add("it is laid out as " + from.layout() + ", and asked for as " + to.layout());
    if (!from.order().equals(to.order()))
      wrong.add("its rows are " + from.order() + ", and asked for as " + to.order());
    var there = new HashMap<List<String>, Schema.Leaf>();
    for (var leaf : from.leaves()) there.put(leaf.path(), leaf);
    var moves = new ArrayList<Move>();
    for (var leaf : to.leaves()) {
      var source = there.remove(leaf.path());
      if (source == null) {
        if (leaf.shared()) wrong.add("a case has the field " + leaf.dotted() + ", which the file has not");
      } else if (!fits(source, leaf))
        wrong.add(
            "field " + leaf.dotted() + " is " + words(source) + " in the file, and " + words(leaf)
                + " was asked for");
      else moves.add(new Move(source, leaf));
    }
    for (var leaf : from.leaves())
      if (there.containsKey(leaf.path()))
        wrong.add("the file has a field " + leaf.dotted() + ", of type " + words(leaf) + ", which was not asked for");
    checkUnions(moves, wrong);
    if (!wrong.isEmpty())
      throw new StructFileException(
          file, Header.SCHEMA_AT, Fault.WRONG_SCHEMA, String.join("; ", wrong));
    return new Conversion(from, to, moves);
  }

  /** Whether both schemas say the same: every field is where it was, and is what it was. */
  public boolean isIdentity() {
    return keepsPlaces()
        && moves.stream().allMatch(move -> move.from.type().equals(move.to.type()));
  }

  /** Whether no byte has to be moved: at the most, enums have more cases than they had. */
  public boolean movesNothing() {
    return keepsPlaces()
        && moves.stream().allMatch(move -> sameBytes(move.from.type(), move.to.type()));
  }

  private boolean keepsPlaces() {
    return from.stride() == to.stride()
        && moves.size() == to.leaves().size()
        && moves.stream().allMatch(move -> move.from.offset() == move.to.offset());
  }

  /** Whether what fits one type is stored in the same bytes for the other. */
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

  private static boolean fits(Schema.Leaf from, Schema.Leaf to) {
    if (from.shared() || to.shared()) return from.shared() == to.shared() && from.type().equals(to.type());
    return fits(from.type(), to.type());
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

  /** Whether every value of one primitive is one of the other, exactly. */
  private static boolean widens(Type.Primitive from, Type.Primitive to) {
    return switch (from) {
      case BYTE -> to == Type.Primitive.SHORT || to.size() >= 4;
      case SHORT, CHAR -> to.size() >= 4;
      case INT -> to == Type.Primitive.LONG || to == Type.Primitive.DOUBLE;
      case FLOAT -> to == Type.Primitive.DOUBLE;
      default -> false;
    };
  }

  /** The parts of unions lie over each other: together they keep their distances, or none is moved. */
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

  private static String words(Schema.Leaf leaf) {
    return words(leaf.type());
  }

  /** The names of a few cases, and how many there are besides. */
  private static String words(List<String> cases) {
    int told = Math.min(cases.size(), 8);
    var names = String.join(", ", cases.subList(0, told));
    return told == cases.size() ? names : names + " and " + (cases.size() - told) + " more";
  }

  private static String words(Type type) {
    return switch (type) {
      case Type.Primitive primitive ->
          primitive.name().charAt(0) + primitive.name().substring(1).toLowerCase(java.util.Locale.ROOT);
      case Type.Text text -> "Text[" + text.size() + "]";
      case Type.Elements elements -> "Inline[" + words(elements.of()) + ", " + elements.count() + "]";
      case Type.Ordinal ordinal -> "an enum of " + words(ordinal.cases());
      case Type.BigEndian big -> "big-endian " + words(big.of());
      case Type.Struct struct -> "the struct " + struct.name() + " of " + struct.size() + " bytes";
    };
  }

  /** Moves `rows` rows. What is added stays as it is in the target, which is zero. */
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
  }

  private static long place(Schema schema, Schema.Leaf leaf, long capacity) {
    return schema.layout() == Layout.COLUMNS ? capacity * leaf.offset() : leaf.offset();
  }

  private static long step(Schema schema, Schema.Leaf leaf) {
    return schema.layout() == Layout.COLUMNS ? leaf.type().size() : schema.stride();
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
        putWhole(target, write, wide.of(), writeOrder, Blocks.whole(narrow.of(), source, read, readOrder) & mask);
      } else moveNumber(source, read, (Type.Primitive) plain(from), readOrder,
          target, write, (Type.Primitive) plain(to), writeOrder);
    }
  }

  private static void moveNumber(
      MemorySegment source, long read, Type.Primitive from, ByteOrder in,
      MemorySegment target, long write, Type.Primitive to, ByteOrder out) {
    boolean decimal = from == Type.Primitive.FLOAT || from == Type.Primitive.DOUBLE;
    if (to == Type.Primitive.DOUBLE) {
      double value = decimal ? Blocks.decimal(from, source, read, in) : Blocks.whole(from, source, read, in);
      target.set(ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(out), write, value);
    } else if (to == Type.Primitive.FLOAT) {
      float value =
          decimal
              ? source.get(ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(in), read)
              : Blocks.whole(from, source, read, in);
      target.set(ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(out), write, value);
    } else putWhole(target, write, to, out, Blocks.whole(from, source, read, in));
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
