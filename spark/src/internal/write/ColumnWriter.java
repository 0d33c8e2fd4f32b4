package undercroft.spark.internal.write;

import java.lang.foreign.MemorySegment;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;

/** Stores one column of a row whose bytes are all zero. */
public interface ColumnWriter {
  void put(SpecializedGetters from, int column, MemorySegment data, long capacity, long row);
}
