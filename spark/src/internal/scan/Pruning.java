package undercroft.spark.internal.scan;

import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Literal;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;
import undercroft.spark.internal.folder.ColumnRange;

/** Whether a predicate may hold for a row of a block, judged by the block statistics of its
 * columns. Never false if the predicate holds for a row. A comparison with null holds for no row,
 * and neither does its negation.
 */
public final class Pruning {
  private Pruning() {}

  private static final Set<String> COMPARISONS = Set.of("=", "<=>", "<>", "<", "<=", ">", ">=");

  /** The negation of each operator. */
  private static final Map<String, String> OPPOSITES =
      Map.of("=", "<>", "<>", "=", "<", ">=", ">=", "<", ">", "<=", "<=", ">");

  /** The operator with exchanged operands. */
  private static final Map<String, String> TURNED =
      Map.of("=", "=", "<=>", "<=>", "<>", "<>", "<", ">", ">", "<", "<=", ">=", ">=", "<=");

  /** Whether `predicate` can evaluate to `truth` for a row.
   *
   * @param bounds the bounds of a column, or null if they are unknown
   */
  public static boolean may(Predicate predicate, boolean truth, Function<NamedReference, ColumnRange> bounds) {
    var children = predicate.children();
    return switch (predicate.name()) {
      case "ALWAYS_TRUE" -> truth;
      case "ALWAYS_FALSE" -> !truth;
      case "NOT" -> may(children[0], !truth, bounds);
      case "AND", "OR" -> {
        boolean isConjunction = predicate.name().equals("AND") == truth;
        boolean first = may(children[0], truth, bounds);
        if (first != isConjunction) yield first;
        yield may(children[1], truth, bounds);
      }
      case "IN" -> {
        if (!truth || !(children[0] instanceof NamedReference column)) yield true;
        for (int i = 1; i < children.length; i++)
          if (mayBe("=", column, children[i], bounds)) yield true;
        yield false;
      }
      case String name when COMPARISONS.contains(name) && children.length == 2 -> {
        var operator = truth ? name : OPPOSITES.get(name);
        if (operator == null) yield true;
        if (children[0] instanceof NamedReference column)
          yield mayBe(operator, column, children[1], bounds);
        if (children[1] instanceof NamedReference column)
          yield mayBe(TURNED.get(operator), column, children[0], bounds);
        yield true;
      }
      default -> true;
    };
  }

  private static boolean may(Expression child, boolean truth, Function<NamedReference, ColumnRange> bounds) {
    return !(child instanceof Predicate predicate) || may(predicate, truth, bounds);
  }

  private static boolean mayBe(
      String operator, NamedReference column, Expression operand, Function<NamedReference, ColumnRange> bounds) {
    if (!(operand instanceof Literal<?> literal) || literal.value() == null) return true;
    // Strings may have a collation, which orders them differently.
    if (literal.value() instanceof UTF8String && !literal.dataType().equals(DataTypes.StringType)) return true;
    var columnBounds = bounds.apply(column);
    return columnBounds == null || columnBounds.mayBe(operator, literal.value(), literal.dataType());
  }
}
