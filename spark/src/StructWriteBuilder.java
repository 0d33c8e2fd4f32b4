package undercroft.spark;

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
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** Rejects data that cannot be written to a folder before a job runs. */
final class StructWriteBuilder implements SupportsOverwriteV2, SupportsDynamicOverwrite {
  private final LogicalWriteInfo info;
  private final StructType columns;
  private final List<String> partitions;
  private final CaseInsensitiveStringMap options;
  private final Configuration conf;
  private final Path folder;
  private Replacement replacement = Replacement.NOTHING;

  /** @param columns the columns of the table
   * @param partitions the names of the table's partition columns, or none to keep those of the
   *     folder
   */
  StructWriteBuilder(
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

  /** Replaces all files, or those in the written partitions if the mode of overwriting is dynamic. */
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
    return Replacement.of(predicates, columns, partitions).isPresent();
  }

  /** Replaces the partitions that satisfy all predicates. */
  @Override
  public WriteBuilder overwrite(Predicate[] predicates) {
    replacement = Replacement.of(predicates, columns, partitions).orElseThrow();
    return this;
  }

  /** Whether an overwrite replaces only the partitions that it writes. Spark's own sources have the
   * same option and setting.
   */
  private boolean isDynamic() {
    var mode =
        options.getOrDefault(
            "partitionOverwriteMode",
            options.containsKey(UndercroftSource.WRITING)
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
      var target =
          replacement == Replacement.ALL || isEmpty
              ? null
              : isListed ? StructFileIndex.first(options) : StructFileIndex.of(options);
      var names = target == null ? partitions : partitionsOf(target);
      PartitionColumns.check(info.schema(), names);
      var stored = PartitionColumns.without(info.schema(), names);
      if (target == null) {
        SchemaMapping.of(stored, options);
        return new StructWrite(info, stored, names, options, conf, folder, replacement, Set.of());
      }
      var planned = manifest.map(TableManifest::names).orElseGet(target::names);
      stored = ColumnMetadata.as(target.stored(), stored);
      var write = new StructWrite(info, stored, names, inLayout(target), conf, folder, replacement, planned);
      write.compareWith(target);
      return write;
    } catch (IOException e) {
      throw new IllegalStateException(folder + ": cannot be read: " + e.getMessage(), e);
    }
  }

  /** The options with the layout of the folder's first file, unless they state a layout. */
  private CaseInsensitiveStringMap inLayout(StructFileIndex present) {
    if (options.containsKey("layout")) return options;
    var layout = SchemaMapping.name(present.entries().getFirst().schema().layout());
    return SourceOptions.merged(new CaseInsensitiveStringMap(Map.of("layout", layout)), options);
  }

  /** The partition columns of the folder; throws if the table has others. */
  private List<String> partitionsOf(StructFileIndex present) {
    var names = List.of(present.partitions().fieldNames());
    if (!partitions.isEmpty() && !partitions.equals(names))
      throw new IllegalArgumentException(
          folder + ": its files are in partitions of (" + String.join(", ", names) + "), not of ("
              + String.join(", ", partitions) + ")");
    return names;
  }
}
