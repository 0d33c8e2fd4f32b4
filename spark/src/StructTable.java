package undercroft.spark;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.connector.catalog.Column;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.SupportsWrite;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** Struct files as one Spark table. */
final class StructTable implements SupportsRead, SupportsWrite {
  private final StructType columns;
  private final List<String> partitions;
  private final Map<String, String> properties;

  /** @param partitions the names of the columns that rows are partitioned by when they are written
   */
  StructTable(StructType columns, List<String> partitions, Map<String, String> properties) {
    this.columns = columns;
    this.partitions = List.copyOf(partitions);
    this.properties = Map.copyOf(properties);
  }

  @Override
  public String name() {
    return "undercroft " + String.join(", ", SourceOptions.paths(new CaseInsensitiveStringMap(properties)));
  }

  @Override
  public Column[] columns() {
    return Arrays.stream(columns.fields())
        .map(field -> Column.create(field.name(), field.dataType(), field.nullable(), null, field.metadata().json()))
        .toArray(Column[]::new);
  }

  @Override
  public Transform[] partitioning() {
    return partitions.stream().map(name -> Expressions.identity(quoted(name))).toArray(Transform[]::new);
  }

  /** A name as a part of Spark's expressions. */
  static String quoted(String name) {
    return "`" + name.replace("`", "``") + "`";
  }

  @Override
  public Set<TableCapability> capabilities() {
    var reading = EnumSet.of(TableCapability.BATCH_READ);
    // Writes come through the source, which supports all four save modes.
    if (properties.containsKey(UndercroftSource.WRITING))
      reading.addAll(
          EnumSet.of(
              TableCapability.BATCH_WRITE, TableCapability.TRUNCATE, TableCapability.OVERWRITE_DYNAMIC,
              TableCapability.ACCEPT_ANY_SCHEMA));
    return reading;
  }

  @Override
  public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
    var settings = new HashMap<>(properties);
    settings.putAll(options.asCaseSensitiveMap());
    return new StructScanBuilder(columns, new CaseInsensitiveStringMap(settings));
  }

  @Override
  public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
    return new StructWriteBuilder(info, partitions, info.options());
  }
}
