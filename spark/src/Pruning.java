package undercroft.spark;

import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Literal;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;

/** Whether a predicate may hold for a row of a block, going by the ranges of the block's columns. It
 * never says no where one does; a comparison with null holds for no row, and neither does its
 * opposite.
 */
final class Pruning {
  private Pruning() {}

  private static final Set<String> COMPARISONS = Set.of("=", "<=>", "<>", "<", "<=", ">", ">=");

  /** The operator that holds where the first does not. */
  private static final Map<String, String> OPPOSITES =
      Map.of("=", "<>", "<>", "=", "<", ">=", ">=", "<", ">", "<=", "<=", ">");

  /** The operator that says the same with its sides changed. */
  private static final Map<String, String> TURNED =
      Map.of("=", "=", "<=>", "<=>", "<>", "<>", "<", ">", ">", "<", "<=", ">=", ">=", "<=");

  /** Whether `predicate` can be `wanted` for a row.
   *
   * @param bounds
   *     of a column, or null where they are not known
   */
  static boolean may(Predicate predicate, boolean wanted, Function<NamedReference, Bounds> bounds) {
    var children = predicate.children();
    return switch (predicate.name()) {
      case "ALWAYS_TRUE" -> wanted;
      case "ALWAYS_FALSE" -> !wanted;
      case "NOT" -> may(children[0], !wanted, bounds);
      case "AND", "OR" -> {
        boolean all = predicate.name().equals("AND") == wanted;
        boolean first = may(children[0], wanted, bounds);
        if (first != all) yield first;
        yield may(children[1], wanted, bounds);
      }
      case "IN" -> {
        if (!wanted || !(children[0] instanceof NamedReference column)) yield true;
        for (int i = 1; i < children.length; i++)
          if (mayBe("=", column, children[i], bounds)) yield true;
        yield false;
      }
      case String name when COMPARISONS.contains(name) && children.length == 2 -> {
        var operator = wanted ? name : OPPOSITES.get(name);
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

  private static boolean may(Expression child, boolean wanted, Function<NamedReference, Bounds> bounds) {
    return !(child instanceof Predicate predicate) || may(predicate, wanted, bounds);
  }

  private static boolean mayBe(
      String operator, NamedReference column, Expression other, Function<NamedReference, Bounds> bounds) {
    if (!(other instanceof Literal<?> literal) || literal.value() == null) return true;
    // Texts may have a collation, which is another order.
    if (literal.value() instanceof UTF8String && !literal.dataType().equals(DataTypes.StringType)) return true;
    var known = bounds.apply(column);
    return known == null || known.mayBe(operator, literal.value());
  }
}
