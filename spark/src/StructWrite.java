package undercroft.spark;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.write.BatchWrite;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.PhysicalWriteInfo;
import org.apache.spark.sql.connector.write.SupportsTruncate;
import org.apache.spark.sql.connector.write.Write;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.apache.spark.util.SerializableConfiguration;
import undercroft.file.format.FolderManifest;

/** A job that writes a folder of sealed files.
 *
 * Tasks write to a staging folder inside it that is not read. At the end the files are renamed,
 * and a {@link TableManifest} adds them to the folder atomically. Before that, and if the job fails, the
 * folder is unchanged.
 */
final class StructWrite implements WriteBuilder, SupportsTruncate, Write, BatchWrite {

  /** How often a commit is retried if other jobs commit first. */
  private static final int ATTEMPTS = 100;

  private final CaseInsensitiveStringMap options;
  private StructType columns;
  private final Configuration conf;
  private final Path folder;
  private final String job;
  private final Path staging;
  private boolean truncate;

  /** Files that have been renamed or are about to be. */
  private List<FolderManifest.Entry> moved = List.of();

  StructWrite(LogicalWriteInfo info) {
    this.options = info.options();
    this.columns = info.schema();
    this.conf = SourceOptions.hadoop(options);
    var paths = SourceOptions.paths(options);
    if (paths.size() != 1)
      throw new IllegalArgumentException("save requires one path, but has " + paths.size() + ": " + paths);
    this.folder = qualified(new Path(paths.getFirst()), conf);
    this.job = info.queryId();
    this.staging = new Path(folder, "_writing-" + job);
  }

  /** The absolute path with its file system, for tasks on other machines. */
  private static Path qualified(Path path, Configuration conf) {
    try {
      return TableFolder.system(path, conf).makeQualified(path);
    } catch (IOException e) {
      throw new IllegalStateException(path + ": cannot be read: " + e.getMessage(), e);
    }
  }

  @Override
  public WriteBuilder truncate() {
    truncate = true;
    return this;
  }

  /** Rejects data that cannot be written before a job runs. */
  @Override
  public Write build() {
    try {
      var system = system();
      boolean exists = system.exists(folder);
      if (exists && !system.getFileStatus(folder).isDirectory())
        throw new IllegalArgumentException(folder + ": save requires a folder, but this is a file");
      // The files of an overwritten folder are deleted: they must be struct files, with any
      // columns.
      var listing = exists ? present(system) : null;
      if (!truncate && listing != null && !listing.partitions().isEmpty())
        throw new IllegalArgumentException(
            folder + ": its files are in partitions of " + listing.partitions().catalogString()
                + ", and Spark cannot append to partitions: add files by FolderChange, or overwrite the folder");
      if (!truncate && listing != null) columns = ColumnMetadata.as(listing.columns(), columns);
      var fields = SchemaMapping.of(columns, options).schema().fields();
      if (!truncate && listing != null)
        SourceFile.same(
            "the data", NullableField.columns(fields), listing.entries().getFirst().source().path(),
            listing.columns());
    } catch (IOException e) {
      throw new IllegalStateException(folder + ": cannot be read: " + e.getMessage(), e);
    }
    return this;
  }

  private FileSystem system() throws IOException {
    return TableFolder.system(folder, conf);
  }

  /** The files in the folder, or null if there are none. */
  private StructFileIndex present(FileSystem system) throws IOException {
    boolean empty =
        TableFolder.seen(
            system, folder,
            statuses -> {
              var commit = TableManifest.in(system, statuses);
              return commit.isPresent()
                  ? commit.get().entries().isEmpty()
                  : TableFolder.all(system, statuses).isEmpty();
            });
    return empty ? null : StructFileIndex.of(options);
  }

  @Override
  public BatchWrite toBatch() {
    return this;
  }

  @Override
  public DataWriterFactory createBatchWriterFactory(PhysicalWriteInfo info) {
    try {
      if (!system().mkdirs(staging)) throw new IOException("it cannot be created");
      return writers();
    } catch (IOException e) {
      throw new IllegalStateException(staging + ": cannot be written: " + e.getMessage(), e);
    }
  }

  private PartWriters writers() throws IOException {
    var plain = new HashMap<>(options.asCaseSensitiveMap());
    if (OpenStructFile.isLocal(folder.getFileSystem(conf)))
      return new PartWriters(columns, plain, staging.toString(), job, null);
    var spark = JavaSparkContext.fromSparkContext(SparkSession.active().sparkContext());
    var broadcast = spark.broadcast(new SerializableConfiguration(conf));
    return new PartWriters(columns, plain, staging.toString(), job, broadcast);
  }

