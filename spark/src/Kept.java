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
import undercroft.file.Type;
import undercroft.file.Type.Primitive;

/** What a column is in its file, where Spark's type of it does not say so: an enum with its cases, the
 * bytes of a text, a Char. It is in the column's metadata, which Spark keeps as long as the column
 * itself is handed on and nothing is computed of it, so that a column that is written back is what it
 * was.
 */
final class Kept {
  private Kept() {}

  private static final String CHAR = "undercroft.char";
  private static final String NUMBER = "undercroft.number";
  private static final String CASES = "undercroft.cases";
  private static final String TEXT_BYTES = "undercroft.textBytes";

  /** What a column of a type has in its metadata. */
  static Metadata of(Type type) {
    var plain = type instanceof Type.BigEndian big ? big.of() : type;
    var kept = new MetadataBuilder();
    switch (plain) {
      case Primitive.CHAR -> kept.putBoolean(CHAR, true);
      case Type.Ordinal ordinal -> {
        kept.putString(NUMBER, ordinal.of().name());
        // An array without elements would come back as one of Longs.
        if (!ordinal.cases().isEmpty()) kept.putStringArray(CASES, ordinal.cases().toArray(String[]::new));
      }
      case Type.Text text -> kept.putLong(TEXT_BYTES, text.size());
      default -> {}
    }
    return kept.build();
  }

  /** What a column was, if its metadata say so. */
  static Optional<Type> in(StructField column) {
    var metadata = column.metadata();
    if (metadata.contains(TEXT_BYTES)) return Optional.of(new Type.Text((int) metadata.getLong(TEXT_BYTES)));
    if (metadata.contains(CHAR)) return Optional.of(Primitive.CHAR);
    if (!metadata.contains(NUMBER)) return Optional.empty();
    var number = Primitive.valueOf(metadata.getString(NUMBER));
    var cases = metadata.contains(CASES) ? List.of(metadata.getStringArray(CASES)) : List.<String>of();
    return Optional.of(new Type.Ordinal(number, cases));
  }

  /** Whether Spark sees the same in both types. */
  static boolean same(DataType one, DataType other) {
    return without(one).equals(without(other));
  }

  private static DataType without(DataType type) {
    return switch (type) {
      case StructType struct ->
          new StructType(
              Arrays.stream(struct.fields())
                  .map(one -> new StructField(one.name(), without(one.dataType()), one.nullable(), Metadata.empty()))
                  .toArray(StructField[]::new));
      case ArrayType array -> new ArrayType(without(array.elementType()), array.containsNull());
      default -> type;
    };
  }

  /** The columns of two files that Spark sees the same in, with what both of them keep. */
  static StructType common(StructType one, StructType other) {
    var fields = one.fields().clone();
    for (int i = 0; i < fields.length; i++) {
      var here = fields[i];
      var there = other.fields()[i];
      var type = here.dataType();
      if (type instanceof StructType a && there.dataType() instanceof StructType b) type = common(a, b);
      var metadata = here.metadata().equals(there.metadata()) ? here.metadata() : Metadata.empty();
      fields[i] = new StructField(here.name(), type, here.nullable(), metadata);
    }
    return new StructType(fields);
  }

  /** Columns that are written behind those of a folder: where Spark sees the same in both, they are
   * what the folder has.
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
