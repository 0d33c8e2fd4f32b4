package undercroft.spark.internal.write;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import undercroft.file.format.Field;
import undercroft.file.format.FileLayout;
import undercroft.file.format.Schema;
import undercroft.file.format.Type;
import undercroft.spark.internal.columns.ColumnMetadata;
import undercroft.spark.internal.columns.LogicalColumns;
import undercroft.spark.internal.columns.NullableField;
import undercroft.spark.internal.columns.SourceOptions;

/** Maps Spark columns to the schema of a struct file, and stores rows under it.
 *
 * The layout is C ABI rows, packed rows or columns. A nullable column is an Option, unless
 * `option("nulls", "fail")` states that it has no nulls. `option("textBytes.COLUMN", n)` or
 * `option("textBytes", n)` sets the size of strings in bytes, and `arrayLength` the length of arrays.
 * A column that was read from a struct file keeps its stored type ({@link ColumnMetadata}), unless an
 * option overrides it. The elements of an array are the column `COLUMN.element`.
 */
public final class SchemaMapping {
  private final FileLayout layout;
  private final CaseInsensitiveStringMap options;
  private final boolean refusesNulls;
  private final boolean keepsEnums;
  private final List<ColumnWriter> writers = new ArrayList<>();
  private final Schema schema;
  private final List<String> paths = new ArrayList<>();

  private SchemaMapping(StructType columns, CaseInsensitiveStringMap options) {
    this.options = options;
    this.layout = layout(options);
    this.refusesNulls = one(options, "nulls", "option", "fail").equals("fail");
    this.keepsEnums = one(options, "enums", "keep", "text").equals("keep");
    if (columns.isEmpty()) throw new IllegalArgumentException("there are no columns, but a row has at least one");
    var places = new Placement(layout, new ColumnWriters(this::place));
    var fields = places.fields(columns, "", writers);
    SourceOptions.checkColumns(options, "textBytes.", paths);
    SourceOptions.checkColumns(options, "arrayLength.", paths);
    places.align(alignment(columns, ""));
    var name = options.getOrDefault("name", "Row");
    this.schema = new Schema(name, layout, ByteOrder.nativeOrder(), places.end, fields);
  }

  /** Throws IllegalArgumentException with the column and the reason if a column cannot be stored.
   */
  public static SchemaMapping of(StructType columns, CaseInsensitiveStringMap options) {
    return new SchemaMapping(columns, options);
  }

  public Schema schema() {
    return schema;
  }

  /** Stores a row whose bytes are all zero.
   *
   * @param ordinals the positions of the columns in `from`
   */
  public void put(InternalRow from, int[] ordinals, MemorySegment data, long capacity, long row) {
    for (int i = 0; i < writers.size(); i++) writers.get(i).put(from, ordinals[i], data, capacity, row);
  }

  private static FileLayout layout(CaseInsensitiveStringMap options) {
    var layoutName = options.getOrDefault("layout", "columns");
    return switch (layoutName) {
      case "rows" -> FileLayout.ALIGNED;
      case "packed" -> FileLayout.PACKED;
      case "columns" -> FileLayout.COLUMNS;
      default ->
          throw new IllegalArgumentException(
              "option layout must be rows, packed or columns, but is " + layoutName);
    };
  }

  /** The value of the option for a layout. */
  public static String name(FileLayout layout) {
    return switch (layout) {
      case ALIGNED -> "rows";
      case PACKED -> "packed";
      case COLUMNS -> "columns";
    };
  }

  /** An option with two allowed values; the first is the default. */
  private static String one(CaseInsensitiveStringMap options, String name, String first, String second) {
    var value = options.getOrDefault(name, first);
    if (!value.equals(first) && !value.equals(second))
      throw new IllegalArgumentException(
          "option " + name + " must be " + first + " or " + second + ", but is " + value);
    return value;
  }

  private boolean isOption(StructField column) {
    return column.nullable() && !refusesNulls;
  }

  /** Assigns the offsets of a row's values, or of an array element's, in their order. */
  private final class Placement {
    private final FileLayout layout;
    private final ColumnWriters stores;
    private int end;

    Placement(FileLayout layout, ColumnWriters stores) {
      this.layout = layout;
      this.stores = stores;
    }

