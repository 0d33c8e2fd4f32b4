package undercroft.spark.internal.folder;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import undercroft.file.format.internal.folder.FolderManifest;

/** The {@link FolderManifest} of a folder on any file system.
 */
public record TableManifest(long number, List<FolderManifest.Entry> entries, List<FolderManifest.Stream> streams) {
  private static final Logger LOG = LoggerFactory.getLogger(TableManifest.class);

  /** The number of older manifests that are kept: a reader of one has that many commits of time. */
  public static final int KEPT = FolderManifest.KEPT;

  /** A manifest without streams. */
  public TableManifest(long number, List<FolderManifest.Entry> entries) {
    this(number, entries, List.of());
  }

  /** The names of the files. */
  public Set<String> names() {
    return entries.stream().map(FolderManifest.Entry::name).collect(Collectors.toUnmodifiableSet());
  }

  /** The same manifest as text. */
  public FolderManifest plain() {
    return new FolderManifest(number, entries, streams);
  }

  /** The current manifest in a listing of the folder. */
  public static Optional<TableManifest> in(FileSystem system, FileStatus[] statuses) throws IOException {
    FileStatus last = null;
    for (var status : statuses)
      if (number(status) >= 0 && (last == null || number(status) > number(last))) last = status;
    if (last == null) return Optional.empty();
    var bytes = new byte[(int) Math.min(last.getLen(), Integer.MAX_VALUE - 8)];
    try (var in = system.open(last.getPath())) {
      in.readFully(bytes); // not at a position: an interrupt would close the channel of a local file
    }
    return Optional.of(parse(last.getPath(), number(last), new String(bytes, StandardCharsets.UTF_8)));
  }

  /** The current manifest of a folder. */
  public static Optional<TableManifest> last(FileSystem system, Path folder) throws IOException {
    return TableFolder.seen(system, folder, statuses -> in(system, statuses));
  }

  /** The number of a manifest file, or -1. */
  private static long number(FileStatus status) {
    return status.isFile() ? FolderManifest.numberOf(status.getPath().getName()) : -1;
  }

  private static TableManifest parse(Path file, long number, String text) {
    var manifest =
        FolderManifest.parse(number, text)
            .orElseThrow(() -> new IllegalStateException(file + ": corrupt: it is not a manifest"));
    return new TableManifest(number, manifest.entries(), manifest.streams());
  }

  /** Publishes this manifest in a folder; returns false if its number is taken. {@link #isInTime}
   * reports whether the manifest took effect.
   */
  public boolean publish(FileSystem system, Path folder, String unique) throws IOException {
    var manifest = plain();
    var target = new Path(folder, manifest.fileName());
    var draft = new Path(folder, "_aside-" + unique);
    try {
      try (var out = system.create(draft, true)) {
        out.write(manifest.text().getBytes(StandardCharsets.UTF_8));
        out.hsync();
      }
      return TableFolder.moveNew(system, draft, target);
    } finally {
      TableFolder.remove(system, draft);
    }
  }

  /** Whether this manifest, once published, was current at some time.
   *
   * It was derived from the then current manifest, with the next number. While the manifest of
   * that number exists, no other job can publish one with it, so manifests form a chain and no
   * update is lost. A manifest is deleted only if another one exists whose number is higher by
   * more than {@link #KEPT}, and the highest one is never deleted. So if no manifest has such a
   * high number now, this number was free because no manifest ever had it. Otherwise it may have
   * been free because its manifest was deleted, and then no reader sees this one. The added files
   * decide: if the current manifest contains them, this one was in time. If not, it was too late,
   * or its files were overwritten since; and no later manifest will contain them.
   */
  public boolean isInTime(FileSystem system, Path folder, List<FolderManifest.Entry> added) throws IOException {
    var last = last(system, folder).orElseThrow(() -> new IOException("its manifests are missing"));
    return last.number <= number + KEPT || last.entries.containsAll(added);
  }

  /** Deletes manifests that are no longer needed; they remain if that fails. */
  public void forgetOlder(FileSystem system, Path folder) {
    try {
      for (var status : system.listStatus(folder)) {
        long candidate = number(status);
        if (candidate >= 0 && candidate < number - KEPT) TableFolder.remove(system, status.getPath());
      }
    } catch (IOException e) {
      LOG.warn("{}: its old manifests were not deleted", folder, e);
    }
  }
}
