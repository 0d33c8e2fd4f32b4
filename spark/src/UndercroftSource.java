package undercroft.spark;

import java.io.IOException;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.sources.CreatableRelationProvider;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import scala.jdk.javaapi.CollectionConverters;

/** Struct files for Apache Spark: `spark.read().format("undercroft").load(path)`, where `path` is a
 * file, a folder or a pattern, and `data.write().format("undercroft").save(folder)`.
 *
 * Spark makes it, by its name. What is wrong with a file is an error that names the file, before a
 * job runs or in the task that reads it; there is no answer without it. A job that writes makes its
 * files those of the folder all at once, or leaves the folder as it was.
 */
public final class UndercroftSource
    implements TableProvider, DataSourceRegister, CreatableRelationProvider {

  /** The option that says that the mode of a writer was seen to: {@link #NEW}, or anything else. */
  static final String WRITING = "undercroft.writing";

  /** Nothing may be in the folder. */
  static final String NEW = "new";

  /** Spark makes one for each reader and writer. */
  public UndercroftSource() {}

  @Override
  public String shortName() {
    return "undercroft";
  }

  @Override
  public StructType inferSchema(CaseInsensitiveStringMap options) {
    return Listing.of(options).columns();
  }

  /** True: `schema(...)` may name some of the columns, and a writer's columns are those of its data. */
  @Override
  public boolean supportsExternalMetadata() {
    return true;
  }

  @Override
  public Table getTable(StructType columns, Transform[] partitioning, Map<String, String> properties) {
    if (partitioning.length > 0)
      throw new IllegalArgumentException(
          "partitionBy " + partitioning[0].describe() + ": folders of struct files have no partitions");
    return new StructTable(columns, properties);
  }

  /** Writes, whatever the mode: tables of Spark's second kind know but two of the four, so that each
   * one comes here first.
   *
   * @throws IllegalStateException
   *     where the folder has files and the mode is the default one
   */
  @Override
  public BaseRelation createRelation(
      SQLContext context, SaveMode mode, scala.collection.immutable.Map<String, String> parameters,
      Dataset<Row> data) {
    var options = CollectionConverters.asJava(parameters);
    boolean isNew = mode == SaveMode.ErrorIfExists || mode == SaveMode.Ignore;
    if (!isNew || isFree(new CaseInsensitiveStringMap(options), mode))
      data.write()
          .format(shortName())
          .options(options)
          .option(WRITING, isNew ? NEW : "any")
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

  /** Whether nothing is in the folder; an error where the mode says that nothing may be. */
  private static boolean isFree(CaseInsensitiveStringMap options, SaveMode mode) {
    var paths = Asked.paths(options);
    var folder = new Path(paths.getFirst());
    try {
      var system = Folder.system(folder, Asked.hadoop(options));
      boolean free =
          !system.exists(folder)
              || system.getFileStatus(folder).isDirectory() && system.listStatus(folder).length == 0;
      if (!free && mode == SaveMode.ErrorIfExists)
        throw new IllegalStateException(
            folder + ": exists already: mode append or overwrite says what to do with what is there");
      return free;
    } catch (IOException e) {
      throw new IllegalStateException(folder + ": cannot be read: " + e.getMessage(), e);
    }
  }
}
