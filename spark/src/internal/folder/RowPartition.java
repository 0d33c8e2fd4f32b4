package undercroft.spark.internal.folder;

import java.time.LocalDate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import undercroft.file.format.internal.folder.PartitionPath;

/** The partition of the rows of a task, in their order. Confined to one thread. */
public final class RowPartition {
  private final String[] names;
  private final int[] ordinals;
  private final DataType[] types;
  private Object[] values;

  /** @param columns the columns of the rows
   * @param partitions the names of the partition columns
   */
  public RowPartition(StructType columns, List<String> partitions) {
    this.names = partitions.toArray(String[]::new);
    this.ordinals = partitions.stream().mapToInt(columns::fieldIndex).toArray();
    this.types = partitions.stream().map(name -> columns.apply(name).dataType()).toArray(DataType[]::new);
  }

  /** Takes the next row; returns whether its partition differs from that of the row before. */
  public boolean next(InternalRow row) {
    if (names.length == 0) return false;
    if (values != null && isSame(row)) return false;
    values = new Object[names.length];
    for (int i = 0; i < values.length; i++) {
      var value = value(row, i);
      values[i] = value instanceof UTF8String text ? text.copy() : value;
    }
    return true;
  }

  private boolean isSame(InternalRow row) {
    for (int i = 0; i < values.length; i++) {
      var value = value(row, i);
      if (value == null ? values[i] != null : !value.equals(values[i])) return false;
    }
    return true;
  }

  private Object value(InternalRow row, int i) {
    return row.isNullAt(ordinals[i]) ? null : row.get(ordinals[i], types[i]);
  }

  /** The folders of the current partition, such as `day=2026-11-24`. Throws IllegalArgumentException
   * if a value cannot be the name of a folder.
   */
  public String path() {
    var texts = new LinkedHashMap<String, Optional<String>>();
    for (int i = 0; i < names.length; i++)
      texts.put(names[i], values[i] == null ? Optional.empty() : Optional.of(text(i)));
    return PartitionPath.of(texts);
  }

  private String text(int i) {
    if (types[i].equals(DataTypes.DateType)) return LocalDate.ofEpochDay((int) values[i]).toString();
    if (values[i] instanceof UTF8String text && !text.isValid())
      throw new IllegalArgumentException(
          "the value of partition " + names[i] + " must be UTF-8, but is " + text);
    return values[i].toString();
  }

  /** The partition of missing values, for a file without rows. */
  public static String missing(List<String> partitions) {
    var texts = new LinkedHashMap<String, Optional<String>>();
    for (var name : partitions) texts.put(name, Optional.empty());
    return PartitionPath.of(texts);
  }
}
