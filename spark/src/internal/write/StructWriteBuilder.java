package undercroft.spark.internal.write;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.SupportsDynamicOverwrite;
import org.apache.spark.sql.connector.write.SupportsOverwriteV2;
import org.apache.spark.sql.connector.write.Write;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import undercroft.spark.internal.columns.ColumnMetadata;
import undercroft.spark.internal.columns.ColumnNames;
import undercroft.spark.internal.columns.NullableField;
import undercroft.spark.internal.columns.SourceOptions;
import undercroft.spark.internal.folder.PartitionColumns;
import undercroft.spark.internal.folder.StructFileIndex;
import undercroft.spark.internal.folder.TableFolder;
import undercroft.spark.internal.folder.TableManifest;

/** Rejects data that cannot be written to a folder before a job runs. */
public final class StructWriteBuilder implements SupportsOverwriteV2, SupportsDynamicOverwrite {
  private final LogicalWriteInfo info;
  private final StructType columns;
  private final List<String> partitions;
  private final CaseInsensitiveStringMap options;
  private final Configuration conf;
  private final Path folder;
  private final ColumnNames names = ColumnNames.ofSession();
  private Replacement replacement = Replacement.NOTHING;

  /** @param columns the columns of the table
   * @param partitions the names of the table's partition columns, or none to keep those of the
   *     folder
   */
  public StructWriteBuilder(
      LogicalWriteInfo info, StructType columns, List<String> partitions, CaseInsensitiveStringMap options) {
    this.info = info;
    this.columns = columns;
    this.partitions = partitions;
    this.options = options;
    this.conf = SourceOptions.hadoop(options);
    var paths = SourceOptions.paths(options);
    if (paths.size() != 1)
      throw new IllegalArgumentException("save requires one path, but has " + paths.size() + ": " + paths);
    this.folder = qualified(new Path(paths.getFirst()), conf);
  }

  /** The absolute path with its file system, for tasks on other machines. */
  private static Path qualified(Path path, Configuration conf) {
    try {
      return TableFolder.system(path, conf).makeQualified(path);
    } catch (IOException e) {
      throw new IllegalStateException(path + ": cannot be read: " + e.getMessage(), e);
    }
  }

  /** Replaces all files, or the files in the written partitions if the mode of overwriting is dynamic. */
  @Override
  public WriteBuilder truncate() {
    replacement = isDynamic() && !partitions.isEmpty() ? Replacement.WRITTEN_PARTITIONS : Replacement.ALL;
    return this;
  }

  @Override
  public WriteBuilder overwriteDynamicPartitions() {
    replacement = Replacement.WRITTEN_PARTITIONS;
    return this;
  }

  /** Whether the predicates select whole partitions. */
  @Override
  public boolean canOverwrite(Predicate[] predicates) {
    return Replacement.of(predicates, columns, partitions, names).isPresent();
  }

  /** Replaces the partitions that satisfy all predicates. */
  @Override
  public WriteBuilder overwrite(Predicate[] predicates) {
    replacement = Replacement.of(predicates, columns, partitions, names).orElseThrow();
    return this;
  }

  /** Whether an overwrite replaces only the partitions that it writes. Spark's own sources have the
   * same option and setting.
   */
  private boolean isDynamic() {
    var mode =
        options.getOrDefault(
            "partitionOverwriteMode",
            options.containsKey(SourceOptions.WRITING)
                ? SQLConf.get().getConf(SQLConf.PARTITION_OVERWRITE_MODE()).toString()
                : "static");
    if (!mode.equalsIgnoreCase("static") && !mode.equalsIgnoreCase("dynamic"))
      throw new IllegalArgumentException(
          "option partitionOverwriteMode must be static or dynamic, but is " + mode);
    return mode.equalsIgnoreCase("dynamic");
  }

  @Override
  public Write build() {
    try {
      var system = TableFolder.system(folder, conf);
      boolean exists = system.exists(folder);
      if (exists && !system.getFileStatus(folder).isDirectory())
        throw new IllegalArgumentException(folder + ": save requires a folder, but this is a file");
      // The files of an overwritten folder are deleted: they must be struct files, with any
      // columns. The files of a manifest are struct files.
      var manifest = exists ? TableManifest.last(system, folder) : Optional.<TableManifest>empty();
      boolean isListed = manifest.isPresent();
      boolean isEmpty = TableFolder.isEmpty(folder, conf);
      if (replacement == Replacement.ALL && !isEmpty && !isListed) StructFileIndex.each(options);
      var target = replacement == Replacement.ALL || isEmpty ? null : target(isListed);
      names.check(info.schema());
      // The names of the folder are those of its files, or of the table of the catalog.
      var table = target == null ? columns : names.as(target.columns(), columns);
      var data = names.as(target == null ? columns : target.columns(), info.schema());
      var folders = target == null ? names.in(data, partitions) : partitionsOf(target);
      PartitionColumns.check(data, folders);
      if (isOfCatalog()) comparePartitionsWithTable(data, table);
      var stored = PartitionColumns.without(data, folders);
      var query = info.queryId();
      if (target == null) {
        var written = NullableField.columns(SchemaMapping.of(stored, options).schema().fields());
        if (isOfCatalog()) compareWithTable(written, PartitionColumns.without(table, folders));
        return new StructWrite(query, data, stored, folders, options, conf, folder, replacement, Set.of(), false);
      }
      if (isOfCatalog()) target.checkAdded(table);
      var planned = manifest.map(TableManifest::names).orElseGet(target::fileNames);
      stored = ColumnMetadata.as(target.stored(), isOfCatalog() ? withAdded(stored, table, target) : stored);
      var write =
          new StructWrite(
              query, data, stored, folders, inLayout(target), conf, folder, replacement, planned,
              options.containsKey("layout"));
      write.compareWith(target);
      return write;
    } catch (IOException e) {
      throw new IllegalStateException(folder + ": cannot be read: " + e.getMessage(), e);
    }
  }

