package undercroft.spark.internal.columns;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** The union of the columns of files: a column that a file does not have is null in its rows. */
public final class MergedColumns {
  private MergedColumns() {}

  /** The columns of files, and then the other columns of one more file. Throws
   * IllegalArgumentException if a column has another type in it.
   *
   * @param file the name of the file in error messages
   */
  public static StructType of(StructType first, StructType second, String file) {
    var merged = new ArrayList<StructField>();
    var names = List.of(second.fieldNames());
    for (var column : first.fields()) {
      int index = names.indexOf(column.name());
      merged.add(index < 0 ? nullable(column) : of(column, second.fields()[index], file));
    }
    var firstNames = List.of(first.fieldNames());
    for (var column : second.fields()) if (!firstNames.contains(column.name())) merged.add(nullable(column));
    return new StructType(merged.toArray(StructField[]::new));
  }

  private static StructField nullable(StructField column) {
    return new StructField(column.name(), column.dataType(), true, column.metadata());
  }

  /** A column of two files; keeps metadata that both have. */
  private static StructField of(StructField first, StructField second, String file) {
    var type = of(first.dataType(), second.dataType());
    if (type == null)
      throw new IllegalArgumentException(
          file + ": schema mismatch: column " + first.name() + " is of type " + second.dataType().sql() + ", but of type "
              + first.dataType().sql() + " in other files, and mergeSchema merges columns of equal types only");
    var metadata = ColumnMetadata.common(first.metadata(), second.metadata());
    return new StructField(first.name(), type, first.nullable() || second.nullable(), metadata);
  }

  /** The type of both, whose parts may be null if those of one may be; null if they differ otherwise. */
  private static DataType of(DataType first, DataType second) {
    if (first instanceof ArrayType a && second instanceof ArrayType b) {
      var element = of(a.elementType(), b.elementType());
      return element == null ? null : new ArrayType(element, a.containsNull() || b.containsNull());
    }
    if (!(first instanceof StructType a) || !(second instanceof StructType b)) return first.equals(second) ? first : null;
    if (!List.of(a.fieldNames()).equals(List.of(b.fieldNames()))) return null;
    var parts = new StructField[a.length()];
    for (int i = 0; i < parts.length; i++) {
      var type = of(a.fields()[i].dataType(), b.fields()[i].dataType());
      if (type == null) return null;
      var metadata = ColumnMetadata.common(a.fields()[i].metadata(), b.fields()[i].metadata());
      parts[i] = new StructField(a.fields()[i].name(), type, a.fields()[i].nullable() || b.fields()[i].nullable(), metadata);
    }
    return new StructType(parts);
  }
}
