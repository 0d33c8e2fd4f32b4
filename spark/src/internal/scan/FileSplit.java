package undercroft.spark.internal.scan;

import java.io.Serial;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;
import org.apache.spark.sql.connector.read.InputPartition;
import undercroft.spark.internal.folder.SourceFile;

/** The rows `[from, until)` of a file. */
public record FileSplit(SourceFile source, long from, long until) implements Serializable {
  @Serial private static final long serialVersionUID = 1L;

  public long rows() {
    return until - from;
  }

  /** The row ranges that one task reads, in order. */
  public record Split(List<FileSplit> pieces) implements InputPartition {
    @Serial private static final long serialVersionUID = 1L;

    public Split {
      pieces = List.copyOf(pieces);
    }
  }

  /** Groups row ranges into splits of at most `maxBytes` bytes; a split with a single batch may be
   * larger.
   */
  public static List<Split> splits(List<FileSplit> pieces, ToLongFunction<SourceFile> bytesPerRow, long maxBytes) {
    var splits = new ArrayList<Split>();
    var open = new ArrayList<FileSplit>();
    long bytes = 0;
    for (var piece : pieces) {
      long rowBytes = Math.max(1, bytesPerRow.applyAsLong(piece.source));
      for (long at = piece.from; at < piece.until; ) {
        long left = piece.until - at;
        long fits = Math.max(0, maxBytes - bytes) / rowBytes;
        // Row ranges are divided at batch boundaries.
        long rows = left <= fits ? left : fits / SplitReader.ROWS * SplitReader.ROWS;
        if (rows == 0 && open.isEmpty()) rows = Math.min(left, SplitReader.ROWS);
        if (rows == 0) {
          splits.add(new Split(open));
          open.clear();
          bytes = 0;
        } else {
          open.add(new FileSplit(piece.source, at, at + rows));
          bytes += rows * rowBytes;
          at += rows;
        }
      }
    }
    if (!open.isEmpty()) splits.add(new Split(open));
    return splits;
  }
}
