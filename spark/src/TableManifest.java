package undercroft.spark;

import java.io.IOException;
import java.io.Serial;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The manifest of a folder: the file `_undercroft.N` in it lists the files of the folder. The
 * manifest with the highest number is current, and files that it does not list do not belong to
 * the folder.
 *
 * The format is text: a first line with the format's name and version, a line for each file with
 * its length in bytes (or `-` if it may grow), a space and its name, and a last line with the
 * number of files.
 */
record TableManifest(long number, List<Entry> entries) {
  private static final String NAME = "_undercroft.";
  private static final String FIRST = "undercroft folder 1";
  private static final Logger LOG = LoggerFactory.getLogger(TableManifest.class);

  /** The number of older manifests that are kept: a reader of one has that many commits of time. */
  static final int KEPT = 100;

  /** @param length in bytes, or -1 for a file that may grow
   */
  record Entry(long length, String name) implements Serializable {
    @Serial private static final long serialVersionUID = 1L;
  }

  /** The current manifest in a listing of the folder. */
  static Optional<TableManifest> in(FileSystem system, FileStatus[] statuses) throws IOException {
    FileStatus last = null;
    for (var status : statuses)
      if (number(status) >= 0 && (last == null || number(status) > number(last))) last = status;
    if (last == null) return Optional.empty();
    var bytes = new byte[(int) Math.min(last.getLen(), Integer.MAX_VALUE - 8)];
    try (var in = system.open(last.getPath())) {
      in.readFully(0, bytes);
    }
    return Optional.of(parse(last.getPath(), number(last), new String(bytes, StandardCharsets.UTF_8)));
  }

  /** The current manifest of a folder. */
  static Optional<TableManifest> last(FileSystem system, Path folder) throws IOException {
    return TableFolder.seen(system, folder, statuses -> in(system, statuses));
  }

  /** The number of a manifest file, or -1. */
  private static long number(FileStatus status) {
    var name = status.getPath().getName();
    if (!status.isFile() || !name.matches("_undercroft\\.[0-9]{1,18}")) return -1;
    return Long.parseLong(name.substring(NAME.length()));
  }

  private static TableManifest parse(Path file, long number, String text) {
    var lines = text.split("\n");
    var entries = new ArrayList<Entry>();
    boolean whole = lines[0].equals(FIRST) && lines[lines.length - 1].equals("files " + (lines.length - 2));
    for (int i = 1; whole && i < lines.length - 1; i++) {
      whole = lines[i].matches("(-|[0-9]{1,18}) [^/]+");
      if (whole) {
        int space = lines[i].indexOf(' ');
        var length = lines[i].substring(0, space);
        entries.add(
            new Entry(length.equals("-") ? -1 : Long.parseLong(length), lines[i].substring(space + 1)));
      }
    }
    if (!whole) throw new IllegalStateException(file + ": corrupt: it is not a manifest");
    return new TableManifest(number, List.copyOf(entries));
  }

  private String text() {
    var text = new StringBuilder(FIRST).append('\n');
    for (var entry : entries)
      text.append(entry.length < 0 ? "-" : entry.length).append(' ').append(entry.name).append('\n');
    return text.append("files ").append(entries.size()).append('\n').toString();
  }

  /** Publishes this manifest in a folder; returns false if its number is taken. {@link #isInTime}
   * reports whether the manifest took effect.
   */
  boolean publish(FileSystem system, Path folder, String unique) throws IOException {
    var target = new Path(folder, NAME + number);
    var draft = new Path(folder, "_aside-" + unique);
    try {
      try (var out = system.create(draft, true)) {
        out.write(text().getBytes(StandardCharsets.UTF_8));
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
  boolean isInTime(FileSystem system, Path folder, List<Entry> added) throws IOException {
    var last = last(system, folder).orElseThrow(() -> new IOException("its manifests are missing"));
    return last.number <= number + KEPT || last.entries.containsAll(added);
  }

  /** Deletes manifests that are no longer needed; they remain if that fails. */
  void forgetOlder(FileSystem system, Path folder) {
    try {
      for (var status : system.listStatus(folder)) {
        long candidate = number(status);
        if (candidate >= 0 && candidate < number - KEPT) TableFolder.remove(system, status.getPath());
      }
    } catch (IOException e) {
      LOG.warn("{}: its old manifests were not deleted", folder, e);
    }
  }

  /** Entries by file name, the order in which they are read. */
  static final Comparator<Entry> ORDER = Comparator.comparing(Entry::name);
}
