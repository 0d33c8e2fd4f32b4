package undercroft.spark.internal.vectors;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.UUID;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DayTimeIntervalType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.TimeType;
import org.apache.spark.unsafe.types.UTF8String;
import undercroft.file.format.LogicalKind;
import undercroft.spark.internal.columns.LogicalColumns;

/** Values with a logical type, converted from the stored numbers when they are read. */
public final class LogicalVector extends FieldVector {
  private final LogicalKind kind;
  private final NumberVector upper;
  private final NumberVector numbers;
  private final ValueOrigin origin;

  /** @param upper the upper half of 128 bits; null for values of up to 64 bits
   * @param numbers the stored values, or the lower half of 128 bits
   */
  public LogicalVector(
      LogicalKind kind, DataType dataType, NumberVector upper, NumberVector numbers, ValueOrigin origin, int rows,
      NumberVector sign, int number) {
    super(dataType, null, null, rows, sign, number);
    this.kind = kind;
    this.upper = upper;
    this.numbers = numbers;
    this.origin = origin;
  }

  @Override
  public int getInt(int row) {
    return numbers.getInt(row);
  }

  @Override
  public long getLong(int row) {
    long time = numbers.getLong(row);
    return switch (kind) {
      case LogicalKind.Timestamp(var unit, _) -> micros(row, time, unit, "timestamps");
      case LogicalKind.Duration(var unit) -> micros(row, time, unit, "intervals");
      case LogicalKind.Time(var unit) -> nanosOfDay(row, time, unit, (TimeType) dataType());
      default -> time;
    };
  }

  private long micros(int row, long time, LogicalKind.Unit unit, String types) {
    // The values of a null are undefined, and Spark may read them.
    if (isNullAt(row)) return 0;
    try {
      long micros = LogicalColumns.micros(time, unit);
      if (dataType() instanceof DayTimeIntervalType interval && micros % LogicalColumns.last(interval) != 0)
        throw new IllegalStateException(
            origin.words(row) + " is stored as " + time + " " + unit + ", which the type " + interval.sql()
                + " does not have: read it as INTERVAL DAY TO SECOND");
      return micros;
    } catch (ArithmeticException e) {
      throw new IllegalStateException(
          origin.words(row) + " is stored as " + time + " " + unit + ", which Spark's " + types
              + ", of microseconds, do not have: request the stored number by schema(...), as BIGINT", e);
    }
  }

  private long nanosOfDay(int row, long time, LogicalKind.Unit unit, TimeType type) {
    if (isNullAt(row)) return 0;
    long day = LogicalColumns.ticksOfDay(unit);
    if (time < 0 || time >= day)
      throw new IllegalStateException(
          origin.words(row) + " is stored as " + time + " " + unit + ", but a time of day is from 0 to " + (day - 1)
              + ": request the stored number by schema(...), as BIGINT");
    long nanos = LogicalColumns.nanosOfDay(time, unit);
    if (nanos % LogicalColumns.last(type) != 0)
      throw new IllegalStateException(
          origin.words(row) + " is stored as " + time + " " + unit + ", which the type " + type.sql()
              + " does not have: read it as "
              + (nanos % LogicalColumns.last((TimeType) LogicalColumns.TIME) == 0
                  ? LogicalColumns.TIME.sql()
                  : "its stored number by schema(...), as BIGINT"));
    return nanos;
  }

  @Override
  public Decimal getDecimal(int row, int precision, int scale) {
    if (isNullAt(row)) return null;
    var unscaled = BigInteger.valueOf(numbers.getLong(row));
    if (upper != null)
      unscaled = BigInteger.valueOf(upper.getLong(row)).shiftLeft(64).or(unsigned(numbers.getLong(row)));
    var decimal = new BigDecimal(unscaled, scale);
    if (decimal.precision() > precision)
      throw new IllegalStateException(
          origin.words(row) + " is " + decimal + ", but must have at most " + precision + " digits");
    return Decimal.apply(decimal, precision, scale);
  }

  private static BigInteger unsigned(long low) {
    var value = BigInteger.valueOf(low & Long.MAX_VALUE);
    return low < 0 ? value.setBit(63) : value;
  }

  @Override
  public UTF8String getUTF8String(int row) {
    if (isNullAt(row)) return null;
    return UTF8String.fromString(new UUID(upper.getLong(row), numbers.getLong(row)).toString());
  }
}
