package undercroft.spark;

import java.lang.foreign.MemorySegment;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;
import undercroft.file.Field;
import undercroft.file.Layout;
import undercroft.file.Schema;
import undercroft.file.Type;

/** Makes the vectors of the columns that are wanted, for some rows of a file. */
final class Vectors {
  private Vectors() {}

  /** Vectors of the rows `[first, first + rows)`.
   *
   * @param file
   *     what errors call it
   * @param capacity
   *     what columns are laid out for
   */
  static ColumnVector[] of(
      String file, Schema schema, long capacity, MemorySegment data, StructType wanted, long first,
      int rows) {
    Function<Field.Leaf, Place> root = leaf -> root(schema, capacity, first, leaf);
    return of(Part.of(schema.fields()), wanted, new Origin(file, "", first, 1), data, root, rows);
  }

  private static Place root(Schema schema, long capacity, long first, Field.Leaf leaf) {
    if (schema.layout() != Layout.COLUMNS)
      return Place.of(first * schema.stride() + leaf.offset(), schema.stride());
    long size = leaf.type().size();
    return Place.of(capacity * leaf.offset() + first * size, size);
  }

  /** The values of a row that are read for the columns that are wanted. */
  static Set<Field.Leaf> leaves(Schema schema, StructType wanted) {
    var found = new LinkedHashSet<Field.Leaf>();
    Function<Field.Leaf, Place> root =
        leaf -> {
          found.add(leaf);
          return Place.of(0, 0);
        };
    of(Part.of(schema.fields()), wanted, new Origin("", "", 0, 1), MemorySegment.NULL, root, 0);
    return found;
  }

  private static ColumnVector[] of(
      List<Part> parts, StructType wanted, Origin origin, MemorySegment data,
      Function<Field.Leaf, Place> places, int rows) {
    var vectors = new ColumnVector[wanted.length()];
    for (int i = 0; i < vectors.length; i++) {
      var column = wanted.fields()[i];
      var part =
          parts.stream()
              .filter(one -> one.name().equals(column.name()))
              .findFirst()
              .orElseThrow(() -> new IllegalArgumentException("no column " + column.name()));
      vectors[i] = of(part, column.dataType(), origin.inside(part.name()), data, places, rows);
    }
    return vectors;
  }

  private static ColumnVector of(
      Part part, DataType wanted, Origin origin, MemorySegment data,
      Function<Field.Leaf, Place> places, int rows) {
    NumberVector sign = null;
    if (part.sign() != null)
      sign = new NumberVector(part.sign().type(), data, places.apply(part.sign()), rows, null, 0);
    if (part.field() instanceof Field.Leaf leaf)
      return of(leaf.type(), wanted, origin, data, places.apply(leaf), rows, sign, part.number());
    var inside = of(Part.inside(part.field()), (StructType) wanted, origin, data, places, rows);
    return new GroupVector(wanted, inside, rows, sign, part.number());
  }

  /** A vector of values of one type. */
  static ColumnVector of(
      Type type, DataType wanted, Origin origin, MemorySegment data, Place place, int rows,
      NumberVector sign, int number) {
    return switch (type) {
      case Type.Ordinal ordinal when !ordinal.cases().isEmpty() ->
          new NameVector(type, ordinal.cases(), origin, data, place, rows, sign, number);
      case Type.BigEndian big when big.of() instanceof Type.Ordinal ordinal && !ordinal.cases().isEmpty() ->
          new NameVector(type, ordinal.cases(), origin, data, place, rows, sign, number);
      case Type.Primitive _, Type.Ordinal _, Type.BigEndian _ ->
          new NumberVector(type, data, place, rows, sign, number);
      case Type.Text text -> new TextVector(text.size(), data, place, rows, sign, number);
      case Type.Elements elements ->
          new ArrayVector(elements, (ArrayType) wanted, origin, data, place, rows, sign, number);
      case Type.Struct struct -> {
        Function<Field.Leaf, Place> places = leaf -> place.inside(leaf.offset());
        var inside = of(Part.of(struct.fields()), (StructType) wanted, origin, data, places, rows);
        yield new GroupVector(wanted, inside, rows, sign, number);
      }
    };
  }
}
