package undercroft.spark.internal.scan;

import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import undercroft.spark.internal.columns.ColumnNames;
import undercroft.spark.internal.folder.FileMetadata;
import undercroft.spark.internal.folder.OpenStructFile;
import undercroft.spark.internal.folder.PartitionColumns;
import undercroft.spark.internal.folder.SourceFile;
import undercroft.spark.internal.vectors.Vectors;

/** Reads a split as batches of vectors over the mapped file. Copies only strings. Confined to one
 * thread.
 *
 * Checks before each batch, and on closing, that the file was not truncated: a task that has read
 * missing rows fails.
 */
public final class SplitReader implements PartitionReader<ColumnarBatch> {

  /** The most rows of a batch; the file's length is checked after each batch. */
  public static final int ROWS = 1 << 16;

  private final FileSplit.Split split;
  private final StructType projection;
  private final ColumnNames names;
  private final Configuration conf;
  private final boolean checksums;
  private int number = -1;
  private OpenStructFile opened;
  private SourceFile source;

  /** The columns of the projection by their names in the file, and null for the others. */
  private StructField[] inFile;

  /** The columns of the projection that are stored in the file. */
  private StructType stored;

  private long at;
  private ColumnarBatch batch;

  /** @param checksums whether to compare blocks of sealed files with their checksums before
   *     reading them
   */
  public SplitReader(
      FileSplit.Split split, StructType projection, ColumnNames names, Configuration conf, boolean checksums) {
    this.split = split;
    this.projection = projection;
    this.names = names;
    this.conf = conf;
    this.checksums = checksums;
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
    // An array element has at least one byte, so the elements of a batch can be numbered by an Int.
    long maxRows = Math.clamp(Integer.MAX_VALUE / file.schema().stride(), 1, ROWS);
    int rows = (int) Math.min(maxRows, piece().until() - at);
    if (checksums) opened.compare(stored, at, at + rows);
    var vectors =
        Vectors.of(source.path(), file.schema(), file.capacity(), file.data(), stored, at, rows);
    batch = new ColumnarBatch(projected(vectors, rows), rows);
    at += rows;
    return true;
  }

  /** The vectors of the stored columns, of the file's facts, of the partition and of missing columns, in
   * the order of the projection.
   */
  private ColumnVector[] projected(ColumnVector[] vectors, int rows) {
    if (stored.length() == projection.length()) return vectors;
    var projected = new ColumnVector[projection.length()];
    int next = 0;
    for (int i = 0; i < projected.length; i++) {
      var column = projection.fields()[i];
      if (inFile[i] != null) projected[i] = vectors[next++];
      else if (FileMetadata.is(column)) projected[i] = FileMetadata.vector(source, column, rows);
      else projected[i] = PartitionColumns.vector(source, column, rows);
    }
    return projected;
  }

  private FileSplit piece() {
    return split.pieces().get(number);
  }

  private void open() {
    if (!piece().source().equals(source)) {
      close();
      source = piece().source();
      opened = source.open(conf);
      inFile = SourceFile.inFile(projection, opened.file().schema(), names);
      stored = SourceFile.stored(inFile);
      FileMetadata.setInputFile(source);
    }
    opened.fetch(stored, piece().from(), piece().until(), checksums);
    at = piece().from();
  }

  /** Throws if the rows of the last batch were truncated. */
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
      FileMetadata.unsetInputFile();
      opened.close();
      opened = null;
    }
  }
}
