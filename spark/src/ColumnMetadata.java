package undercroft.spark;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.MetadataBuilder;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import undercroft.file.format.Type;
import undercroft.file.format.Type.Primitive;

/** Column metadata for stored types that Spark's type does not determine: an enum with its cases,
 * the size of a string, a Char. Spark preserves metadata while a column is passed on unchanged, so
 * a column that is read and written back keeps its stored type.
 */
final class ColumnMetadata {
  private ColumnMetadata() {}

  private static final String CHAR = "undercroft.char";
  private static final String NUMBER = "undercroft.number";
  private static final String CASES = "undercroft.cases";
  private static final String TEXT_BYTES = "undercroft.textBytes";

  /** The metadata of a column of a type. */
  static Metadata of(Type type) {
    var plain = type instanceof Type.BigEndian big ? big.of() : type;
    var builder = new MetadataBuilder();
    switch (plain) {
      case Primitive.CHAR -> builder.putBoolean(CHAR, true);
      case Type.Ordinal ordinal -> {
        builder.putString(NUMBER, ordinal.of().name());
        // An empty string array would be read back as an array of Longs.
        if (!ordinal.cases().isEmpty()) builder.putStringArray(CASES, ordinal.cases().toArray(String[]::new));
      }
      case Type.Text text -> builder.putLong(TEXT_BYTES, text.size());
      default -> {}
    }
    return builder.build();
  }

  /** The stored type of a column, if its metadata has one. */
  static Optional<Type> in(StructField column) {
    var metadata = column.metadata();
    if (metadata.contains(TEXT_BYTES)) return Optional.of(new Type.Text((int) metadata.getLong(TEXT_BYTES)));
    if (metadata.contains(CHAR)) return Optional.of(Primitive.CHAR);
    if (!metadata.contains(NUMBER)) return Optional.empty();
    var number = Primitive.valueOf(metadata.getString(NUMBER));
    var cases = metadata.contains(CASES) ? List.of(metadata.getStringArray(CASES)) : List.<String>of();
    return Optional.of(new Type.Ordinal(number, cases));
  }

  /** Whether two types are equal except for metadata. */
  static boolean same(DataType first, DataType second) {
    return without(first).equals(without(second));
  }

  private static DataType without(DataType type) {
    return switch (type) {
      case StructType struct ->
          new StructType(
              Arrays.stream(struct.fields())
                  .map(
                      part ->
                          new StructField(
                              part.name(), without(part.dataType()), part.nullable(), Metadata.empty()))
                  .toArray(StructField[]::new));
      case ArrayType array -> new ArrayType(without(array.elementType()), array.containsNull());
      default -> type;
    };
  }

  /** Merges the columns of two files that are equal for Spark; keeps metadata that both have. */
  static StructType common(StructType first, StructType second) {
    var fields = first.fields().clone();
    for (int i = 0; i < fields.length; i++) {
      var here = fields[i];
      var there = second.fields()[i];
      var type = here.dataType();
      if (type instanceof StructType a && there.dataType() instanceof StructType b) type = common(a, b);
      var metadata = here.metadata().equals(there.metadata()) ? here.metadata() : Metadata.empty();
      fields[i] = new StructField(here.name(), type, here.nullable(), metadata);
    }
    return new StructType(fields);
  }

  /** Columns that are appended to a folder: a column with the same Spark type takes the folder's
   * stored type.
   */
  static StructType as(StructType folder, StructType columns) {
    var fields = columns.fields().clone();
    var names = List.of(folder.fieldNames());
    for (int i = 0; i < fields.length; i++) {
      var here = fields[i];
      if (!names.contains(here.name())) continue;
      var there = folder.fields()[names.indexOf(here.name())];
      if (here.dataType() instanceof StructType a && there.dataType() instanceof StructType b)
        fields[i] = new StructField(here.name(), as(b, a), here.nullable(), here.metadata());
      else if (here.dataType().equals(there.dataType()))
        fields[i] = new StructField(here.name(), here.dataType(), here.nullable(), there.metadata());
    }
    return new StructType(fields);
  }
}
