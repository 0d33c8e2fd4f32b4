package undercroft.spark;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.catalyst.InternalRow;
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
 * `option("textBytes.COLUMN", n)` or `option("textBytes", n)` says. A column that was read from a
 * struct file is what it was there ({@link Kept}), unless an option says otherwise.
 */
final class Fitting {
  private final Layout layout;
  private final CaseInsensitiveStringMap options;
  private final boolean refusesNulls;
  private final boolean keepsEnums;
  private final List<Store> all = new ArrayList<>();
  private final Stores stores = new Stores(this);
  private final Schema schema;
  private int end;

  private Fitting(StructType columns, CaseInsensitiveStringMap options) {
    this.options = options;
    this.layout = layout(options);
    this.refusesNulls = one(options, "nulls", "option", "fail").equals("fail");
    this.keepsEnums = one(options, "enums", "keep", "text").equals("keep");
    if (columns.isEmpty()) throw new IllegalArgumentException("no columns: a row has at least one");
    var fields = fields(columns, "", all);
    int size = layout == Layout.ALIGNED ? up(end, alignment(columns, "")) : end;
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
    for (int i = 0; i < all.size(); i++) all.get(i).put(from, i, data, capacity, row);
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

  /** What an option says, of the two things that it may; the first of them if it says nothing. */
  private static String one(CaseInsensitiveStringMap options, String name, String first, String second) {
    var asked = options.getOrDefault(name, first);
    if (!asked.equals(first) && !asked.equals(second))
      throw new IllegalArgumentException(
          "option " + name + " is " + asked + ", and not one of " + first + " and " + second);
    return asked;
  }

  private boolean isOption(StructField column) {
    return column.nullable() && !refusesNulls;
  }

  private List<Field> fields(StructType columns, String around, List<Store> to) {
    var fields = new ArrayList<Field>();
    for (var column : columns.fields()) {
      var path = around + column.name();
      if (isOption(column)) {
        align(alignment(column, path));
        var sign = leaf("isDefined", Type.Primitive.BOOLEAN, 1);
        var inner = new ArrayList<Store>();
        var value = value("get", path, column, inner);
        var name = column.name();
        fields.add(new Field.Record(name, "Option", List.of(sign, value)));
        to.add(stores.optional(sign, inner.getFirst()));
        align(alignment(column, path));
      } else {
        var inner = new ArrayList<Store>();
        fields.add(value(column.name(), path, column, inner));
        to.add(column.nullable() ? Stores.required(path, inner.getFirst()) : inner.getFirst());
      }
    }
    return fields;
  }

  private Field value(String name, String path, StructField of, List<Store> to) {
    if (of.dataType() instanceof StructType inside) {
      align(alignment(inside, path + "."));
      var inner = new ArrayList<Store>();
      var parts = fields(inside, path + ".", inner);
      align(alignment(inside, path + "."));
      to.add(Stores.group(inner));
      return new Field.Record(name, name, parts);
    }
    var stored = stored(of, path);
    var leaf = leaf(name, stored, alignment(stored));
    to.add(stores.of(leaf, of.dataType(), path));
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

  private int alignment(StructField column, String path) {
    if (column.dataType() instanceof StructType inside) return alignment(inside, path + ".");
    return alignment(stored(column, path));
  }

  private int alignment(StructType columns, String around) {
    int largest = 1;
    for (var column : columns.fields())
      largest = Math.max(largest, alignment(column, around + column.name()));
    return largest;
  }

  private static int alignment(Type stored) {
    return stored instanceof Type.Text ? 1 : stored.size();
  }

  private Type stored(StructField column, String path) {
    var type = column.dataType();
    var kept = Kept.in(column).filter(one -> Part.type(one).equals(type));
    if (type.equals(DataTypes.StringType)) return stored(kept, path);
    if (kept.isPresent()) return kept.get();
    if (type.equals(DataTypes.BooleanType)) return Type.Primitive.BOOLEAN;
    if (type.equals(DataTypes.ByteType)) return Type.Primitive.BYTE;
    if (type.equals(DataTypes.ShortType)) return Type.Primitive.SHORT;
    if (type.equals(DataTypes.IntegerType)) return Type.Primitive.INT;
    if (type.equals(DataTypes.LongType)) return Type.Primitive.LONG;
    if (type.equals(DataTypes.FloatType)) return Type.Primitive.FLOAT;
    if (type.equals(DataTypes.DoubleType)) return Type.Primitive.DOUBLE;
    throw new IllegalArgumentException(
        "column " + path + " is of type " + type.sql() + ", which struct files have not: cast it");
  }

  /** How strings are stored: as the enum that they were, or as texts of so many bytes. */
  private Type stored(Optional<Type> kept, String path) {
    if (kept.isPresent() && kept.get() instanceof Type.Ordinal && keepsEnums) return kept.get();
    long known =
        switch (kept.orElse(null)) {
          case Type.Text text -> text.size();
          case Type.Ordinal ordinal -> longest(ordinal.cases());
          case null, default -> 0;
        };
    long bytes = Asked.count(options, "textBytes." + path, Asked.count(options, "textBytes", known));
    if (bytes < 1 || bytes > Schema.LONGEST_ROW)
      throw new IllegalArgumentException(
          "column " + path + " is a string: say how many bytes it has at most, by option(\"textBytes."
              + path + "\", n) or option(\"textBytes\", n), from 1 to " + Schema.LONGEST_ROW);
    return new Type.Text((int) bytes);
  }

  private static int longest(List<String> names) {
    return names.stream().mapToInt(name -> name.getBytes(StandardCharsets.UTF_8).length).max().orElse(0);
  }

  /** Where a value of a row is. */
  long place(Field.Leaf leaf, long capacity, long row) {
    return layout == Layout.COLUMNS
        ? capacity * leaf.offset() + row * leaf.type().size()
        : row * schema.stride() + leaf.offset();
  }
}
