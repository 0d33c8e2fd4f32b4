package undercroft.spark.internal.write;

import java.io.Serial;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.connector.write.streaming.StreamingDataWriterFactory;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.apache.spark.util.SerializableConfiguration;
import undercroft.file.format.Schema;
import undercroft.spark.internal.columns.SourceOptions;

/** Creates the writers on the executors.
 *
 * @param columns the columns of the rows
 * @param stored the columns that are stored in files
 * @param partitions the names of the columns whose values are in names of folders
 * @param staging the folder for the files of this job
 * @param conf the configuration of file systems; null if the folder is local
 */
public record PartWriters(
    StructType columns,
    StructType stored,
    List<String> partitions,
    Map<String, String> options,
    String staging,
    String job,
    Broadcast<SerializableConfiguration> conf)
    implements DataWriterFactory, StreamingDataWriterFactory {
  @Serial private static final long serialVersionUID = 1L;

  /** Default size of a file in bytes; `option("rowsPerFile", n)` overrides it. */
  private static final long FILE_BYTES = 1L << 30;

  public PartWriters {
    partitions = List.copyOf(partitions);
  }

  public CaseInsensitiveStringMap asked() {
    return new CaseInsensitiveStringMap(options);
  }

  public boolean isLocal() {
    return conf == null;
  }

  public long rowsPerFile(Schema schema) {
    return SourceOptions.count(asked(), "rowsPerFile", Math.max(1, FILE_BYTES / schema.stride()));
  }

  @Override
  public DataWriter<InternalRow> createWriter(int partition, long task) {
    return writer(String.format(Locale.ROOT, "part-%05d-%s-%d", partition, job, task), partition);
  }

  @Override
  public DataWriter<InternalRow> createWriter(int partition, long task, long batch) {
    return createWriter(partition, task);
  }

  public PartWriter writer(String name, int partition) {
    Configuration configuration = conf == null ? null : conf.value().value();
    return new PartWriter(this, configuration, name, partition);
  }
}
