package undercroft.spark.internal.write;

import java.lang.foreign.ValueLayout;
import java.math.BigInteger;
import java.time.LocalTime;
import java.util.UUID;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.TimeType;
import undercroft.file.format.Field;
import undercroft.file.format.LogicalKind;
import undercroft.spark.internal.columns.LogicalColumns;

/** Stores Spark's values as the numbers of their logical types. Throws
 * IllegalArgumentException with the column if a value is not exactly such a number.
 */
public final class LogicalWriters {
  private LogicalWriters() {}

  /** A value in one number.
   *
   * @param type the type in Spark
   */
  public static ColumnWriter of(Field.Leaf leaf, LogicalKind kind, DataType type, ColumnWriters.Places of, String path) {
    return switch (kind) {
      case LogicalKind.Date() ->
          (from, column, data, capacity, row) ->
              data.set(ValueLayout.JAVA_INT_UNALIGNED, of.place(leaf, capacity, row), from.getInt(column));
      case LogicalKind.Timestamp(var unit, _) ->
          (from, column, data, capacity, row) ->
              data.set(
                  ValueLayout.JAVA_LONG_UNALIGNED, of.place(leaf, capacity, row),
                  time(from.getLong(column), unit, " since 1970", path));
      case LogicalKind.Decimal decimal ->
          (from, column, data, capacity, row) ->
              data.set(
                  ValueLayout.JAVA_LONG_UNALIGNED, of.place(leaf, capacity, row),
                  unscaled(from.getDecimal(column, decimal.precision(), decimal.scale()), decimal, path)
                      .longValueExact());
      case LogicalKind.Time(var unit) when type instanceof TimeType ->
          (from, column, data, capacity, row) ->
              data.set(
                  ValueLayout.JAVA_LONG_UNALIGNED, of.place(leaf, capacity, row),
                  ticksOfDay(from.getLong(column), unit, path));
      case LogicalKind.Time(var unit) ->
          (from, column, data, capacity, row) ->
              data.set(
                  ValueLayout.JAVA_LONG_UNALIGNED, of.place(leaf, capacity, row),
                  timeOfDay(from.getLong(column), unit, path));
      case LogicalKind.Duration(var unit) ->
          (from, column, data, capacity, row) ->
              data.set(
                  ValueLayout.JAVA_LONG_UNALIGNED, of.place(leaf, capacity, row),
                  time(from.getLong(column), unit, "", path));
      case LogicalKind.Uuid _, LogicalKind.Named _ ->
          throw new IllegalStateException(kind.description() + " is not one number");
    };
  }

  /** A decimal or a UUID in two numbers, the upper 64 bits first. */
  public static ColumnWriter pair(
      Field.Leaf high, Field.Leaf low, LogicalKind kind, ColumnWriters.Places of, String path) {
    if (kind instanceof LogicalKind.Decimal decimal) return decimal(high, low, decimal, of, path);
    return (from, column, data, capacity, row) -> {
      var uuid = uuid(from.getUTF8String(column).toString(), path);
      data.set(
          ValueLayout.JAVA_LONG_UNALIGNED, of.place(high, capacity, row), uuid.getMostSignificantBits());
      data.set(
          ValueLayout.JAVA_LONG_UNALIGNED, of.place(low, capacity, row), uuid.getLeastSignificantBits());
    };
  }

  private static ColumnWriter decimal(
      Field.Leaf high, Field.Leaf low, LogicalKind.Decimal kind, ColumnWriters.Places of, String path) {
    return (from, column, data, capacity, row) -> {
      var number = unscaled(from.getDecimal(column, kind.precision(), kind.scale()), kind, path);
      data.set(
          ValueLayout.JAVA_LONG_UNALIGNED, of.place(high, capacity, row), number.shiftRight(Long.SIZE).longValue());
      data.set(ValueLayout.JAVA_LONG_UNALIGNED, of.place(low, capacity, row), number.longValue());
    };
  }

  /** @param origin the words for the time that is number 0 */
  private static long time(long micros, LogicalKind.Unit unit, String origin, String path) {
    try {
      return LogicalColumns.ticks(micros, unit);
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          "column " + path + " must be a whole number of " + unit + " of 64 bits, as its files store it, but is "
              + micros + " microseconds" + origin + " in a row");
    }
  }

  private static long ticksOfDay(long nanos, LogicalKind.Unit unit, String path) {
    try {
      return LogicalColumns.ticksOfDay(nanos, unit);
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          "column " + path + " must be a whole number of " + unit + ", as its files store it, but is "
              + LocalTime.ofNanoOfDay(nanos) + " in a row");
    }
  }

  private static long timeOfDay(long time, LogicalKind.Unit unit, String path) {
    long day = LogicalColumns.ticksOfDay(unit);
    if (time >= 0 && time < day) return time;
    throw new IllegalArgumentException(
        "column " + path + " must be a time of day from 0 to " + (day - 1) + " " + unit
            + ", as its files store it, but is " + time + " in a row");
  }

  /** A UUID in its usual form; its digits may be of either case. */
  private static UUID uuid(String text, String path) {
    try {
      // Java also reads shorter groups of digits.
      var uuid = UUID.fromString(text);
      if (uuid.toString().equalsIgnoreCase(text)) return uuid;
    } catch (IllegalArgumentException e) {
      // It has another form.
    }
    throw new IllegalArgumentException(
        "column " + path + " must be a UUID of hexadecimal digits in the form 8-4-4-4-12, as its files store it,"
            + " but is " + text + " in a row; option(\"textBytes." + path + "\", n) writes strings to a new folder");
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
