package undercroft.spark.internal.scan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.Statistics;
import org.apache.spark.sql.connector.read.SupportsReportStatistics;
import org.apache.spark.sql.connector.read.SupportsRuntimeV2Filtering;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.SerializableConfiguration;
import undercroft.file.format.FileLayout;
import undercroft.file.format.BlockStatistics;
import undercroft.file.format.Schema;
import undercroft.spark.internal.columns.ColumnNames;
import undercroft.spark.internal.folder.ColumnRange;
import undercroft.spark.internal.folder.PartitionColumns;
import undercroft.spark.internal.folder.SealedFiles;
import undercroft.spark.internal.folder.SourceFile;
import undercroft.spark.internal.folder.StructFileIndex;
import undercroft.spark.internal.vectors.Vectors;

/** A scan of columns of files, which skips the blocks that the predicates exclude. */
public final class StructScan implements Scan, Batch, SupportsReportStatistics, SupportsRuntimeV2Filtering {

  /** The largest size of a split in bytes, and the smallest if there are more cores than data. */
  private static final long MOST_BYTES = 128L << 20;

  private static final long LEAST_BYTES = 4L << 20;

  private final StructFileIndex listing;
  private final StructType readSchema;
  private final StructType projection;
  private final List<Predicate> predicates;
  private final long limit;
  private final long splitBytes;
  private final boolean checksums;
  private final List<FileSplit> pieces;

  /** The pieces that the values of a join's other side do not exclude, either. */
  private List<FileSplit> joined;

  /** @param readSchema the requested columns
   * @param projection the same columns by their names in the files
   * @param limit the most rows that are needed
   * @param splitBytes the most bytes of a split, or 0 to divide the data among the cores
   * @param checksums whether to compare blocks of sealed files with their checksums before
   *     reading them
   */
  public StructScan(
      StructFileIndex listing, StructType readSchema, StructType projection, List<Predicate> predicates, long limit,
      long splitBytes, boolean checksums) {
    this.listing = listing;
    this.readSchema = readSchema;
    this.projection = projection;
    this.predicates = predicates;
    this.limit = limit;
    this.splitBytes = splitBytes;
    this.checksums = checksums;
    this.pieces = pieces();
    this.joined = pieces;
  }

  /** The row ranges that the predicates do not exclude, from the first files, up to the limit. */
  private List<FileSplit> pieces() {
    var ranges = new ArrayList<FileSplit>();
    long left = limit;
    for (var entry : listing.entries()) {
      for (var piece : pieces(entry)) {
        if (left == 0) return ranges;
        long rows = Math.min(left, piece.rows());
        ranges.add(new FileSplit(piece.source(), piece.from(), piece.from() + rows));
        left -= rows;
      }
    }
    return ranges;
  }

  private List<FileSplit> pieces(StructFileIndex.Entry entry) {
    var source = entry.source();
    if (source.rows() == 0 || !isPartitionWanted(source, predicates)) return List.of();
    var columns = new HashMap<String, List<ColumnRange>>();
    for (var predicate : predicates)
      for (var reference : predicate.references()) columns.put(reference.describe(), null);
    if (source.isSealed() && !columns.isEmpty()) {
      List<BlockStatistics> blocks = null;
      for (var predicate : predicates)
        for (var reference : predicate.references()) {
          var leaf = listing.ranged(entry.schema(), reference.fieldNames());
          if (leaf.isEmpty()) continue;
          blocks = SealedFiles.statistics(source, leaf.get(), listing.conf());
          var bounds = blocks.stream().map(range -> ColumnRange.of(range, leaf.get().type())).toList();
          columns.put(reference.describe(), bounds);
        }
      if (blocks != null) return pieces(source, blocks, columns);
    }
    return List.of(new FileSplit(source, 0, source.rows()));
  }

  /** Whether the predicates may hold for the partition of a file. */
  private boolean isPartitionWanted(SourceFile source, List<Predicate> predicates) {
    if (source.partition().isEmpty()) return true;
    Function<NamedReference, ColumnRange> values =
        reference -> {
          if (reference.fieldNames().length != 1) return null;
          int index = listing.names().indexOf(listing.partitions(), reference.fieldNames()[0]);
          return index < 0 ? null : PartitionColumns.range(source, listing.partitions().fields()[index]);
        };
    return predicates.stream().allMatch(predicate -> Pruning.may(predicate, true, values));
  }

