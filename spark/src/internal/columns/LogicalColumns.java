package undercroft.spark.internal.columns;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DayTimeIntervalType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimeType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import undercroft.file.format.Field;
import undercroft.file.format.LogicalKind;
import undercroft.file.format.Type;

/** Logical types as types of Spark: dates, timestamps and intervals of microseconds, times of day,
 * decimals, and UUIDs as strings. Users' types are their stored numbers, and so are times of day in a
 * session whose TIME type is off.
 */
public final class LogicalColumns {
  private LogicalColumns() {}

  /** The ways to read times of day in different units. */
  public static final String ADVICE =
      "set " + SQLConf.TIME_TYPE_ENABLED().key()
          + " to true to read TIME(6), or request the numbers by schema(...), as BIGINT";

  /** The type of a duration: days to seconds. */
  public static final DataType INTERVAL = DataTypes.createDayTimeIntervalType();

  /** The type of a time of day, in each unit: microseconds. */
  public static final DataType TIME = new TimeType(TimeType.MICROS_PRECISION());

  /** The number of Spark's times of day is of nanoseconds, whatever their precision is. */
  private static final long NANOS = 1_000_000_000;

  /** Spark's timestamps and intervals are microseconds. */
  private static final long MICROS = 1_000_000;

  /** The type of a column in Spark; null if it is that of the stored value. */
  public static DataType type(LogicalKind kind) {
    return switch (kind) {
      case LogicalKind.Date() -> DataTypes.DateType;
      case LogicalKind.Timestamp(_, boolean isUtc) ->
          isUtc ? DataTypes.TimestampType : DataTypes.TimestampNTZType;
      case LogicalKind.Decimal(int precision, int scale) -> DataTypes.createDecimalType(precision, scale);
      case LogicalKind.Uuid() -> DataTypes.StringType;
      case LogicalKind.Duration _ -> INTERVAL;
      case LogicalKind.Time _ -> TIME;
      case LogicalKind.Named _ -> null;
    };
  }

  /** The columns of files in a session: times of day are their stored numbers if its TIME type is off,
   * as it is by default.
   *
   * @throws IllegalArgumentException if these are in different units
   */
  public static StructType ofSession(StructType columns) {
    boolean hasTimes = (boolean) SQLConf.get().getConf(SQLConf.TIME_TYPE_ENABLED());
    return hasTimes ? columns : withoutTimes(columns, "");
  }

  private static StructType withoutTimes(StructType columns, String around) {
    var fields = columns.fields().clone();
    for (int i = 0; i < fields.length; i++) {
      var field = fields[i];
      var type = withoutTimes(field, field.dataType(), around + field.name());
      fields[i] = new StructField(field.name(), type, field.nullable(), field.metadata());
    }
    return new StructType(fields);
  }

  private static DataType withoutTimes(StructField column, DataType type, String path) {
    return switch (type) {
      case TimeType _ when ColumnMetadata.in(column).isEmpty() ->
          throw new IllegalArgumentException(
              "column " + path + " is a time of day in different units in several files, so its stored numbers are"
                  + " not comparable: " + ADVICE);
      case TimeType _ -> DataTypes.LongType;
      case ArrayType array -> new ArrayType(withoutTimes(column, array.elementType(), path), array.containsNull());
      case StructType struct -> withoutTimes(struct, path + ".");
      default -> type;
    };
  }

  /** The type that new columns of a type are stored as; empty if it is not a logical one. */
  public static Optional<Type> stored(DataType type) {
    return switch (type) {
      case DateType _ -> Optional.of(new Type.Logical(Type.Primitive.INT, new LogicalKind.Date()));
      case TimestampType _ -> Optional.of(timestamp(LogicalKind.Unit.MICROS, true));
      case TimestampNTZType _ -> Optional.of(timestamp(LogicalKind.Unit.MICROS, false));
      case DayTimeIntervalType _ -> Optional.of(number(new LogicalKind.Duration(LogicalKind.Unit.MICROS)));
      case TimeType _ -> Optional.of(number(new LogicalKind.Time(LogicalKind.Unit.MICROS)));
      case DecimalType decimal when decimal.scale() >= 0 ->
          Optional.of(
              decimal.precision() <= LogicalKind.LONG_DIGITS
                  ? number(kind(decimal))
                  : pair(decimal));
      default -> Optional.empty();
    };
  }

  public static Type timestamp(LogicalKind.Unit unit, boolean isUtc) {
    return number(new LogicalKind.Timestamp(unit, isUtc));
  }

