package undercroft.spark;

import java.util.List;
import org.apache.spark.unsafe.types.UTF8String;
import undercroft.file.Range;
import undercroft.file.Type;

/** The smallest and the largest value of a column in a block: Longs, or Doubles, which leave NaN out.
 * False is 0, and true is 1.
 *
 * @param names
 *     what the values are called where they are cases of an enum, by their numbers; otherwise none
 */
record Bounds(Number least, Number most, List<UTF8String> names) {

  /** What the range of a value of a type says; a Boolean is true whatever byte but 0 is stored. */
  static Bounds of(Range range, Type type) {
    var plain = type instanceof Type.BigEndian big ? big.of() : type;
    var names = plain instanceof Type.Ordinal ordinal ? NameVector.names(ordinal.cases()) : List.<UTF8String>of();
    if (plain != Type.Primitive.BOOLEAN) return new Bounds(range.least(), range.most(), names);
    long least = range.least().longValue();
    long most = range.most().longValue();
    boolean hasFalse = least <= 0 && most >= 0;
    boolean hasTrue = least != 0 || most != 0;
    return new Bounds(hasFalse ? 0L : 1L, hasTrue ? 1L : 0L, names);
  }

  boolean isDecimal() {
    return least instanceof Double;
  }

  /** Whether a value of the block may stand to `literal` as an operator of SQL says. */
  boolean mayBe(String operator, Object literal) {
    if (isDecimal()) {
      if (!(literal instanceof Float || literal instanceof Double)) return true;
      double value = ((Number) literal).doubleValue();
      // NaN is larger than all others in Spark, and in no range.
      if (Double.isNaN(value)) return true;
      return switch (operator) {
        case "=", "<=>" -> least.doubleValue() <= value && value <= most.doubleValue();
        case "<" -> least.doubleValue() < value;
        case "<=" -> least.doubleValue() <= value;
        default -> true;
      };
    }
    if (literal instanceof UTF8String text) return names.isEmpty() || mayBeNamed(operator, text);
    Long whole = whole(literal);
    if (whole == null || !names.isEmpty()) return true;
    long value = whole;
    return switch (operator) {
      case "=", "<=>" -> least.longValue() <= value && value <= most.longValue();
      case "<>" -> least.longValue() != value || most.longValue() != value;
      case "<" -> least.longValue() < value;
      case "<=" -> least.longValue() <= value;
      case ">" -> most.longValue() > value;
      case ">=" -> most.longValue() >= value;
      default -> true;
    };
  }

  /** Names have an order of their own, so that each one in the range is compared. */
  private boolean mayBeNamed(String operator, UTF8String literal) {
    // Of a number that is no case's, whoever reads it is told.
    if (least.longValue() < 0 || most.longValue() >= names.size()) return true;
    for (var name : names.subList(least.intValue(), most.intValue() + 1)) {
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
