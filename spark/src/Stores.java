package undercroft.spark;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.List;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;
import undercroft.file.Field;
import undercroft.file.Type;

/** How Spark's values are stored in the places that a {@link Fitting} has for them. A value that does
 * not fit is an IllegalArgumentException that names its column.
 */
final class Stores {
  private final Fitting of;

  Stores(Fitting of) {
    this.of = of;
  }

  /** What is absent leaves its place zero. */
  Store optional(Field.Leaf sign, Store value) {
    return (from, column, data, capacity, row) -> {
      if (from.isNullAt(column)) return;
      data.set(ValueLayout.JAVA_BYTE, of.place(sign, capacity, row), (byte) 1);
      value.put(from, column, data, capacity, row);
    };
  }

  /** What must not be absent. */
  static Store required(String path, Store value) {
    return (from, column, data, capacity, row) -> {
      if (from.isNullAt(column))
        throw new IllegalArgumentException(
            "column " + path + " is null in a row, and option(\"nulls\", \"fail\") says that none is");
      value.put(from, column, data, capacity, row);
    };
  }

  /** A struct, by its parts. */
  static Store group(List<Store> parts) {
    return (from, column, data, capacity, row) -> {
      var part = from.getStruct(column, parts.size());
      for (int i = 0; i < parts.size(); i++) parts.get(i).put(part, i, data, capacity, row);
    };
  }

  /** A value.
   *
   * @param type
   *     Spark's
   */
  Store of(Field.Leaf leaf, DataType type, String path) {
    return switch (leaf.type()) {
      case Type.Ordinal ordinal when type.equals(DataTypes.StringType) -> named(leaf, ordinal, path);
      case Type.Ordinal ordinal -> numbered(leaf, ordinal.of(), type, path);
      case Type.Primitive.CHAR -> numbered(leaf, Type.Primitive.CHAR, type, path);
      case Type.Primitive.BOOLEAN ->
          (from, column, data, capacity, row) ->
              data.set(
                  ValueLayout.JAVA_BYTE, of.place(leaf, capacity, row), (byte) (from.getBoolean(column) ? 1 : 0));
      case Type.Primitive.BYTE ->
          (from, column, data, capacity, row) ->
              data.set(ValueLayout.JAVA_BYTE, of.place(leaf, capacity, row), from.getByte(column));
      case Type.Primitive.SHORT ->
          (from, column, data, capacity, row) ->
              data.set(ValueLayout.JAVA_SHORT_UNALIGNED, of.place(leaf, capacity, row), from.getShort(column));
      case Type.Primitive.INT ->
          (from, column, data, capacity, row) ->
              data.set(ValueLayout.JAVA_INT_UNALIGNED, of.place(leaf, capacity, row), from.getInt(column));
      case Type.Primitive.LONG ->
          (from, column, data, capacity, row) ->
              data.set(ValueLayout.JAVA_LONG_UNALIGNED, of.place(leaf, capacity, row), from.getLong(column));
      case Type.Primitive.FLOAT ->
          (from, column, data, capacity, row) ->
              data.set(ValueLayout.JAVA_FLOAT_UNALIGNED, of.place(leaf, capacity, row), from.getFloat(column));
      case Type.Primitive.DOUBLE ->
          (from, column, data, capacity, row) ->
              data.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, of.place(leaf, capacity, row), from.getDouble(column));
      default ->
          (from, column, data, capacity, row) -> {
            var bytes = from.getUTF8String(column).getBytes();
            checkText(bytes, leaf.type().size(), path);
            MemorySegment.copy(
                bytes, 0, data, ValueLayout.JAVA_BYTE, of.place(leaf, capacity, row), bytes.length);
          };
    };
  }

  /** A case of an enum, by its name. */
  private Store named(Field.Leaf leaf, Type.Ordinal ordinal, String path) {
    var numbers = new HashMap<UTF8String, Integer>();
    var names = NameVector.names(ordinal.cases());
    for (int number = 0; number < names.size(); number++) numbers.put(names.get(number), number);
    return (from, column, data, capacity, row) -> {
      var name = from.getUTF8String(column);
      var number = numbers.get(name);
      if (number == null)
        throw new IllegalArgumentException(
            "column " + path + " is " + name + " in a row, and no case of the enum that it was read from: "
                + String.join(", ", ordinal.cases()) + "; option(\"enums\", \"text\") writes texts");
      putWhole(data, of.place(leaf, capacity, row), leaf.type().size(), number);
    };
  }

  /** A number without a sign, of fewer bytes than Spark's or as many. */
  private Store numbered(Field.Leaf leaf, Type.Primitive stored, DataType type, String path) {
    int size = stored.size();
    long most = size == 8 ? Long.MAX_VALUE : (1L << 8 * size) - 1;
    boolean isLong = type.equals(DataTypes.LongType);
    return (from, column, data, capacity, row) -> {
      long number = isLong ? from.getLong(column) : from.getInt(column);
      if (number < 0 || number > most)
        throw new IllegalArgumentException(
            "column " + path + " is " + number + " in a row, and was read from "
                + (stored == Type.Primitive.CHAR ? "a Char" : "an enum's number of " + size + " bytes")
                + ", from 0 to " + most);
      putWhole(data, of.place(leaf, capacity, row), size, number);
    };
  }

  private static void putWhole(MemorySegment data, long at, int size, long number) {
    switch (size) {
      case 1 -> data.set(ValueLayout.JAVA_BYTE, at, (byte) number);
      case 2 -> data.set(ValueLayout.JAVA_SHORT_UNALIGNED, at, (short) number);
      case 4 -> data.set(ValueLayout.JAVA_INT_UNALIGNED, at, (int) number);
      default -> data.set(ValueLayout.JAVA_LONG_UNALIGNED, at, number);
    }
  }

  private static void checkText(byte[] bytes, int size, String path) {
    if (bytes.length > size)
      throw new IllegalArgumentException(
          "column " + path + ": a text of " + bytes.length + " bytes does not fit in " + size);
    for (int i = 0; i < bytes.length; i++)
      if (bytes[i] == 0)
        throw new IllegalArgumentException(
            "column " + path + ": byte " + i + " of a text of " + bytes.length
                + " bytes is NUL, which ends texts in struct files");
  }
}
