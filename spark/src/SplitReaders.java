package undercroft.spark;

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

/** Makes the readers where the tasks run.
 *
 * @param conf
 *     what file systems have to know; null where all files are local
 */
record SplitReaders(StructType wanted, Broadcast<SerializableConfiguration> conf)
    implements PartitionReaderFactory {
  @Serial private static final long serialVersionUID = 1L;

  @Override
  public boolean supportColumnarReads(InputPartition partition) {
    return true;
  }

  @Override
  public PartitionReader<ColumnarBatch> createColumnarReader(InputPartition partition) {
    Configuration known = conf == null ? null : conf.value().value();
    return new SplitReader((Piece.Split) partition, wanted, known);
  }

  @Override
  public PartitionReader<InternalRow> createReader(InputPartition partition) {
    throw new UnsupportedOperationException("struct files are read by columns");
  }
}
