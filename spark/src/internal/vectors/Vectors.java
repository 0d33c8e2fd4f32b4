package undercroft.spark.internal.vectors;

import java.lang.foreign.MemorySegment;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;
import undercroft.file.format.Field;
import undercroft.file.format.FileLayout;
import undercroft.file.format.LogicalKind;
import undercroft.file.format.Schema;
import undercroft.file.format.Type;
import undercroft.spark.internal.columns.ColumnMetadata;
import undercroft.spark.internal.columns.LogicalColumns;
import undercroft.spark.internal.columns.NullableField;

/** Creates the vectors of the requested columns for a range of rows of a file. */
public final class Vectors {
  private Vectors() {}

  /** Vectors of the rows `[first, first + rows)`.
   *
   * @param file the name of the file in error messages
   * @param capacity the capacity that columns are laid out for
   */
  public static ColumnVector[] of(
      String file, Schema schema, long capacity, MemorySegment data, StructType projection, long first,
      int rows) {
    Function<Field.Leaf, ValueRange> root = leaf -> root(schema, capacity, first, leaf);
    return of(NullableField.of(schema.fields()), projection, new ValueOrigin(file, "", first, 1), data, root, rows);
  }

  private static ValueRange root(Schema schema, long capacity, long first, Field.Leaf leaf) {
    if (schema.layout() != FileLayout.COLUMNS)
      return ValueRange.of(first * schema.stride() + leaf.offset(), schema.stride());
    long size = leaf.type().size();
    return ValueRange.of(capacity * leaf.offset() + first * size, size);
  }

  /** The leaf values that are read for the requested columns. */
  public static Set<Field.Leaf> leaves(Schema schema, StructType projection) {
    var leaves = new LinkedHashSet<Field.Leaf>();
    Function<Field.Leaf, ValueRange> root =
        leaf -> {
          leaves.add(leaf);
          return ValueRange.of(0, 0);
        };
    of(NullableField.of(schema.fields()), projection, new ValueOrigin("", "", 0, 1), MemorySegment.NULL, root, 0);
    return leaves;
  }

  private static ColumnVector[] of(
      List<NullableField> parts, StructType projection, ValueOrigin origin, MemorySegment data,
      Function<Field.Leaf, ValueRange> places, int rows) {
    var vectors = new ColumnVector[projection.length()];
    for (int i = 0; i < vectors.length; i++) {
      var column = projection.fields()[i];
      var part =
          parts.stream()
              .filter(candidate -> candidate.name().equals(column.name()))
              .findFirst()
              .orElseThrow(() -> new IllegalArgumentException("no column " + column.name()));
      vectors[i] = of(part, column.dataType(), origin.inside(part.name()), data, places, rows);
    }
    return vectors;
  }

  private static ColumnVector of(
      NullableField part, DataType dataType, ValueOrigin origin, MemorySegment data,
      Function<Field.Leaf, ValueRange> places, int rows) {
    NumberVector sign = null;
    if (part.sign() != null)
      sign = new NumberVector(part.sign().type(), data, places.apply(part.sign()), rows, null, 0);
    if (part.field() instanceof Field.Leaf leaf)
      return of(leaf.type(), dataType, origin, data, places.apply(leaf), rows, sign, part.number());
    if (part.field() instanceof Field.Record record
        && record.kind().isPresent()
        && dataType.equals(LogicalColumns.type(record.kind().get())))
      return pair(record.kind().get(), record.fields(), dataType, origin, data, places, rows, sign, part.number());
    var inside = of(NullableField.inside(part.field()), (StructType) dataType, origin, data, places, rows);
    return new GroupVector(dataType, inside, rows, sign, part.number());
  }

  /** A vector of values of 128 bits, the upper half first. */
  private static ColumnVector pair(
      LogicalKind kind, List<Field> halves, DataType dataType, ValueOrigin origin, MemorySegment data,
      Function<Field.Leaf, ValueRange> places, int rows, NumberVector sign, int number) {
    var vectors =
        halves.stream()
            .map(half -> (Field.Leaf) half)
            .map(half -> new NumberVector(half.type(), data, places.apply(half), rows, null, 0))
            .toList();
    return new LogicalVector(
        kind, dataType, vectors.getFirst(), vectors.getLast(), origin, rows, sign, number);
  }

  /** A vector of values of one type. */
  public static ColumnVector of(
      Type type, DataType dataType, ValueOrigin origin, MemorySegment data, ValueRange place, int rows,
      NumberVector sign, int number) {
    return switch (type) {
      case Type.Logical logical -> {
        // A column may be requested as its stored type, too.
        var meant = LogicalColumns.type(logical.kind());
        if (meant == null || dataType.equals(DataTypes.LongType) || !ColumnMetadata.isReadAs(meant, dataType))
          yield of(logical.of(), dataType, origin, data, place, rows, sign, number);
        if (logical.of() instanceof Type.Struct struct) {
          Function<Field.Leaf, ValueRange> places = leaf -> place.inside(leaf.offset());
          yield pair(logical.kind(), struct.fields(), dataType, origin, data, places, rows, sign, number);
        }
        var numbers = new NumberVector(logical.of(), data, place, rows, null, 0);
        yield new LogicalVector(logical.kind(), dataType, null, numbers, origin, rows, sign, number);
      }
      case Type.Ordinal ordinal when !ordinal.cases().isEmpty() ->
          new NameVector(type, ordinal.cases(), origin, data, place, rows, sign, number);
      case Type.BigEndian big when big.of() instanceof Type.Ordinal ordinal && !ordinal.cases().isEmpty() ->
          new NameVector(type, ordinal.cases(), origin, data, place, rows, sign, number);
      case Type.Primitive _, Type.Ordinal _, Type.BigEndian _ ->
          new NumberVector(type, data, place, rows, sign, number);
      case Type.Text text -> new TextVector(text.size(), data, place, rows, sign, number);
      case Type.Elements elements ->
          new ArrayVector(elements, (ArrayType) dataType, origin, data, place, rows, sign, number);
      case Type.Struct struct -> {
        Function<Field.Leaf, ValueRange> places = leaf -> place.inside(leaf.offset());
        var inside = of(NullableField.of(struct.fields()), (StructType) dataType, origin, data, places, rows);
        yield new GroupVector(dataType, inside, rows, sign, number);
      }
    };
  }
}
