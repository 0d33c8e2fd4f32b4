package undercroft.file.format.internal.schema;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;
import undercroft.file.format.ErrorKind;
import undercroft.file.format.Field;
import undercroft.file.format.LogicalKind;
import undercroft.file.format.Schema;
import undercroft.file.format.Type;

/** Converts values of one type to another type that represents all of them. */
public final class TypeConversion {
  private TypeConversion() {}

  /** Whether all values of one type have the same bytes in the other. */
  public static boolean sameBytes(Type from, Type to) {
    if (from instanceof Type.Logical || to instanceof Type.Logical)
      return sameBytes(from.physical(), to.physical());
    return from.equals(to)
        || from.equals(withoutKinds(to))
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

  /** The meaning of a value; null without one. */
  public static LogicalKind kind(Type type) {
    return type instanceof Type.Logical logical ? logical.kind() : null;
  }

  /** Whether values with one meaning may be read with another one: a file without meanings is an
   * older one.
   */
  public static boolean kindFits(LogicalKind from, LogicalKind to) {
    return from == null
        || from.equals(to)
        || from instanceof LogicalKind.Decimal(int precision, int scale)
            && to instanceof LogicalKind.Decimal(int widePrecision, int wideScale)
            && precision <= widePrecision
            && scale == wideScale;
  }

  /** A type without meanings at any depth. */
  public static Type withoutKinds(Type type) {
    return switch (type) {
      case Type.Logical logical -> withoutKinds(logical.of());
      case Type.Elements elements -> new Type.Elements(withoutKinds(elements.of()), elements.count());
      case Type.Struct struct ->
          new Type.Struct(
              struct.name(), struct.size(),
              struct.fields().stream().map(TypeConversion::withoutKinds).toList());
      default -> type;
    };
  }

  /** A schema without meanings. */
  public static Schema withoutKinds(Schema schema) {
    return new Schema(
        schema.name(), schema.layout(), schema.order(), schema.stride(),
        schema.fields().stream().map(TypeConversion::withoutKinds).toList());
  }

  public static Field withoutKinds(Field field) {
    return switch (field) {
      case Field.Leaf leaf -> new Field.Leaf(leaf.name(), leaf.offset(), withoutKinds(leaf.type()));
      case Field.Record record ->
          new Field.Record(
              record.name(), record.typeName(),
              record.fields().stream().map(TypeConversion::withoutKinds).toList());
      case Field.Union union ->
          new Field.Union(
              union.name(), union.typeName(),
              union.members().stream().map(TypeConversion::withoutKinds).toList());
    };
  }

  /** Whether types differ only because the file lacks the dimensions of an array. */
  public static boolean isReshaped(Type from, Type to) {
    return !from.equals(to) && from.equals(flat(withoutKinds(to)));
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
    return fields.stream().map(TypeConversion::flat).toList();
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

  /** Whether every value of one type has an equal value in the other. */
  public static boolean fits(Type from, Type to) {
    if (from.equals(to) || from.equals(withoutKinds(to))) return true;
    if (from instanceof Type.Logical || to instanceof Type.Logical)
      return kindFits(kind(from), kind(to)) && fits(from.physical(), to.physical());
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

  /** Whether a type has some of the cases of an enum, in their order, and another type all of them. */
  public static boolean isPart(Type from, Type to) {
    if (from instanceof Type.Logical || to instanceof Type.Logical)
      return kindFits(kind(from), kind(to)) && isPart(from.physical(), to.physical());
    if (from instanceof Type.Elements narrow && to instanceof Type.Elements wide)
      return narrow.count() <= wide.count() && isPart(narrow.of(), wide.of());
    if (!(plain(from) instanceof Type.Ordinal all) || !(plain(to) instanceof Type.Ordinal part)) return false;
    int next = 0;
    for (var name : all.cases())
      if (next < part.cases().size() && part.cases().get(next).equals(name)) next++;
    return next == part.cases().size() && next < all.cases().size() && next > 0;
  }

  public static Type plain(Type type) {
    var stored = type.physical();
    return stored instanceof Type.BigEndian big ? big.of() : stored;
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

  /** Copies one value to the place of another type that it fits. */
  public static void copy(
      MemorySegment source, long read, Type from, ByteOrder in,
      MemorySegment target, long write, Type to, ByteOrder out) {
    if (from instanceof Type.Logical || to instanceof Type.Logical)
      copy(source, read, from.physical(), in, target, write, to.physical(), out);
    else if (from.equals(to) || from instanceof Type.Text || from instanceof Type.Struct)
      MemorySegment.copy(source, read, target, write, from.size());
    else if (from instanceof Type.Elements narrow && to instanceof Type.Elements wide)
      for (int i = 0; i < narrow.count(); i++)
        copy(
            source, read + (long) i * narrow.of().size(), narrow.of(), in,
            target, write + (long) i * wide.of().size(), wide.of(), out);
    else {
      var readOrder = from instanceof Type.BigEndian ? ByteOrder.BIG_ENDIAN : in;
      var writeOrder = to instanceof Type.BigEndian ? ByteOrder.BIG_ENDIAN : out;
      if (plain(from) instanceof Type.Ordinal narrow && plain(to) instanceof Type.Ordinal wide)
        putWhole(target, write, wide.of(), writeOrder, number(number(narrow, source, read, readOrder), narrow, wide));
      else
        copyNumber(
            source, read, (Type.Primitive) plain(from), readOrder,
            target, write, (Type.Primitive) plain(to), writeOrder);
    }
  }

  /** The number of a case. */
  public static long number(Type.Ordinal type, MemorySegment source, long at, ByteOrder order) {
    return StoredNumbers.whole(type.of(), source, at, order) & -1L >>> (64 - 8 * type.size());
  }

  /** The number of a case in an enum that may have a part of the cases. Throws AbsentCase if it lacks
   * this one.
   */
  private static long number(long number, Type.Ordinal from, Type.Ordinal to) {
    if (from.cases().size() <= to.cases().size()) return number;
    if (number < 0 || number >= from.cases().size())
      throw new AbsentCase(
          ErrorKind.CORRUPT,
          "is case " + Long.toUnsignedString(number) + ", but the enum has " + from.cases().size() + " cases");
    var name = from.cases().get((int) number);
    int present = to.cases().indexOf(name);
    if (present < 0)
      throw new AbsentCase(
          ErrorKind.WRONG_SCHEMA,
          "is " + name + ", but the class has only the cases " + to.firstCases());
    return present;
  }

  private static void copyNumber(
      MemorySegment source, long read, Type.Primitive from, ByteOrder in,
      MemorySegment target, long write, Type.Primitive to, ByteOrder out) {
    boolean decimal = from == Type.Primitive.FLOAT || from == Type.Primitive.DOUBLE;
    if (to == Type.Primitive.DOUBLE) {
      double value = decimal ? StoredNumbers.decimal(from, source, read, in) : StoredNumbers.whole(from, source, read, in);
      target.set(ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(out), write, value);
    } else if (to == Type.Primitive.FLOAT) {
      float value =
          decimal
              ? source.get(ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(in), read)
              : StoredNumbers.whole(from, source, read, in);
      target.set(ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(out), write, value);
    } else putWhole(target, write, to, out, StoredNumbers.whole(from, source, read, in));
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