  @Override
  public void commit(WriterCommitMessage[] messages) {
    try {
      commit(system(), entries(messages));
    } catch (IOException e) {
      throw new IllegalStateException(folder + ": cannot be committed: " + e.getMessage(), e);
    }
  }

  private static List<FolderManifest.Entry> entries(WriterCommitMessage[] messages) {
    var entries = new ArrayList<FolderManifest.Entry>();
    for (var message : messages)
      if (message instanceof PartWriter.Written written) entries.addAll(written.entries());
    entries.sort(FolderManifest.ORDER);
    return entries;
  }

  /** Renames the files, which may take long, and then adds them to the current manifest. */
  private void commit(FileSystem system, List<FolderManifest.Entry> written) throws IOException {
    var first = before(system);
    if (written.isEmpty() && (truncate || first.entries().isEmpty()))
      written = writers().writer("part-00000-" + job, 0).empty().entries();
    moved = written;
    for (var entry : written)
      if (!system.rename(new Path(staging, entry.name()), new Path(folder, entry.name())))
        throw new IOException(entry.name() + " cannot be moved into it");
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
      var before = before(system);
      var entries = new ArrayList<FolderManifest.Entry>(truncate ? List.of() : before.entries());
      entries.addAll(written);
      entries.sort(FolderManifest.ORDER);
      var after = new TableManifest(before.number() + 1, entries);
      if (!after.publish(system, folder, job)) continue;
      if (!after.isInTime(system, folder, written))
        throw new IOException(
            "other jobs committed to it more than " + TableManifest.KEPT + " times meanwhile, so the rows of this"
                + " job are not visible: write them again");
      tidy(system, before, after);
      return;
    }
    throw new IOException("other jobs committed to it " + ATTEMPTS + " times meanwhile");
  }

  /** Deletes files that the commit removed from the folder. The job is complete: errors here do not
   * fail it.
   */
  private void tidy(FileSystem system, TableManifest before, TableManifest after) {
    if (truncate)
      for (var entry : before.entries()) TableFolder.remove(system, new Path(folder, entry.name()));
    after.forgetOlder(system, folder);
    TableFolder.remove(system, staging);
  }

  /** The current state of the folder as a manifest: after the first manifest, files that are added
   * without a commit do not belong to the folder.
   */
  private TableManifest before(FileSystem system) throws IOException {
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
      var last = TableFolder.seen(system, folder, statuses -> lastOf(system, statuses));
      if (last.isEmpty()) continue;
      if (isNew() && !last.get().entries().isEmpty())
        throw new IllegalStateException(folder + ": already exists: another job wrote it meanwhile");
      return last.get();
    }
    throw new IOException("its first manifest was not found in " + ATTEMPTS + " attempts");
  }

  /** The current manifest. If there is none, publishes the first one, which takes effect if the
   * next attempt finds it as the current one; another job may have published its own first.
   */
  private Optional<TableManifest> lastOf(FileSystem system, FileStatus[] statuses) throws IOException {
    var last = TableManifest.in(system, statuses);
    if (last.isEmpty()) new TableManifest(0, unlisted(system, statuses)).publish(system, folder, job);
    return last;
  }

  private boolean isNew() {
    return UndercroftSource.NEW.equals(options.get(UndercroftSource.WRITING));
  }

  /** The files of a folder without a manifest. */
  private List<FolderManifest.Entry> unlisted(FileSystem system, FileStatus[] statuses) throws IOException {
    var entries = new ArrayList<FolderManifest.Entry>();
    if (TableFolder.all(system, statuses).isEmpty()) return entries;
    for (var entry : StructFileIndex.of(options).entries()) {
      var source = entry.source();
      var path = new Path(source.path());
      long length = source.isSealed() ? system.getFileStatus(path).getLen() : -1;
      var name = source.partition().isEmpty() ? path.getName() : source.partition() + "/" + path.getName();
      entries.add(new FolderManifest.Entry(length, name));
    }
    return entries;
  }

  /** Deletes the files that the job has written and that are not part of the folder: a failure may
   * follow a successful commit.
   */
  @Override
  public void abort(WriterCommitMessage[] messages) {
    try {
      var system = system();
      if (!moved.isEmpty()) {
        var last = TableManifest.last(system, folder);
        for (var entry : moved)
          if (last.isEmpty() || !last.get().entries().contains(entry))
            TableFolder.remove(system, new Path(folder, entry.name()));
      }
      TableFolder.remove(system, staging);
    } catch (IOException e) {
      throw new IllegalStateException(folder + ": cannot be cleaned up: " + e.getMessage(), e);
    }
  }
}
