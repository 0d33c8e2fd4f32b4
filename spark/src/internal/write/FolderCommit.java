package undercroft.spark.internal.write;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedByInterruptException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.hadoop.fs.FSError;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import undercroft.file.format.internal.folder.FolderManifest;
import undercroft.spark.internal.columns.SourceOptions;
import undercroft.spark.internal.folder.StructFileIndex;
import undercroft.spark.internal.folder.TableFolder;
import undercroft.spark.internal.folder.TableManifest;

/** The commit of a job's files to a folder.
 *
 * Tasks write to a staging folder inside it that is not read. At the end the files are renamed,
 * and a {@link TableManifest} adds them to the folder atomically. Before that, and if the job fails, the
 * folder is unchanged.
 */
public final class FolderCommit {

  /** How often a commit is retried if other jobs commit first. */
  private static final int ATTEMPTS = 100;

  /** How often a file is moved again if the empty folder of its partition is deleted meanwhile. */
  private static final int MOVES = 100;

  private static final String STAGING = "_writing-";

  private final StructWrite write;
  private final Path folder;

  /** The id of the stream's query; empty for a job. */
  private final String query;

  /** The part of the names of files and folders that is unique to the job. */
  private final String job;

  private final Path staging;

  /** Files that have been renamed or are about to be. */
  private List<FolderManifest.Entry> moved = List.of();

  private FolderCommit(StructWrite write, String query, String job) {
    this.write = write;
    this.folder = write.folder();
    this.query = query;
    this.job = job;
    this.staging = new Path(folder, STAGING + job);
  }

  /** The commit of a job. */
  public static FolderCommit ofJob(StructWrite write, String id) {
    return new FolderCommit(write, "", id);
  }

  /** The commit of a batch of a stream, whose files have names that no earlier attempt has used.
   *
   * @param query the id of the query, which is the same after a restart
   */
  public static FolderCommit ofStream(StructWrite write, String query) {
    return new FolderCommit(write, query, query + "-" + UUID.randomUUID().toString().substring(0, 8));
  }

  private FileSystem system() throws IOException {
    return TableFolder.system(folder, write.conf());
  }

  /** Creates the staging folder, and the writers that tasks write to it by. */
  public PartWriters begin() {
    try {
      var system = system();
      if (!query.isEmpty()) removeEarlier(system);
      if (!system.mkdirs(staging)) throw new IOException("it cannot be created");
      return write.writers(staging, job);
    } catch (IOException e) {
      throw failure(staging, "written", e);
    }
  }

  /** A step of a job. */
  private interface Step {
    void run() throws IOException;
  }

  /** Runs a step, also on a thread that was interrupted before: a cancelled job must not stop halfway.
   *
   * @param goal the participle for the message of an I/O error
   */
  private void run(String goal, Step step) {
    boolean wasInterrupted = Thread.interrupted();
    try {
      step.run();
    } catch (IOException e) {
      throw failure(folder, goal, e);
    } catch (FSError e) { // by which Hadoop reports I/O errors of local files
      if (e.getCause() instanceof IOException cause) throw failure(folder, goal, cause);
      throw e;
    } finally {
      if (wasInterrupted) Thread.currentThread().interrupt();
    }
  }

  /** The exception for an I/O error: an UncheckedIOException if it is an interrupt, by which Spark
   * recognizes that a query was stopped, and otherwise an IllegalStateException.
   */
  private static RuntimeException failure(Path path, String goal, IOException error) {
    boolean isClosed = error instanceof ClosedByInterruptException;
    var message = path + ": cannot be " + goal + ": " + (isClosed ? "the thread was interrupted" : error.getMessage());
    boolean isInterrupt =
        isClosed || error instanceof InterruptedIOException && !(error instanceof SocketTimeoutException);
    return isInterrupt
        ? new UncheckedIOException(message, error)
        : new IllegalStateException(message, error);
  }

  /** Deletes the staging folders of earlier attempts of the stream: only one runs at a time, and one
   * that still runs fails.
   */
  private void removeEarlier(FileSystem system) throws IOException {
    if (!system.exists(folder)) return;
    for (var status : system.listStatus(folder))
      if (status.getPath().getName().startsWith(STAGING + query + "-")) TableFolder.remove(system, status.getPath());
  }

  /** Renames the files, which may take long, and then adds them to the current manifest. */
  public void commit(List<FolderManifest.Entry> written) {
    commit(written, Optional.empty());
  }

  /** Commits a batch of a stream, unless it is in the folder already: after a crash between a commit
   * and its record in the checkpoint, Spark repeats the batch.
   */
  public void commit(List<FolderManifest.Entry> written, long batch) {
    commit(written, Optional.of(new FolderManifest.Stream(query, batch)));
  }

  private void commit(List<FolderManifest.Entry> written, Optional<FolderManifest.Stream> stream) {
    run("committed", () -> commit(system(), written, stream));
  }

