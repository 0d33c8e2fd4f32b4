package undercroft.spark;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.apache.spark.QueryContext;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.execution.streaming.Sink;
import org.apache.spark.sql.execution.streaming.Source;
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.sources.CreatableRelationProvider;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.sources.StreamSinkProvider;
import org.apache.spark.sql.sources.StreamSourceProvider;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DayTimeIntervalType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimeType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import scala.Option;
import scala.Tuple2;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import undercroft.file.format.internal.folder.PartitionPath;
import undercroft.spark.internal.columns.ColumnNames;
import undercroft.spark.internal.columns.LogicalColumns;
import undercroft.spark.internal.columns.SourceOptions;
import undercroft.spark.internal.folder.StructFileIndex;
import undercroft.spark.internal.folder.TableFolder;
import undercroft.spark.internal.write.FolderSink;

/** Struct files for Apache Spark: `spark.read().format("undercroft").load(path)`, where `path` is a
 * file, a folder or a glob pattern, and `data.write().format("undercroft").save(folder)`.
 *
 * Instantiated by Spark, by name. Errors in a file name the file, and fail the query before a job
 * runs or in the task that reads the file; there are no partial results. A job that writes adds
 * its files to the folder atomically, or leaves the folder unchanged.
 */
public final class UndercroftSource
    implements TableProvider, DataSourceRegister, CreatableRelationProvider, StreamSinkProvider, StreamSourceProvider {

  /** Option of Spark for writers of this interface: the columns of `partitionBy`. */
  private static final String PARTITION_COLUMNS = "__partition_columns";

  /** The columns of the files, if no others were requested. */
  private StructType inferred;

  /** Called by Spark for each reader and writer. */
  public UndercroftSource() {}

  @Override
  public String shortName() {
    return "undercroft";
  }

  @Override
  public StructType inferSchema(CaseInsensitiveStringMap options) {
    inferred = LogicalColumns.ofSession(StructFileIndex.of(reading(options)).columns());
    return inferred;
  }

  /** The partition columns of the files, without opening these. */
  @Override
  public Transform[] inferPartitioning(CaseInsensitiveStringMap options) {
    // A reader needs none, and a table without a path is about to be created.
    if (!SourceOptions.isOfCatalog(options) || options.get("path") == null) return new Transform[0];
    var reading = reading(options);
    var conf = SourceOptions.hadoop(reading);
    var paths = SourceOptions.paths(reading);
    if (TableFolder.isEmpty(new Path(paths.getFirst()), conf)) return new Transform[0];
    return PartitionPath.names(TableFolder.files(paths, conf).getFirst().partition()).stream()
        .map(name -> Expressions.identity(ColumnNames.quoted(name)))
        .toArray(Transform[]::new);
  }

  private static CaseInsensitiveStringMap reading(CaseInsensitiveStringMap options) {
    if (SourceOptions.isOfCatalog(options)) return SourceOptions.ofCatalog(options.asCaseSensitiveMap());
    SourceOptions.check(options, "a reader", SourceOptions.OF_READERS);
    return options;
  }

  /** True: `schema(...)` may select columns, and a writer takes its columns from its data. */
  @Override
  public boolean supportsExternalMetadata() {
    return true;
  }

  @Override
  public Table getTable(StructType columns, Transform[] partitioning, Map<String, String> properties) {
    var names = new ArrayList<String>();
    for (var transform : partitioning) {
      var references = transform.references();
      if (!transform.name().equals("identity") || references.length != 1 || references[0].fieldNames().length != 1)
        throw new IllegalArgumentException(
            "folders of struct files are partitioned by columns, but not by " + transform.describe());
      names.add(references[0].fieldNames()[0]);
    }
    // Columns that a reader requests may be null, as in Spark's own sources.
    boolean isKept = columns == inferred || SourceOptions.isOfCatalog(properties);
    return new StructTable(isKept ? columns : columns.asNullable(), names, properties);
  }

  /** Intervals of days to seconds and times of day, too, which Spark excludes by default. */
  @Override
  public boolean supportsDataType(DataType type) {
    return type instanceof DayTimeIntervalType
        || type instanceof TimeType
        || CreatableRelationProvider.super.supportsDataType(type);
  }

  /** Writes in all save modes: a DataSource V2 table supports only two of the four, so writes start
   * here.
   *
   * @throws IllegalStateException if the folder has files and the mode is the default one
   */
  @Override
  public BaseRelation createRelation(
      SQLContext context, SaveMode mode, scala.collection.immutable.Map<String, String> parameters,
      Dataset<Row> data) {
    // Spark passes a map with lower-case names; names of file systems' options have a case.
    var options =
        CollectionConverters.asJava(
            parameters instanceof CaseInsensitiveMap<String> named ? named.originalMap() : parameters);
    var partitions =
        ColumnNames.ofSession()
            .in(data.schema(), SourceOptions.strings(new CaseInsensitiveStringMap(options), PARTITION_COLUMNS));
    options = new HashMap<>(options);
    options.keySet().removeIf(name -> name.equalsIgnoreCase(PARTITION_COLUMNS));
    SourceOptions.check(new CaseInsensitiveStringMap(options), "a writer", SourceOptions.OF_WRITERS);
    boolean isNew = mode == SaveMode.ErrorIfExists || mode == SaveMode.Ignore;
    if (!isNew || isFree(new CaseInsensitiveStringMap(options), mode))
      data.write()
          .format(shortName())
          .options(options)
          .option(SourceOptions.WRITING, isNew ? SourceOptions.NEW : "any")
          .partitionBy(partitions.toArray(String[]::new))
          .mode(mode == SaveMode.Overwrite ? SaveMode.Overwrite : SaveMode.Append)
          .save();
    return new BaseRelation() {
      @Override
      public SQLContext sqlContext() {
        return context;
      }

      @Override
      public StructType schema() {
        return data.schema();
      }
    };
  }

  /** The sink of a stream to a folder. It comes through this interface because Spark does not pass
   * the columns of `partitionBy` to a DataSource V2 table.
   */
  @Override
  public Sink createSink(
      SQLContext context, scala.collection.immutable.Map<String, String> parameters, Seq<String> partitions,
      OutputMode mode) {
    if (!mode.equals(OutputMode.Append()) && !mode.equals(OutputMode.Complete()))
      throw new IllegalArgumentException(
          "output mode " + mode + ": a stream to struct files must append, or replace all rows by mode complete");
    var named = CollectionConverters.asJava(
        parameters instanceof CaseInsensitiveMap<String> map ? map.originalMap() : parameters);
    var options = SourceOptions.withoutStream(named);
    SourceOptions.check(options, "a writer", SourceOptions.OF_WRITERS);
    SourceOptions.paths(options);
    return new FolderSink(
        options, CollectionConverters.asJava(partitions), mode.equals(OutputMode.Complete()));
  }

  /** Throws: a source of a stream has each row once, but a compacted file has rows of older files. */
  @Override
  public Tuple2<String, StructType> sourceSchema(
      SQLContext context, Option<StructType> columns, String provider,
      scala.collection.immutable.Map<String, String> parameters) {
    throw noSource();
  }

  /** Throws, as {@link #sourceSchema}. */
  @Override
  public Source createSource(
      SQLContext context, String metadataPath, Option<StructType> columns, String provider,
      scala.collection.immutable.Map<String, String> parameters) {
    throw noSource();
  }

  private static RuntimeException noSource() {
    return UndercroftSource.<RuntimeException>refusal(
        "struct files cannot be the source of a stream: the compaction of a folder moves rows to other files. Read"
            + " the folder by spark.read in each run or in foreachBatch, or stream from the source that its rows"
            + " come from");
  }

  /** Throws an AnalysisException, which Java takes for a checked one and Spark's Scala does not. */
  @SuppressWarnings("unchecked")
  static <E extends Throwable> RuntimeException refusal(String message) throws E {
    throw (E) new AnalysisException(
        message, Option.empty(), Option.empty(), Option.empty(), Option.empty(), scala.collection.immutable.Map$.MODULE$.empty(),
        new QueryContext[0]);
  }

  /** Whether the folder has no files, as after a first job that failed; throws if the mode requires that
   * and it has files.
   */
  private static boolean isFree(CaseInsensitiveStringMap options, SaveMode mode) {
    var folder = new Path(SourceOptions.paths(options).getFirst());
    boolean isFree = TableFolder.isEmpty(folder, SourceOptions.hadoop(options));
    if (!isFree && mode == SaveMode.ErrorIfExists)
      throw new IllegalStateException(folder + ": already exists: set mode append or overwrite to write to it");
    return isFree;
  }
}
