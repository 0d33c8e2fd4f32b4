package undercroft.spark;

import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.SparkSessionExtensionsProvider;
import org.apache.spark.sql.catalyst.analysis.ResolvedTable;
import org.apache.spark.sql.catalyst.plans.logical.AlterTableCommand;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import scala.Function1;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.BoxedUnit;

/** Refuses an `ALTER TABLE` of struct files after which each query would fail, because files keep the
 * names and types of their columns. Instantiated by Spark for each session whose class path has it, by
 * name.
 */
public final class UndercroftExtensions implements SparkSessionExtensionsProvider {

  /** Called by Spark. */
  public UndercroftExtensions() {}

  @Override
  public BoxedUnit apply(SparkSessionExtensions extensions) {
    Function1<SparkSession, Function1<LogicalPlan, BoxedUnit>> rule = session -> UndercroftExtensions::check;
    extensions.injectCheckRule(rule);
    return BoxedUnit.UNIT;
  }

  private static BoxedUnit check(LogicalPlan plan) {
    if (plan instanceof AlterTableCommand command
        && command.table() instanceof ResolvedTable resolved
        && resolved.table() instanceof StructTable table)
      table.check(CollectionConverters.asJava(command.changes()));
    return BoxedUnit.UNIT;
  }
}
