package undercroft.spark;

import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/** Reads a split by batches of vectors over the mapping. Nothing is copied but texts. For one thread.
 *
 * Before each batch, and when it is closed, it looks whether the file still has all of its rows: a
 * task that read of a file that became shorter fails.
 */
final class SplitReader implements PartitionReader<ColumnarBatch> {

  /** Rows of a batch at the most: after each of them the file's length is looked at. */
  static final int ROWS = 1 << 16;

  private final Piece.Split split;
  private final StructType wanted;
  private final Configuration conf;
  private int number = -1;
  private Opened opened;
  private Source source;
  private long at;
  private ColumnarBatch batch;

  SplitReader(Piece.Split split, StructType wanted, Configuration conf) {
    this.split = split;
    this.wanted = wanted;
    this.conf = conf;
  }

  @Override
  public boolean next() {
    check();
    while (number < 0 || at == piece().until()) {
      if (number == split.pieces().size() - 1) return false;
      number++;
      open();
    }
    var file = opened.file();
    // An element of an array has a byte at least: a batch's are as many as an Int counts.
    long most = Math.clamp(Integer.MAX_VALUE / file.schema().stride(), 1, ROWS);
    int rows = (int) Math.min(most, piece().until() - at);
    var vectors =
        Vectors.of(source.path(), file.schema(), file.capacity(), file.data(), wanted, at, rows);
    batch = new ColumnarBatch(vectors, rows);
    at += rows;
    return true;
  }

  private Piece piece() {
    return split.pieces().get(number);
  }

  private void open() {
    if (!piece().source().equals(source)) {
      close();
      source = piece().source();
      opened = source.open(conf);
    }
    opened.fetch(wanted, piece().from(), piece().until());
    at = piece().from();
  }

  /** What the last batch was read from is there. */
  private void check() {
    if (batch == null) return;
    batch = null;
    opened.file().check();
  }

  @Override
  public ColumnarBatch get() {
    return batch;
  }

  @Override
  public void close() {
    if (opened == null) return;
    try {
      check();
    } finally {
      opened.close();
      opened = null;
    }
  }
}
