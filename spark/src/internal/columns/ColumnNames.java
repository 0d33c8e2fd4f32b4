package undercroft.spark.internal.columns;

import java.io.Serial;
import java.io.Serializable;
import java.util.List;
import java.util.TreeMap;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** How names of columns and of their nested fields are compared: without case, unless the session's
 * setting `spark.sql.caseSensitive` is true. Spark compares names in this way.
 */
public record ColumnNames(boolean isCaseSensitive) implements Serializable {
  @Serial private static final long serialVersionUID = 1L;

  public static ColumnNames ofSession() {
    return new ColumnNames(SQLConf.get().caseSensitiveAnalysis());
  }

  private boolean same(String first, String second) {
    return isCaseSensitive ? first.equals(second) : first.equalsIgnoreCase(second);
  }

  /** The index of a column, or -1 if there is none of this name; a name with equal letters has
   * precedence. Throws IllegalArgumentException if several names are equal except for case.
   */
  public int indexOf(StructType columns, String name) {
    int found = -1;
    int others = 0;
    for (int i = 0; i < columns.length(); i++) {
      var candidate = columns.fields()[i].name();
      if (candidate.equals(name)) return i;
      if (!same(candidate, name)) continue;
      found = i;
      others++;
    }
    if (others > 1)
      throw new IllegalArgumentException(
          "column " + name + " is one of several that differ in case only, of " + String.join(", ", columns.fieldNames())
              + ": set spark.sql.caseSensitive to true");
    return found;
  }

  /** The name of one of the columns that a name means, or the name itself. */
  public String in(StructType columns, String name) {
    int index = indexOf(columns, name);
    return index < 0 ? name : columns.fields()[index].name();
  }

  public List<String> in(StructType columns, List<String> names) {
    return names.stream().map(name -> in(columns, name)).toList();
  }

  /** The same columns, with the letters of those of `names` that have the same name; nested fields, too. */
  public StructType as(StructType names, StructType columns) {
    var fields = columns.fields().clone();
    var own = List.of(columns.fieldNames());
    for (int i = 0; i < fields.length; i++) {
      int index = indexOf(names, fields[i].name());
      if (index < 0) continue;
      var named = names.fields()[index];
      boolean isTaken = !named.name().equals(fields[i].name()) && own.contains(named.name());
      if (!isTaken) fields[i] = as(named, fields[i]);
    }
    return new StructType(fields);
  }

  /** The same column with another's name. */
  public StructField as(StructField named, StructField column) {
    return new StructField(
        named.name(), as(named.dataType(), column.dataType()), column.nullable(), column.metadata());
  }

  private DataType as(DataType names, DataType type) {
    if (names instanceof StructType a && type instanceof StructType b) return as(a, b);
    if (names instanceof ArrayType a && type instanceof ArrayType b)
      return new ArrayType(as(a.elementType(), b.elementType()), b.containsNull());
    return type;
  }

  /** Throws IllegalArgumentException, with the column, if a name is empty, or occurs twice among the
   * columns or the fields of one struct. Spark allows both, but a column of a struct file is found by its
   * name.
   */
  public void check(StructType columns) {
    check(columns, "");
  }

  private void check(StructType columns, String around) {
    var names = isCaseSensitive ? new TreeMap<String, String>() : new TreeMap<String, String>(String.CASE_INSENSITIVE_ORDER);
    for (var column : columns.fields()) {
      var path = around + column.name();
      if (column.name().isEmpty())
        throw new IllegalArgumentException(
            "the name of a column must not be empty, but is in '" + path + "': rename it");
      var other = names.put(column.name(), path);
      if (path.equals(other))
        throw new IllegalArgumentException("column " + path + " must occur once, but occurs twice: rename one");
      if (other != null)
        throw new IllegalArgumentException(
            "columns " + other + " and " + path + " must differ in more than case, as spark.sql.caseSensitive is"
                + " false: rename one");
      checkInside(column.dataType(), path);
    }
  }

  private void checkInside(DataType type, String path) {
    switch (type) {
      case StructType struct -> check(struct, path + ".");
      case ArrayType array -> checkInside(array.elementType(), path + ".element");
      default -> {}
    }
  }

  /** A name as a part of Spark's expressions. */
  public static String quoted(String name) {
    return "`" + name.replace("`", "``") + "`";
  }
}
