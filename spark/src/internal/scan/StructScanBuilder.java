package undercroft.spark.internal.scan;

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
import undercroft.spark.internal.columns.SourceOptions;
import undercroft.spark.internal.folder.FileMetadata;
import undercroft.spark.internal.folder.StructFileIndex;

/** Negotiates with Spark which columns, predicates, limits and aggregates are pushed down.
 *
 * The files are opened on construction, so that errors are reported before a job runs.
 */
public final class StructScanBuilder
    implements SupportsPushDownRequiredColumns,
        SupportsPushDownV2Filters,
        SupportsPushDownLimit,
        SupportsPushDownAggregates {
  private final StructType columns;
  private final StructFileIndex listing;
  private final long splitBytes;
  private final boolean checksums;
  private StructType projection;
  private List<Predicate> predicates = List.of();
  private long limit = Long.MAX_VALUE;
  private Optional<MetadataScan> answer = Optional.empty();

  /** @param isOfTable whether the columns are those of a table of the catalog */
  public StructScanBuilder(StructType columns, CaseInsensitiveStringMap options, boolean isOfTable) {
    this.columns = columns;
    var files = isOfTable ? StructFileIndex.merged(options) : StructFileIndex.of(options);
    this.listing = files.typed(files.names().as(files.columns(), columns));
    listing.check(listing.names().as(listing.columns(), columns), isOfTable);
    this.splitBytes = options.containsKey("splitBytes") ? SourceOptions.count(options, "splitBytes", 1) : 0;
    this.checksums = SourceOptions.flag(options, "checksums", true);
    this.projection = columns;
  }

  @Override
  public void pruneColumns(StructType required) {
    projection = required;
  }

  /** Predicates exclude blocks; Spark evaluates them for the rows of the remaining blocks. */
  @Override
  public Predicate[] pushPredicates(Predicate[] filters) {
    predicates = List.of(filters);
    return filters;
  }

  /** The predicates that can exclude blocks. */
  @Override
  public Predicate[] pushedPredicates() {
    var filters = new ArrayList<Predicate>();
    for (var predicate : predicates) {
      boolean isRanged = false;
      for (var reference : predicate.references())
        isRanged |= listing.ranged(listing.entries().getFirst().schema(), reference.fieldNames()).isPresent();
      if (isRanged) filters.add(predicate);
    }
    return filters.toArray(Predicate[]::new);
  }

  @Override
  public boolean pushLimit(int rows) {
    if (!predicates.isEmpty()) return false;
    limit = rows;
    return true;
  }

  @Override
  public boolean supportCompletePushDown(Aggregation aggregation) {
    return predicates.isEmpty() && MetadataScan.of(listing, aggregation).isPresent();
  }

  @Override
  public boolean pushAggregation(Aggregation aggregation) {
    if (predicates.isEmpty()) answer = MetadataScan.of(listing, aggregation);
    return answer.isPresent();
  }

  @Override
  public Scan build() {
    if (answer.isPresent()) return answer.get();
    var marked = FileMetadata.mark(projection, columns, listing.names());
    return new StructScan(listing, projection, listing.names().as(listing.columns(), marked), predicates, limit, splitBytes, checksums);
  }
}
