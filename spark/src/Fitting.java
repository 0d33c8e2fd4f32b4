package undercroft.spark;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import undercroft.file.Field;
import undercroft.file.Layout;
import undercroft.file.Schema;
import undercroft.file.Type;

/** The schema of a struct file for columns of Spark, and how a row is stored under it.
 *
 * Fields lie as the C ABI has them, without padding, or in columns. A column that may be null is an
 * Option, unless `option("nulls", "fail")` says that there are none. A string has as many bytes as
 * `option("textBytes.COLUMN", n)` or `option("textBytes", n)` says.
 */
final class Fitting {
  private final Layout layout;
  private final CaseInsensitiveStringMap options;
  private final boolean refusesNulls;
  private final List<Store> stores = new ArrayList<>();
  private final Schema schema;
  private int end;

  /** Stores one column of a row. */
  private interface Store {
    void put(SpecializedGetters from, int column, MemorySegment data, long capacity, long row);
  }

  private Fitting(StructType columns, CaseInsensitiveStringMap options) {
    this.options = options;
    this.layout = layout(options);
    this.refusesNulls = refusesNulls(options);
    if (columns.isEmpty()) throw new IllegalArgumentException("no columns: a row has at least one");
    var fields = fields(columns, "", stores);
    int size = layout == Layout.ALIGNED ? up(end, alignment(columns)) : end;
    var name = options.getOrDefault("name", "Row");
    this.schema = new Schema(name, layout, ByteOrder.nativeOrder(), size, fields);
  }

  /** An IllegalArgumentException says which column does not fit, and why. */
  static Fitting of(StructType columns, CaseInsensitiveStringMap options) {
    return new Fitting(columns, options);
  }

  Schema schema() {
    return schema;
  }

  /** Stores a row, all of whose bytes are zero. */
  void put(InternalRow from, MemorySegment data, long capacity, long row) {
    for (int i = 0; i < stores.size(); i++) stores.get(i).put(from, i, data, capacity, row);
  }

  private static Layout layout(CaseInsensitiveStringMap options) {
    var asked = options.getOrDefault("layout", "columns");
    return switch (asked) {
      case "rows" -> Layout.ALIGNED;
      case "packed" -> Layout.PACKED;
      case "columns" -> Layout.COLUMNS;
      default ->
          throw new IllegalArgumentException(
              "option layout is " + asked + ", and not one of rows, packed and columns");
    };
  }

  private static boolean refusesNulls(CaseInsensitiveStringMap options) {
    var asked = options.getOrDefault("nulls", "option");
    if (!asked.equals("option") && !asked.equals("fail"))
      throw new IllegalArgumentException("option nulls is " + asked + ", and not one of option and fail");
    return asked.equals("fail");
  }

  private boolean isOption(StructField column) {
    return column.nullable() && !refusesNulls;
  }

  private List<Field> fields(StructType columns, String around, List<Store> stores) {
    var fields = new ArrayList<Field>();
    for (var column : columns.fields()) {
      var path = around + column.name();
      if (isOption(column)) {
        align(alignment(column));
        var sign = leaf("isDefined", Type.Primitive.BOOLEAN, 1);
        var inner = new ArrayList<Store>();
        var value = value("get", path, column.dataType(), inner);
        var name = column.name();
        fields.add(new Field.Record(name, "Option", List.of(sign, value)));
        stores.add(optional(sign, inner.getFirst()));
        align(alignment(column));
      } else {
        var inner = new ArrayList<Store>();
        fields.add(value(column.name(), path, column.dataType(), inner));
        stores.add(column.nullable() ? required(path, inner.getFirst()) : inner.getFirst());
      }
    }
    return fields;
  }

  private Field value(String name, String path, DataType type, List<Store> stores) {
    if (type instanceof StructType inside) {
      align(alignment(inside));
      var inner = new ArrayList<Store>();
      var parts = fields(inside, path + ".", inner);
      align(alignment(inside));
      int count = inside.length();
      stores.add(
          (from, column, data, capacity, row) -> {
            var part = from.getStruct(column, count);
            for (int i = 0; i < count; i++) inner.get(i).put(part, i, data, capacity, row);
          });
      return new Field.Record(name, name, parts);
    }
    var stored = stored(type, path);
    var leaf = leaf(name, stored, stored instanceof Type.Text ? 1 : stored.size());
    stores.add(store(leaf, path));
    return leaf;
  }

  private Field.Leaf leaf(String name, Type type, int alignment) {
    align(alignment);
    var leaf = new Field.Leaf(name, end, type);
    end = Math.addExact(end, type.size());
    return leaf;
  }

