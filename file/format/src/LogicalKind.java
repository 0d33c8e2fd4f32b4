package undercroft.file.format;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** The meaning of a stored value. It does not change the stored bytes. */
public sealed interface LogicalKind {

  /** The most digits of a decimal that is stored as a Long. */
  int LONG_DIGITS = 18;

  /** The most digits of a decimal. */
  int MOST_DIGITS = 38;

  /** The most bytes of a name. */
  int LONGEST_NAME = 255;

  /** The unit of a time. The ordinals are the numbers in the file. */
  enum Unit {
    SECONDS,
    MILLIS,
    MICROS,
    NANOS;

    @Override
    public String toString() {
      return switch (this) {
        case SECONDS -> "seconds";
        case MILLIS -> "milliseconds";
        case MICROS -> "microseconds";
        case NANOS -> "nanoseconds";
      };
    }

    /** The number of units in a second. */
    public long perSecond() {
      return switch (this) {
        case SECONDS -> 1L;
        case MILLIS -> 1_000L;
        case MICROS -> 1_000_000L;
        case NANOS -> 1_000_000_000L;
      };
    }
  }

  /** Days since 1970-01-01. */
  record Date() implements LogicalKind {}

  /** The time since midnight. */
  record Time(Unit unit) implements LogicalKind {}

  /** The time since 1970-01-01T00:00, in UTC or in an unknown time zone. */
  record Timestamp(Unit unit, boolean isUtc) implements LogicalKind {}

  /** An amount of time. */
  record Duration(Unit unit) implements LogicalKind {}

  /** A number without its decimal point.
   *
   * @param precision the most digits
   * @param scale the digits after the decimal point
   */
  record Decimal(int precision, int scale) implements LogicalKind {
    public Decimal {
      if (precision < 1 || precision > MOST_DIGITS || scale < 0 || scale > precision)
        throw new IllegalArgumentException(
            "a decimal must have 1 to " + MOST_DIGITS + " digits, and from 0 to all of them after the"
                + " point, but has " + precision + " and " + scale);
    }
  }

  /** A UUID, whose upper 64 bits come first. */
  record Uuid() implements LogicalKind {}

  /** A type that its users know by its name. */
  record Named(String name) implements LogicalKind {
    public Named {
      int bytes = name.getBytes(StandardCharsets.UTF_8).length;
      if (bytes < 1 || bytes > LONGEST_NAME)
        throw new IllegalArgumentException(
            "the name of a logical type must have 1 to " + LONGEST_NAME + " bytes, but has " + bytes);
    }
  }

  /** The kind in the words of error messages. */
  default String description() {
    return switch (this) {
      case Date() -> "a date";
      case Time(Unit unit) -> "a time in " + unit;
      case Timestamp(Unit unit, boolean isUtc) -> "a " + (isUtc ? "UTC" : "local") + " timestamp in " + unit;
      case Duration(Unit unit) -> "a duration in " + unit;
      case Decimal(int precision, int scale) ->
          String.format(Locale.ROOT, "a decimal(%d, %d)", precision, scale);
      case Uuid() -> "a UUID";
      case Named(String name) -> "the logical type " + name;
    };
  }
}
