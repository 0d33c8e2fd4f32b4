package undercroft.spark.internal.write;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.List;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;
import undercroft.file.format.Field;
import undercroft.file.format.LogicalKind;
import undercroft.file.format.Type;
import undercroft.spark.internal.vectors.NameVector;

/** Stores Spark's values at the positions of a {@link SchemaMapping}. Throws IllegalArgumentException
 * with the column if a value does not fit.
 */
public final class ColumnWriters {

  /** The position of a value of a row. Inside an element of an array, `row` is the position of the
   * element.
   */
  public interface Places {
    long place(Field.Leaf leaf, long capacity, long row);
  }

  /** Stores the parts of an array's elements. */
  public static final ColumnWriters OF_ELEMENTS = new ColumnWriters((leaf, capacity, start) -> start + leaf.offset());

  private final Places of;

  public ColumnWriters(Places of) {
    this.of = of;
  }

  /** A nullable column; a null is left as zeros. */
  public ColumnWriter optional(Field.Leaf sign, ColumnWriter value) {
    return (from, column, data, capacity, row) -> {
      if (from.isNullAt(column)) return;
      data.set(ValueLayout.JAVA_BYTE, of.place(sign, capacity, row), (byte) 1);
      value.put(from, column, data, capacity, row);
    };
  }

  /** A column that must not contain null, although the data may. */
  public static ColumnWriter required(String path, ColumnWriter value) {
    return (from, column, data, capacity, row) -> {
      if (from.isNullAt(column))
        throw new IllegalArgumentException(
            "column " + path + " is null in a row, but option(\"nulls\", \"fail\") or the files of the folder"
                + " exclude null");
      value.put(from, column, data, capacity, row);
    };
  }

  /** A struct, stored field by field. */
  public static ColumnWriter group(List<ColumnWriter> parts) {
    return (from, column, data, capacity, row) -> {
      var part = from.getStruct(column, parts.size());
      for (int i = 0; i < parts.size(); i++) parts.get(i).put(part, i, data, capacity, row);
    };
  }

  /** An array of fixed length.
   *
   * @param leaf the array; the offset of each element is relative to it
   * @param element stores an element at its position
   */
  public ColumnWriter elements(Field.Leaf leaf, ColumnWriter element, String path) {
    var type = (Type.Elements) leaf.type();
    int count = type.count();
    int size = type.of().size();
    return (from, column, data, capacity, row) -> {
      var array = from.getArray(column);
      if (array.numElements() != count)
        throw new IllegalArgumentException(
            "column " + path + " is an array of " + array.numElements() + " elements, but must have " + count
                + ": its length is fixed by option(\"arrayLength." + path + "\", n) or by its file");
      long start = of.place(leaf, capacity, row);
      for (int i = 0; i < count; i++) {
        if (array.isNullAt(i))
          throw new IllegalArgumentException(
              "column " + path + " is an array of " + count + " elements, and element " + i
                  + " is null: elements of arrays must not be null");
        element.put(array, i, data, 0, start + (long) i * size);
      }
    };
  }

  /** A value.
   *
   * @param type the type in Spark
   */
  public ColumnWriter of(Field.Leaf leaf, DataType type, String path) {
    return switch (leaf.type()) {
      case Type.Logical logical when logical.kind() instanceof LogicalKind.Named ->
          of(new Field.Leaf(leaf.name(), leaf.offset(), logical.of()), type, path);
      case Type.Logical logical -> LogicalWriters.of(leaf, logical.kind(), type, of, path);
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
            var text = from.getUTF8String(column);
            var bytes = text.getBytes();
            checkText(text, bytes, leaf.type().size(), path);
            MemorySegment.copy(
                bytes, 0, data, ValueLayout.JAVA_BYTE, of.place(leaf, capacity, row), bytes.length);
          };
    };
  }

  /** A decimal or a UUID of 128 bits. */
  public ColumnWriter pair(Field.Leaf high, Field.Leaf low, LogicalKind kind, String path) {
    return LogicalWriters.pair(high, low, kind, of, path);
  }

  /** An enum case, by its name. */
  private ColumnWriter named(Field.Leaf leaf, Type.Ordinal ordinal, String path) {
    var numbers = new HashMap<UTF8String, Integer>();
    var names = NameVector.names(ordinal.cases());
    for (int number = 0; number < names.size(); number++) numbers.put(names.get(number), number);
    return (from, column, data, capacity, row) -> {
      var name = from.getUTF8String(column);
      var number = numbers.get(name);
      if (number == null)
        throw new IllegalArgumentException(
            "column " + path + " is " + name + " in a row, but the enum that it was read from has only "
                + String.join(", ", ordinal.cases()) + "; option(\"enums\", \"text\") writes strings");
      putWhole(data, of.place(leaf, capacity, row), leaf.type().size(), number);
    };
  }

  /** An unsigned integer, at most as wide as Spark's type. */
  private ColumnWriter numbered(Field.Leaf leaf, Type.Primitive stored, DataType type, String path) {
    int size = stored.size();
    long maxValue = size == 8 ? Long.MAX_VALUE : (1L << 8 * size) - 1;
    boolean isLong = type.equals(DataTypes.LongType);
    return (from, column, data, capacity, row) -> {
      long number = isLong ? from.getLong(column) : from.getInt(column);
      if (number < 0 || number > maxValue)
        throw new IllegalArgumentException(
            "column " + path + " must be from 0 to " + maxValue + ", as it was read from "
                + (stored == Type.Primitive.CHAR ? "a Char" : "an enum's number of " + size + " bytes")
                + ", but is " + number + " in a row");
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

  private static void checkText(UTF8String text, byte[] bytes, int size, String path) {
    if (bytes.length > size)
      throw new IllegalArgumentException(
          "column " + path + ": a text of " + bytes.length + " bytes does not fit in " + size);
    int bits = 0; // negative if a byte is not ASCII
    for (int i = 0; i < bytes.length; i++) {
      if (bytes[i] == 0)
        throw new IllegalArgumentException(
            "column " + path + ": byte " + i + " of a text of " + bytes.length
                + " bytes is NUL, which ends texts in struct files");
      bits |= bytes[i];
    }
    if (bits < 0 && !text.isValid())
      throw new IllegalArgumentException(
          "column " + path + ": a text of " + bytes.length + " bytes is not valid UTF-8, but texts in struct files"
              + " must be: " + text);
  }
}
