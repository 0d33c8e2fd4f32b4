package undercroft.file.format.internal.schema;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import undercroft.file.format.LogicalKind;

/** Encodes logical types as defined in docs/format.md. */
public final class LogicalKindCodec {
  private static final int DATE = 1;
  private static final int TIME = 2;
  private static final int TIMESTAMP = 3;
  private static final int DURATION = 4;
  private static final int DECIMAL = 5;
  private static final int UUID = 6;
  private static final int NAMED = 7;

  private LogicalKindCodec() {}

  public static void put(ByteArrayOutputStream out, LogicalKind kind) {
    switch (kind) {
      case LogicalKind.Date() -> out.write(DATE);
      case LogicalKind.Time(var unit) -> {
        out.write(TIME);
        out.write(unit.ordinal());
      }
      case LogicalKind.Timestamp(var unit, boolean isUtc) -> {
        out.write(TIMESTAMP);
        out.write(unit.ordinal());
        out.write(isUtc ? 1 : 0);
      }
      case LogicalKind.Duration(var unit) -> {
        out.write(DURATION);
        out.write(unit.ordinal());
      }
      case LogicalKind.Decimal(int precision, int scale) -> {
        out.write(DECIMAL);
        out.write(precision);
        out.write(scale);
      }
      case LogicalKind.Uuid() -> out.write(UUID);
      case LogicalKind.Named(String name) -> {
        out.write(NAMED);
        SchemaCodec.putText(out, name);
      }
    }
  }

  public static LogicalKind read(ByteBuffer in) {
    int code = in.get();
    return switch (code) {
      case DATE -> new LogicalKind.Date();
      case TIME -> new LogicalKind.Time(unit(in));
      case TIMESTAMP -> new LogicalKind.Timestamp(unit(in), isUtc(in));
      case DURATION -> new LogicalKind.Duration(unit(in));
      case DECIMAL -> new LogicalKind.Decimal(in.get(), in.get());
      case UUID -> new LogicalKind.Uuid();
      case NAMED -> new LogicalKind.Named(SchemaCodec.text(in));
      default ->
          throw new IllegalArgumentException("a logical type has the unknown code " + code);
    };
  }

  private static LogicalKind.Unit unit(ByteBuffer in) {
    int unit = in.get();
    var units = LogicalKind.Unit.values();
    if (unit < 0 || unit >= units.length)
      throw new IllegalArgumentException(
          "a unit of time must be from 0 to " + (units.length - 1) + ", but is " + unit);
    return units[unit];
  }

  private static boolean isUtc(ByteBuffer in) {
    int zone = in.get();
    if (zone != 0 && zone != 1)
      throw new IllegalArgumentException("a time zone must be 0 or 1, but is " + zone);
    return zone == 1;
  }
}