  private void align(int alignment) {
    if (layout == Layout.ALIGNED) end = up(end, alignment);
  }

  private static int up(int size, int alignment) {
    return Math.ceilDiv(size, alignment) * alignment;
  }

  private int alignment(StructField column) {
    return alignment(column.dataType());
  }

  private int alignment(DataType type) {
    if (!(type instanceof StructType inside))
      return type.equals(DataTypes.StringType) ? 1 : Math.min(8, type.defaultSize());
    int largest = 1;
    for (var column : inside.fields()) largest = Math.max(largest, alignment(column));
    return largest;
  }

  private Type stored(DataType type, String path) {
    if (type.equals(DataTypes.BooleanType)) return Type.Primitive.BOOLEAN;
    if (type.equals(DataTypes.ByteType)) return Type.Primitive.BYTE;
    if (type.equals(DataTypes.ShortType)) return Type.Primitive.SHORT;
    if (type.equals(DataTypes.IntegerType)) return Type.Primitive.INT;
    if (type.equals(DataTypes.LongType)) return Type.Primitive.LONG;
    if (type.equals(DataTypes.FloatType)) return Type.Primitive.FLOAT;
    if (type.equals(DataTypes.DoubleType)) return Type.Primitive.DOUBLE;
    if (!type.equals(DataTypes.StringType))
      throw new IllegalArgumentException(
          "column " + path + " is of type " + type.sql() + ", which struct files have not: cast it");
    long bytes = Asked.count(options, "textBytes." + path, Asked.count(options, "textBytes", 0));
    if (bytes < 1 || bytes > Schema.LONGEST_ROW)
      throw new IllegalArgumentException(
          "column " + path + " is a string: say how many bytes it has at most, by option(\"textBytes."
              + path + "\", n) or option(\"textBytes\", n), from 1 to " + Schema.LONGEST_ROW);
    return new Type.Text((int) bytes);
  }

  /** Where a value of a row is. */
  private long place(Field.Leaf leaf, long capacity, long row) {
    return layout == Layout.COLUMNS
        ? capacity * leaf.offset() + row * leaf.type().size()
        : row * schema.stride() + leaf.offset();
  }

  private Store optional(Field.Leaf sign, Store value) {
    return (from, column, data, capacity, row) -> {
      if (from.isNullAt(column)) return;
      data.set(ValueLayout.JAVA_BYTE, place(sign, capacity, row), (byte) 1);
      value.put(from, column, data, capacity, row);
    };
  }

  private static Store required(String path, Store value) {
    return (from, column, data, capacity, row) -> {
      if (from.isNullAt(column))
        throw new IllegalArgumentException(
            "column " + path + " is null in a row, and option(\"nulls\", \"fail\") says that none is");
      value.put(from, column, data, capacity, row);
    };
  }

  private Store store(Field.Leaf leaf, String path) {
    return switch (leaf.type()) {
      case Type.Primitive.BOOLEAN ->
          (from, column, data, capacity, row) ->
              data.set(
                  ValueLayout.JAVA_BYTE, place(leaf, capacity, row), (byte) (from.getBoolean(column) ? 1 : 0));
      case Type.Primitive.BYTE ->
          (from, column, data, capacity, row) ->
              data.set(ValueLayout.JAVA_BYTE, place(leaf, capacity, row), from.getByte(column));
      case Type.Primitive.SHORT ->
          (from, column, data, capacity, row) ->
              data.set(ValueLayout.JAVA_SHORT_UNALIGNED, place(leaf, capacity, row), from.getShort(column));
      case Type.Primitive.INT ->
          (from, column, data, capacity, row) ->
              data.set(ValueLayout.JAVA_INT_UNALIGNED, place(leaf, capacity, row), from.getInt(column));
      case Type.Primitive.LONG ->
          (from, column, data, capacity, row) ->
              data.set(ValueLayout.JAVA_LONG_UNALIGNED, place(leaf, capacity, row), from.getLong(column));
      case Type.Primitive.FLOAT ->
          (from, column, data, capacity, row) ->
              data.set(ValueLayout.JAVA_FLOAT_UNALIGNED, place(leaf, capacity, row), from.getFloat(column));
      case Type.Primitive.DOUBLE ->
          (from, column, data, capacity, row) ->
              data.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, place(leaf, capacity, row), from.getDouble(column));
      default ->
          (from, column, data, capacity, row) -> {
            var bytes = from.getUTF8String(column).getBytes();
            checkText(bytes, leaf.type().size(), path);
            MemorySegment.copy(
                bytes, 0, data, ValueLayout.JAVA_BYTE, place(leaf, capacity, row), bytes.length);
          };
    };
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