  /** Columns that were added to a table of the catalog and are in no file may be null in new files, too. */
  private static StructType withAdded(StructType stored, StructType table, StructFileIndex present) {
    var names = List.of(present.columns().fieldNames());
    var fields = stored.fields().clone();
    for (int i = 0; i < fields.length; i++)
      if (!names.contains(fields[i].name()))
        fields[i] =
            new StructField(
                fields[i].name(), fields[i].dataType(), table.apply(fields[i].name()).nullable(), fields[i].metadata());
    return new StructType(fields);
  }

  private boolean isOfCatalog() {
    return !options.containsKey(SourceOptions.WRITING);
  }

  /** The files that the written rows must fit to: one of a folder whose files have equal columns, else
   * all. A column that was added to a table of the catalog may be in some of them.
   */
  private StructFileIndex target(boolean isListed) {
    if (!isListed || SourceOptions.flag(options, "mergeSchema", false))
      return isOfCatalog() ? StructFileIndex.merged(options) : StructFileIndex.of(options);
    var first = StructFileIndex.first(options);
    return isOfCatalog() && first.columns().length() != columns.length() ? StructFileIndex.merged(options) : first;
  }

  /** Throws IllegalArgumentException if the values of a partition column have another type than in the
   * table of the catalog. Spark converts the rows of a statement, but not the rows of a stream.
   */
  private void comparePartitionsWithTable(StructType data, StructType table) {
    for (var name : names.in(table, partitions)) {
      var here = data.apply(name);
      var there = table.apply(name);
      if (!here.dataType().equals(there.dataType())) throw mismatch(here, there);
    }
  }

  /** Throws IllegalArgumentException, with the first difference, if the first files of a table of the
   * catalog would not have its columns: queries of the table could not read them.
   *
   * @param written the columns of the files
   * @param expected the columns of the table that are stored in files
   */
  private static void compareWithTable(StructType written, StructType expected) {
    var names = List.of(written.fieldNames());
    for (var there : expected.fields()) {
      if (!names.contains(there.name()))
        throw new IllegalArgumentException(
            "the data: column " + there.name() + " of the table is missing: there are only " + String.join(", ", names));
      var here = written.apply(there.name());
      if (!ColumnMetadata.isReadAs(here, there)) throw mismatch(here, there);
    }
    var others = List.of(expected.fieldNames());
    for (var name : names)
      if (!others.contains(name))
        throw new IllegalArgumentException(
            "the data: there is no column " + name + " in the table, only " + String.join(", ", others));
    if (!names.equals(others))
      throw new IllegalArgumentException(
          "the data: the columns must be in the table's order, " + String.join(", ", others) + ", but are "
              + String.join(", ", names));
  }

  private static IllegalArgumentException mismatch(StructField here, StructField there) {
    return new IllegalArgumentException(
        "the data: schema mismatch: column " + here.name() + " is of type " + type(here) + ", but of type "
            + type(there) + " in the table");
  }

  private static String type(StructField column) {
    return column.dataType().sql() + (column.nullable() ? " or null" : "");
  }

  /** The options with the layout of the folder's first file, unless they state a layout. */
  private CaseInsensitiveStringMap inLayout(StructFileIndex present) {
    if (options.containsKey("layout")) return options;
    var layout = SchemaMapping.name(present.entries().getFirst().schema().layout());
    return SourceOptions.merged(new CaseInsensitiveStringMap(Map.of("layout", layout)), options);
  }

  /** The partition columns of the folder; throws if the table has others. */
  private List<String> partitionsOf(StructFileIndex present) {
    var folders = List.of(present.partitions().fieldNames());
    if (!partitions.isEmpty() && !names.in(present.partitions(), partitions).equals(folders))
      throw new IllegalArgumentException(
          folder + ": its files are in partitions of (" + String.join(", ", folders) + "), not of ("
              + String.join(", ", partitions) + ")");
    return folders;
  }
}
