package undercroft.spark;

import java.lang.foreign.ValueLayout;
import java.math.BigInteger;
import org.apache.spark.sql.types.Decimal;
import undercroft.file.format.Field;
import undercroft.file.format.LogicalKind;

/** Stores Spark's dates, timestamps and decimals as the numbers of their logical types. Throws
 * IllegalArgumentException with the column if a value is not exactly such a number.
 */
final class LogicalWriters {
  private LogicalWriters() {}

  /** A value in one number. */
  static ColumnWriter of(Field.Leaf leaf, LogicalKind kind, ColumnWriters.Places of, String path) {
    return switch (kind) {
      case LogicalKind.Date() ->
          (from, column, data, capacity, row) ->
              data.set(ValueLayout.JAVA_INT_UNALIGNED, of.place(leaf, capacity, row), from.getInt(column));
      case LogicalKind.Timestamp(var unit, _) ->
          (from, column, data, capacity, row) ->
              data.set(
                  ValueLayout.JAVA_LONG_UNALIGNED, of.place(leaf, capacity, row),
                  time(from.getLong(column), unit, path));
      case LogicalKind.Decimal decimal ->
          (from, column, data, capacity, row) ->
              data.set(
                  ValueLayout.JAVA_LONG_UNALIGNED, of.place(leaf, capacity, row),
                  unscaled(from.getDecimal(column, decimal.precision(), decimal.scale()), decimal, path)
                      .longValueExact());
      default -> throw new IllegalStateException(kind.description() + " is not written by Spark");
    };
  }

  /** A decimal in two numbers, the upper 64 bits first. */
  static ColumnWriter pair(
      Field.Leaf high, Field.Leaf low, LogicalKind.Decimal kind, ColumnWriters.Places of, String path) {
    return (from, column, data, capacity, row) -> {
      var number = unscaled(from.getDecimal(column, kind.precision(), kind.scale()), kind, path);
      data.set(
          ValueLayout.JAVA_LONG_UNALIGNED, of.place(high, capacity, row), number.shiftRight(Long.SIZE).longValue());
      data.set(ValueLayout.JAVA_LONG_UNALIGNED, of.place(low, capacity, row), number.longValue());
    };
  }

  private static long time(long micros, LogicalKind.Unit unit, String path) {
    try {
      return LogicalColumns.ticks(micros, unit);
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          "column " + path + " must be a whole number of " + unit + " of 64 bits, as its files store it, but is "
              + micros + " microseconds since 1970 in a row");
    }
  }

  private static BigInteger unscaled(Decimal value, LogicalKind.Decimal kind, String path) {
    var decimal = value.toJavaBigDecimal();
    try {
      var exact = decimal.setScale(kind.scale());
      if (exact.precision() <= kind.precision()) return exact.unscaledValue();
    } catch (ArithmeticException e) {
      // It has more digits after the point.
    }
    throw new IllegalArgumentException(
        "column " + path + " must have at most " + kind.precision() + " digits, " + kind.scale()
            + " of them after the point, but is " + decimal + " in a row");
  }
}
