package undercroft.spark.internal.folder;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.execution.vectorized.ConstantColumnVector;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.unsafe.types.UTF8String;
import undercroft.file.format.internal.folder.FolderManifest;
import undercroft.file.format.internal.folder.PartitionPath;
import undercroft.spark.internal.columns.ColumnNames;

/** Columns whose values are in the names of a file's folders, such as `day=2026-11-24`.
 *
 * The type of a column is int, long or date if all its values have that form, and otherwise string.
 * A missing value is null.
 */
public final class PartitionColumns {
  private PartitionColumns() {}

  /** The types of values, besides strings. */
  private static final List<DataType> TYPES =
      List.of(
          DataTypes.BooleanType, DataTypes.ByteType, DataTypes.ShortType, DataTypes.IntegerType, DataTypes.LongType,
          DataTypes.DateType);

  /** The columns of files. Throws IllegalArgumentException if files have partitions of different
   * names.
   */
  public static StructType of(List<SourceFile> sources) {
    if (sources.isEmpty()) return new StructType();
    var first = sources.getFirst();
    var names = PartitionPath.names(first.partition());
    for (var source : sources)
      if (!PartitionPath.names(source.partition()).equals(names))
        throw new IllegalArgumentException(
            source.path() + ": its partitions are (" + String.join(", ", PartitionPath.names(source.partition()))
                + "), but (" + String.join(", ", names) + ") in " + first.path());
    var fields = new StructField[names.size()];
    for (int i = 0; i < fields.length; i++) {
      var name = names.get(i);
      var values = sources.stream().flatMap(source -> value(source.partition(), name).stream()).distinct().toList();
      fields[i] = DataTypes.createStructField(name, type(values), true);
    }
    return new StructType(fields);
  }

  /** Throws IllegalArgumentException if rows with these columns cannot be written to partitions of
   * these names.
   */
  public static void check(StructType columns, List<String> names) {
    for (var name : names) {
      if (!List.of(columns.fieldNames()).contains(name))
        throw new IllegalArgumentException(
            "the data has no column " + name + " for the partitions, only " + String.join(", ", columns.fieldNames()));
      var type = columns.apply(name).dataType();
      if (!isSupported(type))
        throw new IllegalArgumentException(
            "column " + name + " is of type " + type.sql() + ", but a column of partitions must be a Boolean, an"
                + " integer, a date or a string: cast it");
    }
    if (new HashSet<>(names).size() < names.size())
      throw new IllegalArgumentException("a column of partitions must occur once: " + String.join(", ", names));
    RowPartition.missing(names); // throws for names that no folder may have
  }

  /** The columns that are not partition columns. */
  public static StructType without(StructType columns, List<String> names) {
    return new StructType(
        Arrays.stream(columns.fields()).filter(field -> !names.contains(field.name())).toArray(StructField[]::new));
  }

  /** The columns of the files and of the partitions. Throws IllegalArgumentException if a name
   * occurs in both.
   */
  public static StructType append(StructType columns, StructType partitions, String file) {
    var names = Arrays.asList(columns.fieldNames());
    for (var name : partitions.fieldNames())
      if (names.contains(name))
        throw new IllegalArgumentException(
            file + ": the column " + name + " is in the file and in the name of its folder");
    var fields = Arrays.copyOf(columns.fields(), columns.length() + partitions.length());
    System.arraycopy(partitions.fields(), 0, fields, columns.length(), partitions.length());
    return new StructType(fields);
  }

  private static Optional<String> value(String partition, String name) {
    var value = PartitionPath.values(partition).get(name);
    return value == null ? Optional.empty() : value;
  }

  private static DataType type(List<String> values) {
    for (var type : List.of(DataTypes.IntegerType, DataTypes.LongType, DataTypes.DateType))
      if (!values.isEmpty() && values.stream().allMatch(value -> parsed(value, type).isPresent())) return type;
    return DataTypes.StringType;
  }

