package undercroft.spark.internal.write;

import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.streaming.Sink;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import undercroft.spark.internal.columns.SourceOptions;

/** A folder that a stream writes to: each batch is a job whose commit records the number of the
 * batch, so that a repeated batch changes nothing.
 *
 * @param replaces whether each batch replaces all rows
 */
public record FolderSink(CaseInsensitiveStringMap options, List<String> partitions, boolean replaces) implements Sink {

  /** The property by which Spark tells the jobs of a stream the id of its query, which is the same
   * after a restart.
   */
  private static final String QUERY_ID = "sql.streaming.queryId";

  public FolderSink {
    partitions = List.copyOf(partitions);
  }

  @Override
  public void addBatch(long batch, Dataset<Row> data) {
    var session = (SparkSession) data.sparkSession();
    var query = session.sparkContext().getLocalProperty(QUERY_ID);
    if (query == null) throw new IllegalStateException("a batch must be added by a query, which sets " + QUERY_ID);
    // A batch may only be consumed as it was planned: its rows become another data set.
    var execution = ((org.apache.spark.sql.classic.Dataset<Row>) data).queryExecution();
    var writer = session.internalCreateDataFrame(execution.toRdd(), data.schema(), false)
        .write()
        .format("undercroft")
        .options(options.asCaseSensitiveMap())
        .option(SourceOptions.WRITING, "any")
        .option(SourceOptions.STREAM, query)
        .option(SourceOptions.BATCH, batch)
        .partitionBy(partitions.toArray(String[]::new));
    if (replaces) writer.option("partitionOverwriteMode", "static").mode(SaveMode.Overwrite).save();
    else writer.mode(SaveMode.Append).save();
  }
}
