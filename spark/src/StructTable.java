package undercroft.spark;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.connector.catalog.CatalogV2Util;
import org.apache.spark.sql.connector.catalog.Column;
import org.apache.spark.sql.connector.catalog.MetadataColumn;
import org.apache.spark.sql.connector.catalog.SupportsMetadataColumns;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.SupportsWrite;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.catalog.TableChange;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;
import undercroft.spark.internal.columns.ColumnNames;
import undercroft.spark.internal.columns.SourceOptions;
import undercroft.spark.internal.folder.FileMetadata;
import undercroft.spark.internal.folder.TableFolder;
import undercroft.spark.internal.scan.MetadataScan;
import undercroft.spark.internal.scan.StructScanBuilder;
import undercroft.spark.internal.write.StructWriteBuilder;

/** Struct files as one Spark table, by the options of a reader or writer or by a table of the
 * session's catalog.
 */
final class StructTable implements SupportsRead, SupportsWrite, SupportsMetadataColumns {
  private final StructType columns;
  private final List<String> partitions;
  private final boolean isOfCatalog;
  private final CaseInsensitiveStringMap options;

  /** @param partitions the names of the columns that rows are partitioned by when they are written
   * @param properties the options of a reader or writer, or the properties of a catalog's table
   */
  StructTable(StructType columns, List<String> partitions, Map<String, String> properties) {
    this.columns = columns;
    this.partitions = List.copyOf(partitions);
    this.isOfCatalog = SourceOptions.isOfCatalog(properties);
    this.options = isOfCatalog ? SourceOptions.ofCatalog(properties) : new CaseInsensitiveStringMap(properties);
  }

  @Override
  public String name() {
    return "undercroft " + String.join(", ", SourceOptions.paths(options));
  }

  @Override
  public Column[] columns() {
    return Arrays.stream(columns.fields())
        .map(field -> Column.create(field.name(), field.dataType(), field.nullable(), null, field.metadata().json()))
        .toArray(Column[]::new);
  }

  @Override
  public MetadataColumn[] metadataColumns() {
    return new MetadataColumn[] {FileMetadata.COLUMN};
  }

  @Override
  public Transform[] partitioning() {
    return partitions.stream().map(name -> Expressions.identity(ColumnNames.quoted(name))).toArray(Transform[]::new);
  }

  @Override
  public Set<TableCapability> capabilities() {
    var capabilities = EnumSet.of(TableCapability.BATCH_READ);
    // Writes by a path come through the source, which supports all four save modes. Spark converts
    // what it inserts into a catalog's table to the columns of the table.
    boolean isWriting = options.containsKey(SourceOptions.WRITING);
    if (isWriting) capabilities.add(TableCapability.ACCEPT_ANY_SCHEMA);
    if (isWriting || isOfCatalog)
      capabilities.addAll(
          EnumSet.of(
              TableCapability.BATCH_WRITE, TableCapability.TRUNCATE, TableCapability.OVERWRITE_DYNAMIC,
              TableCapability.OVERWRITE_BY_FILTER));
    if (isOfCatalog) capabilities.add(TableCapability.STREAMING_WRITE);
    return capabilities;
  }

  @Override
  public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
    SourceOptions.check(options, "a reader", SourceOptions.OF_READERS);
    var merged = SourceOptions.merged(this.options, options);
    if (isOfCatalog && isEmpty(merged)) return () -> MetadataScan.empty(columns);
    return new StructScanBuilder(columns, merged, isOfCatalog);
  }

  /** Throws an AnalysisException if queries would fail after changes of the columns of a catalog's table,
   * which change no file.
   */
  void check(List<TableChange> changes) {
    if (!isOfCatalog || changes.stream().noneMatch(TableChange.ColumnChange.class::isInstance) || isEmpty(options))
      return;
    var changed =
        CatalogV2Util.applySchemaChanges(
            columns, CollectionConverters.asScala(changes).toSeq(), Option.apply("undercroft"), "ALTER TABLE");
    try {
      new StructScanBuilder(changed, options, true);
    } catch (IllegalArgumentException e) {
      throw UndercroftSource.<RuntimeException>refusal("ALTER TABLE changes no file: " + e.getMessage());
    }
  }

  /** Whether nothing was inserted into a table yet. */
  private static boolean isEmpty(CaseInsensitiveStringMap options) {
    var folder = new Path(SourceOptions.paths(options).getFirst());
    return TableFolder.isEmpty(folder, SourceOptions.hadoop(options));
  }

  @Override
  public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
    var writing = SourceOptions.withoutStream(info.options().asCaseSensitiveMap());
    SourceOptions.check(writing, "a writer", SourceOptions.OF_WRITERS);
    return new StructWriteBuilder(info, columns, partitions, SourceOptions.merged(options, writing));
  }
}
