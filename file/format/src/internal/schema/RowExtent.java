package undercroft.file.format.internal.schema;

import java.util.TreeMap;
import undercroft.file.format.FileLayout;
import undercroft.file.format.Schema;

/** The bytes that rows of a schema occupy in the data of a file. */
public final class RowExtent {
  private RowExtent() {}

  /** The sizes of the columns by their start, both in bytes per row of capacity. Rows count as a
   * single column.
   */
  public static TreeMap<Long, Long> columns(Schema schema) {
    var columns = new TreeMap<Long, Long>();
    if (schema.layout() != FileLayout.COLUMNS) columns.put(0L, schema.stride());
    else for (var leaf : schema.leaves()) columns.put((long) leaf.offset(), (long) leaf.type().size());
    return columns;
  }

  /** The capacity for which a file for `rows` rows is laid out: columns start at multiples of 64
   * bytes.
   */
  public static long capacity(Schema schema, long rows) {
    return schema.layout() == FileLayout.COLUMNS ? Math.multiplyExact(Math.ceilDiv(rows, 64L), 64L) : rows;
  }

  /** Bytes that `rows` rows occupy in the data of a file with this capacity. */
  public static long extent(Schema schema, long rows, long capacity) {
    if (rows == 0) return 0;
    if (schema.layout() != FileLayout.COLUMNS) return Math.multiplyExact(rows, schema.stride());
    var last = columns(schema).lastEntry();
    return Math.addExact(Math.multiplyExact(capacity, last.getKey()), rows * last.getValue());
  }

  /** The number of complete rows in the first `bytes` bytes of the data of a file with this
   * capacity.
   */
  public static long rows(Schema schema, long bytes, long capacity) {
    if (schema.layout() != FileLayout.COLUMNS) return bytes / schema.stride();
    var last = columns(schema).lastEntry();
    return Math.max(0, bytes - capacity * last.getKey()) / last.getValue();
  }
}
