package undercroft.spark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.Statistics;
import org.apache.spark.sql.connector.read.SupportsReportStatistics;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.SerializableConfiguration;
import undercroft.file.Layout;
import undercroft.file.Range;
import undercroft.file.Schema;

/** Some columns of some files, without the blocks in which the predicates cannot hold. */
final class StructScan implements Scan, Batch, SupportsReportStatistics {

  /** Bytes of a split at the most, and at the least where there are fewer processors than data. */
  private static final long MOST_BYTES = 128L << 20;

  private static final long LEAST_BYTES = 4L << 20;

  private final Listing listing;
  private final StructType wanted;
  private final List<Predicate> predicates;
  private final long limit;
  private final long splitBytes;
  private final List<Piece> pieces;

  /**
   * @param limit
   *     as many rows as are needed
   * @param splitBytes
   *     of a split at the most, or 0 for what fits the processors
   */
  StructScan(
      Listing listing, StructType wanted, List<Predicate> predicates, long limit, long splitBytes) {
    this.listing = listing;
    this.wanted = wanted;
    this.predicates = predicates;
    this.limit = limit;
    this.splitBytes = splitBytes;
    this.pieces = pieces();
  }

  /** What may have rows that are wanted, of the first files as many as the limit is. */
  private List<Piece> pieces() {
    var found = new ArrayList<Piece>();
    long left = limit;
    for (var entry : listing.entries()) {
      for (var piece : pieces(entry)) {
        if (left == 0) return found;
        long rows = Math.min(left, piece.rows());
        found.add(new Piece(piece.source(), piece.from(), piece.from() + rows));
        left -= rows;
      }
    }
    return found;
  }

  private List<Piece> pieces(Listing.Entry entry) {
    var source = entry.source();
    if (source.rows() == 0) return List.of();
    var columns = new HashMap<String, List<Bounds>>();
    for (var predicate : predicates)
      for (var reference : predicate.references()) columns.put(reference.describe(), null);
    if (source.isSealed() && !columns.isEmpty()) {
      try (var opened = source.open(listing.conf())) {
        List<Range> blocks = null;
        for (var predicate : predicates)
          for (var reference : predicate.references()) {
            var leaf = Listing.ranged(entry.schema(), reference.fieldNames());
            if (leaf.isEmpty()) continue;
            blocks = opened.file().ranges(leaf.get().dotted());
            var bounds = blocks.stream().map(range -> Bounds.of(range, leaf.get().type())).toList();
            columns.put(reference.describe(), bounds);
          }
        if (blocks != null) return pieces(source, blocks, columns);
      }
    }
    return List.of(new Piece(source, 0, source.rows()));
  }

  private List<Piece> pieces(
      Source source, List<Range> blocks, Map<String, List<Bounds>> columns) {
    var found = new ArrayList<Piece>();
    for (int i = 0; i < blocks.size(); i++) {
      int block = i;
      if (!predicates.stream().allMatch(one -> Pruning.may(one, true, bounds(columns, block)))) continue;
      long from = blocks.get(i).from();
      long until = blocks.get(i).until();
      if (!found.isEmpty() && found.getLast().until() == from)
        from = found.removeLast().from();
      found.add(new Piece(source, from, until));
    }
    return found;
  }

  private static Function<NamedReference, Bounds> bounds(
      Map<String, List<Bounds>> columns, int block) {
    return reference -> {
      var all = columns.get(reference.describe());
      return all == null ? null : all.get(block);
    };
  }

  @Override
  public StructType readSchema() {
    return wanted;
  }

  @Override
  public String description() {
    var all = listing.entries();
    var files = all.getFirst().source().path() + (all.size() == 1 ? "" : " and " + (all.size() - 1) + " more");
    var said = new StringBuilder("undercroft ").append(files).append(" ").append(wanted.catalogString());
    if (!predicates.isEmpty()) said.append(", where ").append(predicates);
    if (limit != Long.MAX_VALUE) said.append(", limit ").append(limit);
    return said.append(", ").append(rows()).append(" of ").append(listing.rows()).append(" rows").toString();
  }

  @Override
  public Batch toBatch() {
    return this;
  }

  /** Rows that are read. */
  private long rows() {
    return pieces.stream().mapToLong(Piece::rows).sum();
  }

  /** Bytes that are read of each row of a file. */
  private long bytesPerRow(Schema schema) {
    var leaves = Vectors.leaves(schema, wanted);
    if (schema.layout() != Layout.COLUMNS) return leaves.isEmpty() ? 0 : schema.stride();
    return leaves.stream().mapToLong(leaf -> leaf.type().size()).sum();
  }

  private Map<Source, Long> bytesPerRow() {
    var bytes = new HashMap<Source, Long>();
    for (var entry : listing.entries()) bytes.put(entry.source(), bytesPerRow(entry.schema()));
    return bytes;
  }

  private long bytes() {
    var each = bytesPerRow();
    return pieces.stream().mapToLong(piece -> piece.rows() * each.get(piece.source())).sum();
  }

  @Override
  public InputPartition[] planInputPartitions() {
    var each = bytesPerRow();
    int processors = SparkSession.active().sparkContext().defaultParallelism();
    long fair = Math.ceilDiv(bytes(), Math.max(1, processors));
    long most = splitBytes > 0 ? splitBytes : Math.clamp(fair, LEAST_BYTES, MOST_BYTES);
    // Limited rows are few: one task reads them.
    if (limit != Long.MAX_VALUE && splitBytes == 0) most = Math.max(most, bytes());
    return Piece.splits(pieces, each::get, most).toArray(InputPartition[]::new);
  }

  @Override
  public PartitionReaderFactory createReaderFactory() {
    if (listing.entries().stream().allMatch(entry -> entry.source().isLocal()))
      return new SplitReaders(wanted, null);
    var spark = JavaSparkContext.fromSparkContext(SparkSession.active().sparkContext());
    return new SplitReaders(wanted, spark.broadcast(new SerializableConfiguration(listing.conf())));
  }

  @Override
  public Statistics estimateStatistics() {
    return new Statistics() {
      @Override
      public OptionalLong sizeInBytes() {
        return OptionalLong.of(bytes());
      }

      @Override
      public OptionalLong numRows() {
        return OptionalLong.of(rows());
      }
    };
  }

  /** What reads the same: Spark then reads it once. */
  @Override
  public boolean equals(Object other) {
    return other instanceof StructScan scan
        && listing.entries().equals(scan.listing.entries())
        && wanted.equals(scan.wanted)
        && pieces.equals(scan.pieces)
        && splitBytes == scan.splitBytes;
  }

  @Override
  public int hashCode() {
    return Arrays.asList(wanted, pieces).hashCode();
  }
}