  /** A text in Spark's internal representation of a type: a date is an Int of days, and
   * later ones are texts. Numbers with another form than Spark's, such as leading zeros, are texts.
   */
  private static Optional<Object> parsed(String text, DataType type) {
    try {
      if (type.equals(DataTypes.StringType)) return Optional.of(UTF8String.fromString(text));
      if (type.equals(DataTypes.DateType)) return Optional.of(Math.toIntExact(LocalDate.parse(text).toEpochDay()));
      if (type.equals(DataTypes.BooleanType))
        return text.equals("true") || text.equals("false") ? Optional.of(text.equals("true")) : Optional.empty();
      long number = Long.parseLong(text);
      if (!Long.toString(number).equals(text)) return Optional.empty();
      if (type.equals(DataTypes.LongType)) return Optional.of(number);
      if (type.equals(DataTypes.ByteType)) return number == (byte) number ? Optional.of((byte) number) : Optional.empty();
      if (type.equals(DataTypes.ShortType))
        return number == (short) number ? Optional.of((short) number) : Optional.empty();
      return number == (int) number ? Optional.of((int) number) : Optional.empty();
    } catch (NumberFormatException | DateTimeException | ArithmeticException e) {
      return Optional.empty();
    }
  }

  /** The columns with the types that a reader requests; a column is not null if that was requested and
   * no value is missing. Throws IllegalArgumentException if a value is not of its column's type.
   */
  public static StructType typed(StructType partitions, StructType requested, List<SourceFile> sources) {
    var fields = partitions.fields().clone();
    var names = List.of(requested.fieldNames());
    for (int i = 0; i < fields.length; i++) {
      int index = names.indexOf(fields[i].name());
      if (index < 0 || !isSupported(requested.fields()[index].dataType())) continue;
      var column = requested.fields()[index];
      boolean isNullable = column.nullable();
      for (var source : sources) isNullable |= value(source, column).isEmpty();
      fields[i] = DataTypes.createStructField(column.name(), column.dataType(), isNullable);
    }
    return new StructType(fields);
  }

  private static boolean isSupported(DataType type) {
    return TYPES.contains(type) || type.equals(DataTypes.StringType);
  }

  /** The value of a column of a file, in Spark's internal representation; empty if it is missing.
   * Throws IllegalArgumentException if it is not of the column's type.
   */
  private static Optional<Object> value(SourceFile source, StructField column) {
    return value(source.path(), source.partition(), column);
  }

  /** The value of a column of a listed file, as of an open one. */
  public static Optional<Object> value(FolderManifest.Entry entry, StructField column, ColumnNames names) {
    var folders = new StructType();
    for (var name : PartitionPath.names(entry.partition())) folders = folders.add(name, column.dataType());
    return value(
        entry.name(), entry.partition(),
        DataTypes.createStructField(names.in(folders, column.name()), column.dataType(), true));
  }

  private static Optional<Object> value(String file, String partition, StructField column) {
    return value(partition, column.name())
        .map(
            text ->
                parsed(text, column.dataType())
                    .orElseThrow(
                        () ->
                            new IllegalArgumentException(
                                file + ": the partition value " + column.name() + "=" + text
                                    + " is not of type " + column.dataType().sql())));
  }

  /** The only value of a column in a file, as a range; null for a missing value. */
  public static ColumnRange range(SourceFile source, StructField column) {
    return switch (value(source, column).orElse(null)) {
      case null -> null;
      case UTF8String text -> new ColumnRange(0L, 0L, List.of(text));
      case Boolean truth -> new ColumnRange(truth ? 1L : 0L, truth ? 1L : 0L, List.of());
      case Object number -> new ColumnRange(((Number) number).longValue(), ((Number) number).longValue(), List.of());
    };
  }

  /** A vector of `rows` equal values; null if the partition does not have the column. */
  public static ColumnVector vector(SourceFile source, StructField column, int rows) {
    var vector = new ConstantColumnVector(rows, column.dataType());
    switch (value(source, column).orElse(null)) {
      case null -> vector.setNull();
      case UTF8String text -> vector.setUtf8String(text);
      case Boolean truth -> vector.setBoolean(truth);
      case Byte number -> vector.setByte(number);
      case Short number -> vector.setShort(number);
      case Long number -> vector.setLong(number);
      case Object number -> vector.setInt(((Number) number).intValue());
    }
    return vector;
  }
}
