package undercroft.spark.internal.scan;

import java.util.ArrayList;
import java.util.Optional;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation;
import org.apache.spark.sql.connector.expressions.aggregate.Count;
import org.apache.spark.sql.connector.expressions.aggregate.CountStar;
import org.apache.spark.sql.connector.expressions.aggregate.Max;
import org.apache.spark.sql.connector.expressions.aggregate.Min;
import org.apache.spark.sql.connector.read.LocalScan;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import undercroft.file.format.Type;
import undercroft.spark.internal.folder.ColumnRange;
import undercroft.spark.internal.folder.SealedFiles;
import undercroft.spark.internal.folder.StructFileIndex;

/** Aggregate pushdown: counts, minima and maxima of whole files, computed without reading rows. */
public final class MetadataScan implements LocalScan {
  private final StructType columns;
  private final InternalRow[] rows;

  private MetadataScan(StructType columns, InternalRow... rows) {
    this.columns = columns;
    this.rows = rows;
  }

  /** The scan of a table without files. */
  public static MetadataScan empty(StructType columns) {
    return new MetadataScan(columns);
  }

  /** Computes the aggregates from headers and block statistics; empty if these do not suffice. */
  public static Optional<MetadataScan> of(StructFileIndex listing, Aggregation aggregation) {
    if (aggregation.groupByExpressions().length > 0) return Optional.empty();
    var columns = new ArrayList<StructField>();
    var values = new ArrayList<Object>();
    for (var function : aggregation.aggregateExpressions()) {
      Optional<StructField> column = Optional.empty();
      Object value = null;
      switch (function) {
        case CountStar _ -> {
          column = Optional.of(count(function.describe()));
          value = listing.rows();
        }
        case Count count when !count.isDistinct() && isNeverNull(listing, count.column()) -> {
          column = Optional.of(count(function.describe()));
          value = listing.rows();
        }
        case Min min -> {
          column = ordered(listing, min.column(), function.describe());
          if (column.isPresent()) value = extreme(listing, (NamedReference) min.column(), false);
        }
        case Max max -> {
          column = ordered(listing, max.column(), function.describe());
          if (column.isPresent()) value = extreme(listing, (NamedReference) max.column(), true);
        }
        default -> {}
      }
      if (column.isEmpty()) return Optional.empty();
      columns.add(column.get());
      values.add(value instanceof Long whole ? as(column.get().dataType(), whole) : value);
    }
    return Optional.of(
        new MetadataScan(
            new StructType(columns.toArray(StructField[]::new)), new GenericInternalRow(values.toArray())));
  }

  private static StructField count(String name) {
    return new StructField(name, DataTypes.LongType, false, Metadata.empty());
  }

  private static Optional<StructField> column(StructFileIndex listing, Expression expression) {
    if (!(expression instanceof NamedReference reference)) return Optional.empty();
    if (reference.fieldNames().length != 1) return Optional.empty();
    int index = listing.names().indexOf(listing.columns(), reference.fieldNames()[0]);
    if (index < 0 || listing.columns().fields()[index].nullable()) return Optional.empty();
    return Optional.of(listing.columns().fields()[index]);
  }

  private static boolean isNeverNull(StructFileIndex listing, Expression expression) {
    return column(listing, expression).isPresent();
  }

  /** The column of a minimum or maximum, if the statistics of all files cover it. Empty for Float
   * and Double, because statistics ignore NaN, for logical types, and for enums, because SQL orders their names and
   * not their numbers.
   */
  private static Optional<StructField> ordered(StructFileIndex listing, Expression expression, String name) {
    var column = column(listing, expression);
    boolean isCovered =
        column.isPresent()
            && !column.get().dataType().equals(DataTypes.FloatType)
            && !column.get().dataType().equals(DataTypes.DoubleType)
            && !column.get().dataType().equals(DataTypes.StringType)
            && listing.entries().stream()
                .allMatch(
                    entry ->
                        (entry.source().isSealed() || entry.source().rows() == 0)
                            && listing.ranged(entry.schema(), new String[] {column.get().name()})
                                .filter(leaf -> !(leaf.type() instanceof Type.Logical))
                                .isPresent());
    return isCovered
        ? Optional.of(new StructField(name, column.get().dataType(), true, Metadata.empty()))
        : Optional.empty();
  }

  /** The smallest or the largest value of a column; null if there are no rows. */
  private static Long extreme(StructFileIndex listing, NamedReference column, boolean largest) {
    Long result = null;
    for (var entry : listing.entries()) {
      if (entry.source().rows() == 0) continue;
      var leaf = listing.ranged(entry.schema(), column.fieldNames()).orElseThrow();
      for (var range : SealedFiles.statistics(entry.source(), leaf, listing.conf())) {
        var bounds = ColumnRange.of(range, leaf.type());
        long value = (largest ? bounds.max() : bounds.min()).longValue();
        if (result == null) result = value;
        else result = largest ? Math.max(result, value) : Math.min(result, value);
      }
    }
    return result;
  }

  /** An integer in Spark's internal representation of a type. */
  private static Object as(DataType type, long whole) {
    return switch (type) {
      case BooleanType _ -> whole != 0;
      case ByteType _ -> (byte) whole;
      case ShortType _ -> (short) whole;
      case IntegerType _ -> (int) whole;
      default -> whole;
    };
  }

  @Override
  public StructType readSchema() {
    return columns;
  }

  @Override
  public InternalRow[] rows() {
    return rows.clone();
  }

  @Override
  public String description() {
    return "undercroft " + columns.catalogString() + " without reading rows";
  }
}
