package undercroft.spark;

import java.util.HashSet;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;

/** The names of written columns and of their nested fields. Spark allows an empty name and
 * equal names, but a column of a struct file is found by its name.
 */
final class ColumnNames {
  private ColumnNames() {}

  /** Throws IllegalArgumentException, with the column, if a name is empty, or occurs twice among the
   * columns or the fields of one struct. Case distinguishes names.
   */
  static void check(StructType columns) {
    check(columns, "");
  }

  private static void check(StructType columns, String around) {
    var names = new HashSet<String>();
    for (var column : columns.fields()) {
      var path = around + column.name();
      if (column.name().isEmpty())
        throw new IllegalArgumentException(
            "the name of a column must not be empty, but is in '" + path + "': rename it");
      if (!names.add(column.name()))
        throw new IllegalArgumentException("column " + path + " must occur once, but occurs twice: rename one");
      checkInside(column.dataType(), path);
    }
  }

  private static void checkInside(DataType type, String path) {
    switch (type) {
      case StructType struct -> check(struct, path + ".");
      case ArrayType array -> checkInside(array.elementType(), path + ".element");
      default -> {}
    }
  }
}