  private static boolean isRepeated(TableManifest manifest, Optional<FolderManifest.Stream> stream) {
    return stream.isPresent() && manifest.plain().lastBatch(stream.get().query()) >= stream.get().batch();
  }

  private void commit(FileSystem system, List<FolderManifest.Entry> written, Optional<FolderManifest.Stream> stream)
      throws IOException {
    var first = before(system);
    boolean changesNothing =
        written.isEmpty() && remaining(first, written).equals(first.entries()) && !first.entries().isEmpty();
    if (isRepeated(first, stream) || stream.isPresent() && changesNothing) {
      TableFolder.remove(system, staging);
      return;
    }
    if (written.isEmpty() && remaining(first, written).isEmpty())
      written = write.writers(staging, job).writer("part-00000-" + job, 0).empty().entries();
    moved = written;
    for (var entry : written) move(system, entry);
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
      var before = before(system);
      if (isRepeated(before, stream)) {
        abort();
        return;
      }
      var entries = remaining(before, written);
      compare(entries);
      entries.addAll(written);
      entries.sort(FolderManifest.ORDER);
      var streams = stream.map(before.plain()::streamsAfter).orElse(before.streams());
      var after = new TableManifest(before.number() + 1, entries, streams);
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

  /** Compares the job's columns with the columns of a file that another job has added since the job
   * was planned: it may have written the first files, or replaced all, and then in another layout.
   */
  private void compare(List<FolderManifest.Entry> remaining) {
    var added = remaining.stream().filter(entry -> !write.planned().contains(entry.name())).findFirst();
    if (added.isEmpty()) return;
    var path = TableFolder.child(folder, added.get().name());
    var file = new TableFolder.TableFile(path, added.get().partition(), added.get().length(), -1, null);
    boolean isOfOthers = remaining.stream().noneMatch(entry -> write.planned().contains(entry.name()));
    try {
      boolean merges = SourceOptions.flag(write.options(), "mergeSchema", false);
      var present = merges ? StructFileIndex.of(write.options()) : StructFileIndex.of(file, write.conf());
      write.compareWith(present);
      if (isOfOthers) write.compareLayoutWith(present);
    } catch (IllegalArgumentException e) {
      throw new IllegalStateException(folder + ": another job wrote it meanwhile: " + e.getMessage(), e);
    }
  }

  /** The files of a manifest that the job does not replace. */
  private ArrayList<FolderManifest.Entry> remaining(TableManifest before, List<FolderManifest.Entry> written) {
    var partitions = new HashSet<String>();
    for (var entry : written) partitions.add(entry.partition());
    var remaining = new ArrayList<>(before.entries());
    remaining.removeIf(entry -> write.replacement().replaces(entry, partitions));
    return remaining;
  }

  private void move(FileSystem system, FolderManifest.Entry entry) throws IOException {
    var from = new Path(staging, PartWriter.fileName(entry));
    var to = TableFolder.child(folder, entry.name());
    for (int attempt = 1; ; attempt++) {
      if (!entry.partition().isEmpty()) system.mkdirs(to.getParent());
      try {
        if (system.rename(from, to)) return;
      } catch (FileNotFoundException e) {
        // Commits delete the folders of partitions that have become empty.
      }
      if (entry.partition().isEmpty() || attempt == MOVES || system.exists(to.getParent()))
        throw new IOException(entry.name() + " cannot be moved into it");
    }
  }

  /** Deletes files that the commit removed from the folder. The job is complete: errors here do not
   * fail it.
   */
  private void tidy(FileSystem system, TableManifest before, TableManifest after) {
    var names = new HashSet<String>();
    for (var entry : after.entries()) names.add(entry.name());
    for (var entry : before.entries()) if (!names.contains(entry.name())) TableFolder.remove(system, folder, entry);
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
      if (write.isNew() && !last.get().entries().isEmpty())
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

  /** The files of a folder without a manifest. */
  private List<FolderManifest.Entry> unlisted(FileSystem system, FileStatus[] statuses) throws IOException {
    var entries = new ArrayList<FolderManifest.Entry>();
    if (TableFolder.all(system, statuses).isEmpty()) return entries;
    for (var entry : StructFileIndex.each(write.options())) {
      var source = entry.source();
      long length = source.isSealed() ? system.getFileStatus(new Path(source.path())).getLen() : -1;
      entries.add(new FolderManifest.Entry(length, entry.name()));
    }
    return entries;
  }

  /** Deletes the files that the job has written and that are not part of the folder: a failure may
   * follow a successful commit.
   */
  public void abort() {
    run("cleaned up", () -> {
      var system = system();
      if (!moved.isEmpty()) {
        var last = TableManifest.last(system, folder);
        for (var entry : moved)
          if (last.isEmpty() || !last.get().entries().contains(entry)) TableFolder.remove(system, folder, entry);
      }
      TableFolder.remove(system, staging);
    });
  }
}
