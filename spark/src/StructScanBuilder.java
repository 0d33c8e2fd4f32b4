package undercroft.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.SupportsPushDownAggregates;
import org.apache.spark.sql.connector.read.SupportsPushDownLimit;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.connector.read.SupportsPushDownV2Filters;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** What Spark wants of the files: it is asked here how much of that they know themselves.
 *
 * The files are opened when this is made, so that what is wrong with one fails before a job runs.
 */
final class StructScanBuilder
    implements SupportsPushDownRequiredColumns,
        SupportsPushDownV2Filters,
        SupportsPushDownLimit,
        SupportsPushDownAggregates {
  private final Listing listing;
  private final long splitBytes;
  private StructType wanted;
  private List<Predicate> predicates = List.of();
  private long limit = Long.MAX_VALUE;
  private Optional<Answer> answer = Optional.empty();

  StructScanBuilder(StructType columns, CaseInsensitiveStringMap options) {
    this.listing = Listing.of(options);
    listing.check(columns);
    this.splitBytes = options.containsKey("splitBytes") ? Asked.count(options, "splitBytes", 1) : 0;
    this.wanted = columns;
  }

  @Override
  public void pruneColumns(StructType required) {
    wanted = required;
  }

  /** Blocks that have no such row are left out; Spark looks at the rows of the others. */
  @Override
  public Predicate[] pushPredicates(Predicate[] all) {
    predicates = List.of(all);
    return all;
  }

  /** Those that leave blocks out. */
  @Override
  public Predicate[] pushedPredicates() {
    var some = new ArrayList<Predicate>();
    for (var predicate : predicates) {
      boolean known = false;
      for (var reference : predicate.references())
        known |= Listing.ranged(listing.entries().getFirst().schema(), reference.fieldNames()).isPresent();
      if (known) some.add(predicate);
    }
    return some.toArray(Predicate[]::new);
  }

  @Override
  public boolean pushLimit(int rows) {
    if (!predicates.isEmpty()) return false;
    limit = rows;
    return true;
  }

  @Override
  public boolean supportCompletePushDown(Aggregation asked) {
    return predicates.isEmpty() && Answer.of(listing, asked).isPresent();
  }

  @Override
  public boolean pushAggregation(Aggregation asked) {
    if (predicates.isEmpty()) answer = Answer.of(listing, asked);
    return answer.isPresent();
  }

  @Override
  public Scan build() {
    if (answer.isPresent()) return answer.get();
    return new StructScan(listing, wanted, predicates, limit, splitBytes);
  }
}
