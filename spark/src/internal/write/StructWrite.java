package undercroft.spark.internal.write;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.distributions.Distribution;
import org.apache.spark.sql.connector.distributions.Distributions;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.SortDirection;
import org.apache.spark.sql.connector.expressions.SortOrder;
import org.apache.spark.sql.connector.write.BatchWrite;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.connector.write.PhysicalWriteInfo;
import org.apache.spark.sql.connector.write.RequiresDistributionAndOrdering;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.connector.write.streaming.StreamingDataWriterFactory;
import org.apache.spark.sql.connector.write.streaming.StreamingWrite;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.apache.spark.util.SerializableConfiguration;
import undercroft.file.format.internal.folder.FolderManifest;
import undercroft.spark.internal.columns.ColumnNames;
import undercroft.spark.internal.columns.NullableField;
import undercroft.spark.internal.columns.SourceOptions;
import undercroft.spark.internal.folder.OpenStructFile;
import undercroft.spark.internal.folder.SourceFile;
import undercroft.spark.internal.folder.StructFileIndex;

/** A job that writes a folder of sealed files.
 *
 * @param query the id of Spark's query
 * @param columns the columns of the rows
 * @param stored the columns that are stored in files
 * @param partitions the names of the columns whose values are in names of folders
 * @param planned the names of the files that were in the folder when the job was planned beside them;
 *     empty if it replaces all files
 * @param mixesLayouts whether an option states the layout, although the folder had files
 */
public record StructWrite(
    String query, StructType columns, StructType stored, List<String> partitions,
    CaseInsensitiveStringMap options, Configuration conf, Path folder, Replacement replacement, Set<String> planned, boolean mixesLayouts)
    implements RequiresDistributionAndOrdering {

  /** Rows stay in their tasks. */
  @Override
  public Distribution requiredDistribution() {
    return Distributions.unspecified();
  }

  /** A task writes one partition after the other, so it has one open file. */
  @Override
  public SortOrder[] requiredOrdering() {
    return partitions.stream()
        .map(name -> Expressions.sort(Expressions.column(ColumnNames.quoted(name)), SortDirection.ASCENDING))
        .toArray(SortOrder[]::new);
  }

  /** Whether the folder must be empty at the commit, too. */
  public boolean isNew() {
    return SourceOptions.NEW.equals(options.get(SourceOptions.WRITING));
  }

  /** Throws IllegalArgumentException, with the first difference, if the columns, their stored types or
   * the partitions differ from the partitions of files in the folder.
   */
  public void compareWith(StructFileIndex present) {
    var first = present.entries().getFirst().source();
    var names = List.of(present.partitions().fieldNames());
    if (!names.equals(partitions))
      throw new IllegalArgumentException(
          first.path() + ": its partitions are (" + String.join(", ", names) + "), but (" + String.join(", ", partitions)
              + ") in the data");
    var fields = SchemaMapping.of(stored, options).schema().fields();
    var written = NullableField.columns(fields);
    boolean isOfTable = !options.containsKey(SourceOptions.WRITING);
    SourceFile.same("the data", isOfTable ? known(written, present) : written, first.path(), present.stored());
    StoredTypes.check(fields, present.entries());
  }

  /** The columns of a table of the catalog without those that were added to it and are in no file yet, in
   * the order of the files. Throws IllegalArgumentException if such a column may not be null.
   */
  private static StructType known(StructType written, StructFileIndex present) {
    var known = present.stored();
    var names = List.of(known.fieldNames());
    for (var column : written.fields())
      if (!names.contains(column.name()) && !column.nullable())
        throw new IllegalArgumentException(
            "the data: column " + column.name() + " must be nullable, because files of the folder do not have it: "
                + present.entries().getFirst().source().path());
    var own = List.of(written.fieldNames());
    return new StructType(
        Arrays.stream(known.fields())
            .filter(column -> own.contains(column.name()))
            .map(column -> written.apply(column.name()))
            .toArray(StructField[]::new));
  }

  /** Throws IllegalArgumentException if the layout differs from that of files in the folder, unless
   * the job may mix layouts.
   */
  public void compareLayoutWith(StructFileIndex present) {
    var first = present.entries().getFirst();
    var layout = SchemaMapping.of(stored, options).schema().layout();
    if (!mixesLayouts && layout != first.schema().layout())
      throw new IllegalArgumentException(
          first.source().path() + ": its layout is " + SchemaMapping.name(first.schema().layout()) + ", but "
              + SchemaMapping.name(layout) + " in the data");
  }

  public PartWriters writers(Path staging, String job) throws IOException {
    var plain = new HashMap<>(options.asCaseSensitiveMap());
    if (OpenStructFile.isLocal(folder.getFileSystem(conf)))
      return new PartWriters(columns, stored, partitions, plain, staging.toString(), job, null);
    var spark = JavaSparkContext.fromSparkContext(SparkSession.active().sparkContext());
    var broadcast = spark.broadcast(new SerializableConfiguration(conf));
    return new PartWriters(columns, stored, partitions, plain, staging.toString(), job, broadcast);
  }

  /** The same job, which replaces all files. */
  private StructWrite ofAll() {
    return new StructWrite(
        query, columns, stored, partitions, options, conf, folder, Replacement.ALL, Set.of(), mixesLayouts);
  }

  public static List<FolderManifest.Entry> entries(WriterCommitMessage[] messages) {
    var entries = new ArrayList<FolderManifest.Entry>();
    for (var message : messages)
      if (message instanceof PartWriter.Written written) entries.addAll(written.entries());
    entries.sort(FolderManifest.ORDER);
    return entries;
  }

  @Override
  public BatchWrite toBatch() {
    var stream = options.get(SourceOptions.STREAM);
    var commit = stream == null ? FolderCommit.ofJob(this, query) : FolderCommit.ofStream(this, stream);
    return new BatchWrite() {
      @Override
      public DataWriterFactory createBatchWriterFactory(PhysicalWriteInfo physical) {
        return commit.begin();
      }

      @Override
      public void commit(WriterCommitMessage[] messages) {
        if (stream == null) commit.commit(entries(messages));
        else commit.commit(entries(messages), options.getLong(SourceOptions.BATCH, 0));
      }

      @Override
      public void abort(WriterCommitMessage[] messages) {
        commit.abort();
      }
    };
  }

  /** One batch of a stream to a table of the catalog: Spark creates a write for each batch. A batch of
   * mode complete replaces all rows, whatever the mode of overwriting is.
   */
  @Override
  public StreamingWrite toStreaming() {
    var commit =
        FolderCommit.ofStream(replacement == Replacement.WRITTEN_PARTITIONS ? ofAll() : this, query);
    return new StreamingWrite() {
      @Override
      public StreamingDataWriterFactory createStreamingWriterFactory(PhysicalWriteInfo physical) {
        return commit.begin();
      }

      @Override
      public void commit(long batch, WriterCommitMessage[] messages) {
        commit.commit(entries(messages), batch);
      }

      @Override
      public void abort(long batch, WriterCommitMessage[] messages) {
        commit.abort();
      }
    };
  }
}
