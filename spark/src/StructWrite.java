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

/** A job that writes a folder of sealed files.
 *
 * Tasks write into a folder in it that nobody reads. At the end the files are given their names, and
 * a {@link Commit} makes them, all at once, those of the folder. Before it, and where it fails, the
 * folder is what it was.
 */
final class StructWrite implements WriteBuilder, SupportsTruncate, Write, BatchWrite {

  /** How often a commit is tried that others overtake. */
  private static final int ATTEMPTS = 100;

  private final CaseInsensitiveStringMap options;
  private StructType columns;
  private final Configuration conf;
  private final Path folder;
  private final String job;
  private final Path staging;
  private boolean truncate;

  /** Files that have come to their names, or are about to. */
  private List<Commit.Entry> moved = List.of();

  StructWrite(LogicalWriteInfo info) {
    this.options = info.options();
    this.columns = info.schema();
    this.conf = Asked.hadoop(options);
    var paths = Asked.paths(options);
    if (paths.size() != 1)
      throw new IllegalArgumentException("save takes one path, and not " + paths.size() + ": " + paths);
    this.folder = qualified(new Path(paths.getFirst()), conf);
    this.job = info.queryId();
    this.staging = new Path(folder, "_writing-" + job);
  }

  /** With its file system, and from the root: tasks may run elsewhere. */
  private static Path qualified(Path path, Configuration conf) {
    try {
      return Folder.system(path, conf).makeQualified(path);
    } catch (IOException e) {
      throw new IllegalStateException(path + ": cannot be read: " + e.getMessage(), e);
    }
  }

  @Override
  public WriteBuilder truncate() {
    truncate = true;
    return this;
  }

  /** Refuses what cannot be written, before a job runs. */
  @Override
  public Write build() {
    try {
      var system = system();
      boolean exists = system.exists(folder);
      if (exists && !system.getFileStatus(folder).isDirectory())
        throw new IllegalArgumentException(folder + ": a folder is written, and this is a file");
      // An overwritten folder's files are deleted: they have to be struct files, of any columns.
      var listing = exists ? present(system) : null;
      if (!truncate && listing != null) columns = Kept.as(listing.columns(), columns);
      var fields = Fitting.of(columns, options).schema().fields();
      if (!truncate && listing != null)
        Source.same(
            "the data", Part.columns(fields), listing.entries().getFirst().source().path(),
            listing.columns());
    } catch (IOException e) {
      throw new IllegalStateException(folder + ": cannot be read: " + e.getMessage(), e);
    }
    return this;
  }

  private FileSystem system() throws IOException {
    return Folder.system(folder, conf);
  }

  /** What is in the folder, or null where nothing is. */
  private Listing present(FileSystem system) throws IOException {
    boolean empty =
        Folder.seen(
            system, folder,
            statuses -> {
              var commit = Commit.in(system, statuses);
              return commit.isPresent()
                  ? commit.get().entries().isEmpty()
                  : Folder.all(statuses).isEmpty();
            });
    return empty ? null : Listing.of(options);
  }

  @Override
  public BatchWrite toBatch() {
    return this;
  }

  @Override
  public DataWriterFactory createBatchWriterFactory(PhysicalWriteInfo info) {
    try {
      if (!system().mkdirs(staging)) throw new IOException("it cannot be made");
      return writers();
    } catch (IOException e) {
      throw new IllegalStateException(staging + ": cannot be written: " + e.getMessage(), e);
    }
  }

  private PartWriters writers() throws IOException {
    var plain = new HashMap<>(options.asCaseSensitiveMap());
    if (Opened.isLocal(folder.getFileSystem(conf)))
      return new PartWriters(columns, plain, staging.toString(), job, null);
    var spark = JavaSparkContext.fromSparkContext(SparkSession.active().sparkContext());
    var known = spark.broadcast(new SerializableConfiguration(conf));
    return new PartWriters(columns, plain, staging.toString(), job, known);
  }

  @Override
  public void commit(WriterCommitMessage[] messages) {
    try {
      commit(system(), entries(messages));
    } catch (IOException e) {
      throw new IllegalStateException(folder + ": cannot be committed: " + e.getMessage(), e);
    }
  }