  private List<FileSplit> pieces(
      SourceFile source, List<BlockStatistics> blocks, Map<String, List<ColumnRange>> columns) {
    var ranges = new ArrayList<FileSplit>();
    for (int i = 0; i < blocks.size(); i++) {
      int block = i;
      if (!predicates.stream().allMatch(predicate -> Pruning.may(predicate, true, bounds(columns, block)))) continue;
      long from = blocks.get(i).from();
      long until = blocks.get(i).until();
      if (!ranges.isEmpty() && ranges.getLast().until() == from)
        from = ranges.removeLast().from();
      ranges.add(new FileSplit(source, from, until));
    }
    return ranges;
  }

  private static Function<NamedReference, ColumnRange> bounds(
      Map<String, List<ColumnRange>> columns, int block) {
    return reference -> {
      var blocks = columns.get(reference.describe());
      return blocks == null ? null : blocks.get(block);
    };
  }

  /** The columns of partitions that are read: the values of a join's other side exclude files by them. */
  @Override
  public NamedReference[] filterAttributes() {
    return Arrays.stream(readSchema.fieldNames())
        .filter(name -> listing.names().indexOf(listing.partitions(), name) >= 0)
        .map(name -> Expressions.column(ColumnNames.quoted(name)))
        .toArray(NamedReference[]::new);
  }

  /** Replaces the predicates of an earlier call. */
  @Override
  public void filter(Predicate[] predicates) {
    joined = pieces.stream().filter(piece -> isPartitionWanted(piece.source(), List.of(predicates))).toList();
  }

  @Override
  public StructType readSchema() {
    return readSchema;
  }

  @Override
  public String description() {
    var entries = listing.entries();
    var files =
        entries.getFirst().source().path()
            + (entries.size() == 1 ? "" : " and " + (entries.size() - 1) + " more");
    var text = new StringBuilder("undercroft ").append(files).append(" ").append(readSchema.catalogString());
    if (!predicates.isEmpty()) text.append(", where ").append(predicates);
    if (limit != Long.MAX_VALUE) text.append(", limit ").append(limit);
    return text.append(", ").append(rows()).append(" of ").append(listing.rows()).append(" rows").toString();
  }

  @Override
  public Batch toBatch() {
    return this;
  }

  /** The rows to read. */
  private long rows() {
    return pieces.stream().mapToLong(FileSplit::rows).sum();
  }

  /** The bytes read for each row of a file. */
  private long bytesPerRow(Schema schema) {
    var leaves = Vectors.leaves(schema, SourceFile.stored(SourceFile.inFile(projection, schema, listing.names())));
    if (schema.layout() != FileLayout.COLUMNS) return leaves.isEmpty() ? 0 : schema.stride();
    return leaves.stream().mapToLong(leaf -> leaf.type().size()).sum();
  }

  private Map<SourceFile, Long> bytesPerRow() {
    var bySchema = new IdentityHashMap<Schema, Long>();
    var bytes = new HashMap<SourceFile, Long>();
    for (var entry : listing.entries())
      bytes.put(entry.source(), bySchema.computeIfAbsent(entry.schema(), this::bytesPerRow));
    return bytes;
  }

  private long bytes() {
    var rowBytes = bytesPerRow();
    return pieces.stream().mapToLong(piece -> piece.rows() * rowBytes.get(piece.source())).sum();
  }

  @Override
  public InputPartition[] planInputPartitions() {
    var rowBytes = bytesPerRow();
    int processors = SparkSession.active().sparkContext().defaultParallelism();
    long fair = Math.ceilDiv(bytes(), Math.max(1, processors));
    long maxBytes = splitBytes > 0 ? splitBytes : Math.clamp(fair, LEAST_BYTES, MOST_BYTES);
    // A limited scan is small: one task reads it.
    if (limit != Long.MAX_VALUE && splitBytes == 0) maxBytes = Math.max(maxBytes, bytes());
    return FileSplit.splits(joined, rowBytes::get, maxBytes).toArray(InputPartition[]::new);
  }

  @Override
  public PartitionReaderFactory createReaderFactory() {
    if (listing.entries().stream().allMatch(entry -> entry.source().isLocal()))
      return new SplitReaders(projection, listing.names(), null, checksums);
    var spark = JavaSparkContext.fromSparkContext(SparkSession.active().sparkContext());
    return new SplitReaders(
        projection, listing.names(), spark.broadcast(new SerializableConfiguration(listing.conf())), checksums);
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

  /** Equal scans are executed once by Spark. */
  @Override
  public boolean equals(Object other) {
    return other instanceof StructScan scan
        && listing.entries().equals(scan.listing.entries())
        && readSchema.equals(scan.readSchema)
        && projection.equals(scan.projection)
        && pieces.equals(scan.pieces)
        && splitBytes == scan.splitBytes
        && checksums == scan.checksums;
  }

  @Override
  public int hashCode() {
    return Arrays.asList(projection, pieces).hashCode();
  }
}
