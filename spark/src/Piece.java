package undercroft.spark;

import java.io.Serial;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;
import org.apache.spark.sql.connector.read.InputPartition;

/** The rows `[from, until)` of a file. */
record Piece(Source source, long from, long until) implements Serializable {
  @Serial private static final long serialVersionUID = 1L;

  long rows() {
    return until - from;
  }

  /** What one task reads, piece after piece. */
  record Split(List<Piece> pieces) implements InputPartition {
    @Serial private static final long serialVersionUID = 1L;

    Split {
      pieces = List.copyOf(pieces);
    }
  }

  /** The pieces in splits of at most `most` bytes, but for those of a single batch. */
  static List<Split> splits(List<Piece> pieces, ToLongFunction<Source> bytesPerRow, long most) {
    var splits = new ArrayList<Split>();
    var open = new ArrayList<Piece>();
    long bytes = 0;
    for (var piece : pieces) {
      long each = Math.max(1, bytesPerRow.applyAsLong(piece.source));
      for (long at = piece.from; at < piece.until; ) {
        long left = piece.until - at;
        long fits = Math.max(0, most - bytes) / each;
        // A piece is cut where a batch ends.
        long rows = left <= fits ? left : fits / SplitReader.ROWS * SplitReader.ROWS;
        if (rows == 0 && open.isEmpty()) rows = Math.min(left, SplitReader.ROWS);
        if (rows == 0) {
          splits.add(new Split(open));
          open.clear();
          bytes = 0;
        } else {
          open.add(new Piece(piece.source, at, at + rows));
          bytes += rows * each;
          at += rows;
        }
      }
    }
    if (!open.isEmpty()) splits.add(new Split(open));
    return splits;
  }
}