    private List<Field> fields(StructType columns, String around, List<ColumnWriter> to) {
      var fields = new ArrayList<Field>();
      for (var column : columns.fields()) {
        var path = around + column.name();
        paths.add(path);
        if (isOption(column)) {
          align(alignment(column, path));
          var sign = leaf("isDefined", path, Type.Primitive.BOOLEAN, 1);
          var inner = new ArrayList<ColumnWriter>();
          var value = value("get", path, column, inner);
          var name = column.name();
          fields.add(new Field.Record(name, "Option", List.of(sign, value)));
          to.add(stores.optional(sign, inner.getFirst()));
          align(alignment(column, path));
        } else {
          var inner = new ArrayList<ColumnWriter>();
          fields.add(value(column.name(), path, column, inner));
          to.add(ColumnWriters.required(path, inner.getFirst()));
        }
      }
      return fields;
    }

    private Field value(String name, String path, StructField of, List<ColumnWriter> to) {
      if (of.dataType() instanceof StructType inside) {
        align(alignment(inside, path + "."));
        var inner = new ArrayList<ColumnWriter>();
        var parts = fields(inside, path + ".", inner);
        align(alignment(inside, path + "."));
        to.add(ColumnWriters.group(inner));
        return new Field.Record(name, structName(name), parts, ColumnMetadata.name(of));
      }
      if (of.dataType() instanceof ArrayType) {
        var element = elements(of, path);
        var leaf = leaf(name, path, element.type, alignment(of, path));
        to.add(stores.elements(leaf, element.writer, path));
        return leaf;
      }
      var stored = stored(of, path);
      if (stored instanceof Type.Logical logical && logical.of() instanceof Type.Struct pair) {
        var high = leaf("high", path, Type.Primitive.LONG, Long.BYTES);
        var low = leaf("low", path, Type.Primitive.LONG, Long.BYTES);
        to.add(stores.pair(high, low, logical.kind(), path));
        return new Field.Record(name, pair.name(), List.of(high, low), Optional.of(logical.kind()));
      }
      var leaf = leaf(name, path, stored, alignment(of, path));
      to.add(stores.of(leaf, of.dataType(), path));
      return leaf;
    }

    private Field.Leaf leaf(String name, String path, Type type, int alignment) {
      align(alignment);
      long newEnd = (long) end + type.size();
      if (newEnd > Schema.LONGEST_ROW)
        throw new IllegalArgumentException(
            "column " + path + " would end at byte " + newEnd + " of a row, but a row must have at most "
                + Schema.LONGEST_ROW + " bytes");
      var leaf = new Field.Leaf(name, end, type);
      end = (int) newEnd;
      return leaf;
    }

    private void align(int alignment) {
      if (layout == FileLayout.ALIGNED) end = up(end, alignment);
    }
  }

  /** @param writer stores an element */
  private record Elements(Type.Elements type, ColumnWriter writer) {}

  /** The stored type of an array column. Its elements are packed in packed rows, and otherwise have
   * the layout of the C ABI, also in columns.
   */
  private Elements elements(StructField column, String path) {
    var element = ColumnMetadata.element(column);
    var inside = path + ".element";
    paths.add(inside);
    var placed =
        new Placement(
            layout == FileLayout.PACKED ? FileLayout.PACKED : FileLayout.ALIGNED, ColumnWriters.OF_ELEMENTS);
    var writers = new ArrayList<ColumnWriter>();
    var field = placed.value("element", inside, element, writers);
    placed.align(alignment(element, inside));
    var type =
        switch (field) {
          case Field.Leaf leaf -> leaf.type();
          case Field.Record record when record.kind().isPresent() ->
              new Type.Logical(
                  new Type.Struct(
                      element.dataType() instanceof StructType ? structName(column.name()) : record.typeName(),
                      placed.end, record.fields()),
                  record.kind().get());
          case Field.Record record -> new Type.Struct(structName(column.name()), placed.end, record.fields());
          case Field.Union union -> throw new IllegalStateException(union.name());
        };
    int maxLength = (int) (Schema.LONGEST_ROW / type.size());
    long length =
        SourceOptions.count(
            options, "arrayLength." + path,
            SourceOptions.count(options, "arrayLength", ColumnMetadata.arrayLength(column)));
    if (length < 1 || length > maxLength)
      throw new IllegalArgumentException(
          "column " + path + " is an array: its length must be set by option(\"arrayLength." + path
              + "\", n) or option(\"arrayLength\", n), from 1 to " + maxLength + " elements of " + type.size()
              + " bytes");
    return new Elements(new Type.Elements(type, (int) length), writers.getFirst());
  }

