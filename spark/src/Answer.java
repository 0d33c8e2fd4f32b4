package undercroft.spark;

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

/** Counts, smallest and largest values of whole files: known without reading a row. */
final class Answer implements LocalScan {
  private final StructType columns;
  private final Object[] values;

  private Answer(StructType columns, Object[] values) {
    this.columns = columns;
    this.values = values;
  }

  /** What headers and tables of blocks say, or nothing where they do not say all that is asked. */
  static Optional<Answer> of(Listing listing, Aggregation asked) {
    if (asked.groupByExpressions().length > 0) return Optional.empty();
    var columns = new ArrayList<StructField>();
    var values = new ArrayList<Object>();
    for (var function : asked.aggregateExpressions()) {
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
    return Optional.of(new Answer(new StructType(columns.toArray(StructField[]::new)), values.toArray()));
  }

  private static StructField count(String name) {
    return new StructField(name, DataTypes.LongType, false, Metadata.empty());
  }

  private static Optional<StructField> column(Listing listing, Expression expression) {
    if (!(expression instanceof NamedReference reference)) return Optional.empty();
    var names = reference.fieldNames();
    var found = listing.columns().fields();
    for (var one : found)
      if (names.length == 1 && one.name().equals(names[0]) && !one.nullable()) return Optional.of(one);
    return Optional.empty();
  }

  private static boolean isNeverNull(Listing listing, Expression expression) {
    return column(listing, expression).isPresent();
  }

  /** A column whose smallest and largest values all files know. NaN is in no range, so that they do
   * not of Float and Double; and cases of an enum have another order by their names.
   */
  private static Optional<StructField> ordered(Listing listing, Expression expression, String name) {
    var column = column(listing, expression);
    boolean known =
        column.isPresent()
            && !column.get().dataType().equals(DataTypes.FloatType)
            && !column.get().dataType().equals(DataTypes.DoubleType)
            && !column.get().dataType().equals(DataTypes.StringType)
            && listing.entries().stream()
                .allMatch(
                    entry ->
                        (entry.source().isSealed() || entry.source().rows() == 0)
                            && Listing.ranged(entry.schema(), new String[] {column.get().name()}).isPresent());
    return known
        ? Optional.of(new StructField(name, column.get().dataType(), true, Metadata.empty()))
        : Optional.empty();
  }

  /** The smallest or the largest value; null where there is no row. */
  private static Long extreme(Listing listing, NamedReference column, boolean largest) {
    Long found = null;
    for (var entry : listing.entries()) {
      if (entry.source().rows() == 0) continue;
      var leaf = Listing.ranged(entry.schema(), column.fieldNames()).orElseThrow();
      try (var opened = entry.source().open(listing.conf())) {
        for (var range : opened.file().ranges(leaf.dotted())) {
          var bounds = Bounds.of(range, leaf.type());
          long value = (largest ? bounds.most() : bounds.least()).longValue();
          if (found == null) found = value;
          else found = largest ? Math.max(found, value) : Math.min(found, value);
        }
      }
    }
    return found;
  }

  /** A whole number as Spark keeps one of a type. */
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
    return new InternalRow[] {new GenericInternalRow(values.clone())};
  }

  @Override
  public String description() {
    return "undercroft " + columns.catalogString() + " without reading rows";
  }
}
