package undercroft.spark.internal.folder;

import java.util.List;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.unsafe.types.UTF8String;
import undercroft.file.format.BlockStatistics;
import undercroft.file.format.LogicalKind;
import undercroft.file.format.Type;
import undercroft.spark.internal.columns.LogicalColumns;
import undercroft.spark.internal.vectors.NameVector;

/** The smallest and the largest value of a column in a block: Longs, or Doubles without NaN. False
 * is 0, and true is 1.
 *
 * @param names case names of an enum by number; empty for other types
 * @param kind the meaning of the numbers; null without one
 */
public record ColumnRange(Number min, Number max, List<UTF8String> names, LogicalKind kind) {

  /** The range of a column without a logical type. */
  public ColumnRange(Number min, Number max, List<UTF8String> names) {
    this(min, max, names, null);
  }

  /** Interprets statistics as values of a type; every stored byte except 0 is a true Boolean. */
  public static ColumnRange of(BlockStatistics range, Type type) {
    var stored = type.physical();
    var plain = stored instanceof Type.BigEndian big ? big.of() : stored;
    var names = plain instanceof Type.Ordinal ordinal ? NameVector.names(ordinal.cases()) : List.<UTF8String>of();
    var kind = type instanceof Type.Logical logical ? logical.kind() : null;
    if (plain != Type.Primitive.BOOLEAN) return new ColumnRange(range.min(), range.max(), names, kind);
    long min = range.min().longValue();
    long max = range.max().longValue();
    boolean hasFalse = min <= 0 && max >= 0;
    boolean hasTrue = min != 0 || max != 0;
    return new ColumnRange(hasFalse ? 0L : 1L, hasTrue ? 1L : 0L, names);
  }

  public boolean isDecimal() {
    return min instanceof Double;
  }

  /** Whether `operator` may hold between a value of the block and the literal. */
  public boolean mayBe(String operator, Object literal, DataType type) {
    if (kind == null || kind instanceof LogicalKind.Named) return mayBe(operator, literal);
    var stored = LogicalColumns.stored(kind, literal, type);
    return stored == null || mayBe(operator, stored);
  }

  private boolean mayBe(String operator, Object literal) {
    if (isDecimal()) {
      if (!(literal instanceof Float || literal instanceof Double)) return true;
      double value = ((Number) literal).doubleValue();
      // Spark orders NaN after all other values, and statistics ignore it.
      if (Double.isNaN(value)) return true;
      return switch (operator) {
        case "=", "<=>" -> min.doubleValue() <= value && value <= max.doubleValue();
        case "<" -> min.doubleValue() < value;
        case "<=" -> min.doubleValue() <= value;
        default -> true;
      };
    }
    if (literal instanceof UTF8String text) return names.isEmpty() || mayBeNamed(operator, text);
    Long whole = whole(literal);
    if (whole == null || !names.isEmpty()) return true;
    long value = whole;
    return switch (operator) {
      case "=", "<=>" -> min.longValue() <= value && value <= max.longValue();
      case "<>" -> min.longValue() != value || max.longValue() != value;
      case "<" -> min.longValue() < value;
      case "<=" -> min.longValue() <= value;
      case ">" -> max.longValue() > value;
      case ">=" -> max.longValue() >= value;
      default -> true;
    };
  }

  /** Names are ordered differently from their numbers, so each name in the range is compared. */
  private boolean mayBeNamed(String operator, UTF8String literal) {
    // Invalid case numbers must be read, because reading them reports the error.
    if (min.longValue() < 0 || max.longValue() >= names.size()) return true;
    for (var name : names.subList(min.intValue(), max.intValue() + 1)) {
      int order = name.compareTo(literal);
      boolean holds =
          switch (operator) {
            case "=", "<=>" -> order == 0;
            case "<>" -> order != 0;
            case "<" -> order < 0;
            case "<=" -> order <= 0;
            case ">" -> order > 0;
            case ">=" -> order >= 0;
            default -> true;
          };
      if (holds) return true;
    }
    return false;
  }

  private static Long whole(Object literal) {
    return switch (literal) {
      case Byte number -> number.longValue();
      case Short number -> number.longValue();
      case Integer number -> number.longValue();
      case Long number -> number;
      case Boolean truth -> truth ? 1L : 0L;
      case null, default -> null;
    };
  }
}
