package undercroft.spark.internal.scan;

import java.io.Serial;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.apache.spark.util.SerializableConfiguration;
import undercroft.spark.internal.columns.ColumnNames;

/** Creates the readers on the executors.
 *
 * @param conf the configuration of file systems; null if all files are local
 * @param checksums whether to compare blocks of sealed files with their checksums before reading
 *     them
 */
public record SplitReaders(
    StructType projection, ColumnNames names, Broadcast<SerializableConfiguration> conf, boolean checksums)
    implements PartitionReaderFactory {
  @Serial private static final long serialVersionUID = 1L;

  @Override
  public boolean supportColumnarReads(InputPartition partition) {
    return true;
  }

  @Override
  public PartitionReader<ColumnarBatch> createColumnarReader(InputPartition partition) {
    Configuration configuration = conf == null ? null : conf.value().value();
    return new SplitReader((FileSplit.Split) partition, projection, names, configuration, checksums);
  }

  @Override
  public PartitionReader<InternalRow> createReader(InputPartition partition) {
    throw new UnsupportedOperationException("struct files are read by columns");
  }
}