  /** A logical type in one Long. */
  public static Type number(LogicalKind kind) {
    return new Type.Logical(Type.Primitive.LONG, kind);
  }

  public static Type pair(DecimalType decimal) {
    return pair(kind(decimal));
  }

  /** A decimal or a UUID of 128 bits, as the Scala module stores it. */
  public static Type pair(LogicalKind kind) {
    var halves =
        List.of(new Field.Leaf("high", 0, Type.Primitive.LONG), new Field.Leaf("low", 8, Type.Primitive.LONG));
    return new Type.Logical(new Type.Struct("Bits128", 16, List.copyOf(halves)), kind);
  }

  private static LogicalKind kind(DecimalType decimal) {
    return new LogicalKind.Decimal(decimal.precision(), decimal.scale());
  }

  /** The microseconds of the last field of an interval, of which its values are whole numbers. */
  public static long last(DayTimeIntervalType interval) {
    return switch (interval.endField()) {
      case 0 -> 86_400 * MICROS;
      case 1 -> 3600 * MICROS;
      case 2 -> 60 * MICROS;
      default -> 1;
    };
  }

  /** The nanoseconds of the last digit of a time of day: each value is a multiple of them. */
  public static long last(TimeType time) {
    long nanos = NANOS;
    for (int digit = 0; digit < time.precision(); digit++) nanos /= 10;
    return nanos;
  }

  /** The number of times of day in a unit: all are less. */
  public static long ticksOfDay(LogicalKind.Unit unit) {
    return Duration.ofDays(1).toSeconds() * unit.perSecond();
  }

  /** The nanoseconds of a time of day in a unit.
   *
   * @throws ArithmeticException if they are out of range
   */
  public static long nanosOfDay(long time, LogicalKind.Unit unit) {
    return Math.multiplyExact(time, NANOS / unit.perSecond());
  }

  /** The time of day in a unit of nanoseconds.
   *
   * @throws ArithmeticException if it is not a whole number
   */
  public static long ticksOfDay(long nanos, LogicalKind.Unit unit) {
    long size = NANOS / unit.perSecond();
    if (nanos % size != 0) throw new ArithmeticException();
    return nanos / size;
  }

  /** The microseconds of a time in a unit.
   *
   * @throws ArithmeticException if they are not a whole number, or out of range
   */
  public static long micros(long time, LogicalKind.Unit unit) {
    long perSecond = unit.perSecond();
    if (perSecond <= MICROS) return Math.multiplyExact(time, MICROS / perSecond);
    long size = perSecond / MICROS;
    if (time % size != 0) throw new ArithmeticException("it has digits below a microsecond");
    return time / size;
  }

  /** The stored number of a literal that is compared with a column; null if no number has the same
   * order among the stored ones.
   */
  public static Long stored(LogicalKind kind, Object literal, DataType type) {
    try {
      return switch (kind) {
        case LogicalKind.Date() when type.equals(DataTypes.DateType) -> (long) (Integer) literal;
        case LogicalKind.Timestamp(var unit, _) when type.equals(type(kind)) -> ticks((Long) literal, unit);
        case LogicalKind.Duration(var unit) when type instanceof DayTimeIntervalType -> ticks((Long) literal, unit);
        case LogicalKind.Time(var unit) when type instanceof TimeType -> ticksOfDay((Long) literal, unit);
        case LogicalKind.Decimal(_, int scale) when literal instanceof Decimal decimal ->
            unscaled(decimal.toJavaBigDecimal(), scale);
        case LogicalKind _ when isNumber(type) -> ((Number) literal).longValue();
        default -> null;
      };
    } catch (ArithmeticException e) {
      return null;
    }
  }

  /** Whether a column was requested as its stored number. */
  private static boolean isNumber(DataType type) {
    return type.equals(DataTypes.IntegerType) || type.equals(DataTypes.LongType);
  }

  /** The time in a unit of microseconds.
   *
   * @throws ArithmeticException if it is not a whole number, or out of range
   */
  public static long ticks(long micros, LogicalKind.Unit unit) {
    long perSecond = unit.perSecond();
    if (perSecond > MICROS) return Math.multiplyExact(micros, perSecond / MICROS);
    long size = MICROS / perSecond;
    if (micros % size != 0) throw new ArithmeticException();
    return micros / size;
  }

  private static long unscaled(BigDecimal decimal, int scale) {
    return decimal.setScale(scale).unscaledValue().longValueExact();
  }
}