  private static List<Commit.Entry> entries(WriterCommitMessage[] messages) {
    var entries = new ArrayList<Commit.Entry>();
    for (var message : messages)
      if (message instanceof PartWriter.Written written) entries.addAll(written.entries());
    entries.sort(Commit.ORDER);
    return entries;
  }

  /** Gives the files their names, which may take long, and then adds them to the list that holds. */
  private void commit(FileSystem system, List<Commit.Entry> written) throws IOException {
    var first = before(system);
    if (written.isEmpty() && (truncate || first.entries().isEmpty()))
      written = writers().writer("part-00000-" + job).empty().entries();
    moved = written;
    for (var entry : written)
      if (!system.rename(new Path(staging, entry.name()), new Path(folder, entry.name())))
        throw new IOException(entry.name() + " cannot be moved into it");
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
      var before = before(system);
      var entries = new ArrayList<Commit.Entry>(truncate ? List.of() : before.entries());
      entries.addAll(written);
      entries.sort(Commit.ORDER);
      var after = new Commit(before.number() + 1, entries);
      if (!after.publish(system, folder, job)) continue;
      if (!after.isInTime(system, folder, written))
        throw new IOException(
            "others have committed to it more than " + Commit.KEPT + " times at that moment, and nobody sees"
                + " what this job has written: write it again");
      tidy(system, before, after);
      return;
    }
    throw new IOException("others have committed to it " + ATTEMPTS + " times meanwhile");
  }

  /** Deletes what is no part of the folder since a commit. The job has done its work: nothing that
   * goes wrong here makes it fail.
   */
  private void tidy(FileSystem system, Commit before, Commit after) {
    if (truncate)
      for (var entry : before.entries()) Folder.remove(system, new Path(folder, entry.name()));
    after.forgetOlder(system, folder);
    Folder.remove(system, staging);
  }

  /** What the folder is now, as a commit: from the first one on, files that come to it are no part of
   * it.
   */
  private Commit before(FileSystem system) throws IOException {
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
      var last = Folder.seen(system, folder, statuses -> lastOf(system, statuses));
      if (last.isEmpty()) continue;
      if (isNew() && !last.get().entries().isEmpty())
        throw new IllegalStateException(folder + ": exists already: another job has written it meanwhile");
      return last.get();
    }
    throw new IOException("its first list was not found " + ATTEMPTS + " times");
  }

  /** The list that holds. Where there is none, the first one is published: it counts if it is found
   * then as the one that holds, whose ever it is.
   */
  private Optional<Commit> lastOf(FileSystem system, FileStatus[] statuses) throws IOException {
    var last = Commit.in(system, statuses);
    if (last.isEmpty()) new Commit(0, unlisted(system, statuses)).publish(system, folder, job);
    return last;
  }

  private boolean isNew() {
    return UndercroftSource.NEW.equals(options.get(UndercroftSource.WRITING));
  }

  /** The files of a folder that nobody has committed to. */
  private List<Commit.Entry> unlisted(FileSystem system, FileStatus[] statuses) throws IOException {
    var entries = new ArrayList<Commit.Entry>();
    if (Folder.all(statuses).isEmpty()) return entries;
    for (var entry : Listing.of(options).entries()) {
      var source = entry.source();
      var path = new Path(source.path());
      long length = source.isSealed() ? system.getFileStatus(path).getLen() : -1;
      entries.add(new Commit.Entry(length, path.getName()));
    }
    return entries;
  }

  /** Deletes what the job has written, but for what is a part of the folder: whatever failed after the
   * files were listed.
   */
  @Override
  public void abort(WriterCommitMessage[] messages) {
    try {
      var system = system();
      if (!moved.isEmpty()) {
        var last = Commit.last(system, folder);
        for (var entry : moved)
          if (last.isEmpty() || !last.get().entries().contains(entry))
            Folder.remove(system, new Path(folder, entry.name()));
      }
      Folder.remove(system, staging);
    } catch (IOException e) {
      throw new IllegalStateException(folder + ": cannot be cleaned up: " + e.getMessage(), e);
    }
  }
}