  /** The name of a nested struct's type, from the name of its column. It must not be that of an
   * Option.
   */
  private static String structName(String column) {
    return column.equals("Option") ? "OptionStruct" : column;
  }

  private static int up(int size, int alignment) {
    return Math.ceilDiv(size, alignment) * alignment;
  }

  private int alignment(StructField column, String path) {
    if (column.dataType() instanceof StructType inside) return alignment(inside, path + ".");
    if (column.dataType() instanceof ArrayType) return alignment(ColumnMetadata.element(column), path + ".element");
    return alignment(stored(column, path));
  }

  private int alignment(StructType columns, String around) {
    int largest = 1;
    for (var column : columns.fields())
      largest = Math.max(largest, alignment(column, around + column.name()));
    return largest;
  }

  private static int alignment(Type stored) {
    return switch (stored) {
      case Type.Text _ -> 1;
      case Type.Logical logical -> alignment(logical.of());
      default -> Math.min(stored.size(), Long.BYTES); // 128 bits are two Longs
    };
  }

  private Type stored(StructField column, String path) {
    var stored = unnamed(column, path);
    var name = ColumnMetadata.name(column);
    return name.isEmpty() || stored instanceof Type.Logical ? stored : new Type.Logical(stored, name.get());
  }

  /** The stored type of a column without the name that the type may have. */
  private Type unnamed(StructField column, String path) {
    var type = column.dataType();
    var storedType =
        ColumnMetadata.in(column).filter(candidate -> ColumnMetadata.isReadAs(NullableField.type(candidate), type));
    if (type.equals(DataTypes.StringType)) return stored(storedType, path);
    if (storedType.isPresent()) return storedType.get();
    if (type.equals(DataTypes.BooleanType)) return Type.Primitive.BOOLEAN;
    if (type.equals(DataTypes.ByteType)) return Type.Primitive.BYTE;
    if (type.equals(DataTypes.ShortType)) return Type.Primitive.SHORT;
    if (type.equals(DataTypes.IntegerType)) return Type.Primitive.INT;
    if (type.equals(DataTypes.LongType)) return Type.Primitive.LONG;
    if (type.equals(DataTypes.FloatType)) return Type.Primitive.FLOAT;
    if (type.equals(DataTypes.DoubleType)) return Type.Primitive.DOUBLE;
    return LogicalColumns.stored(type)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "column " + path + " is of type " + type.sql() + ", which struct files do not support: cast it"));
  }

  /** The stored type of a string column: the enum or UUID that it was read from, or a string of fixed
   * size.
   */
  private Type stored(Optional<Type> storedType, String path) {
    boolean isUuid = storedType.isPresent() && storedType.get() instanceof Type.Logical;
    if (isUuid && !options.containsKey("textBytes." + path)) return storedType.get();
    if (storedType.isPresent() && storedType.get() instanceof Type.Ordinal && keepsEnums) return storedType.get();
    long length =
        switch (storedType.orElse(null)) {
          case Type.Text text -> text.size();
          case Type.Ordinal ordinal -> longest(ordinal.cases());
          case null, default -> 0;
        };
    long bytes = SourceOptions.count(options, "textBytes." + path, SourceOptions.count(options, "textBytes", length));
    if (bytes < 1 || bytes > Schema.LONGEST_ROW)
      throw new IllegalArgumentException(
          "column " + path + " is a string: its size must be set by option(\"textBytes."
              + path + "\", n) or option(\"textBytes\", n), from 1 to " + Schema.LONGEST_ROW + " bytes");
    return new Type.Text((int) bytes);
  }

  private static int longest(List<String> names) {
    return names.stream().mapToInt(name -> name.getBytes(StandardCharsets.UTF_8).length).max().orElse(0);
  }

  /** The position of a value of a row. */
  private long place(Field.Leaf leaf, long capacity, long row) {
    return layout == FileLayout.COLUMNS
        ? capacity * leaf.offset() + row * leaf.type().size()
        : row * schema.stride() + leaf.offset();
  }
}
