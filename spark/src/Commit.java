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

/** What a folder consisted of at a moment: the file `_undercroft.N` in it. The one with the highest
 * number holds, and files that it does not list do not belong to the folder.
 *
 * It is text: a first line that says what it is, for each file a line of its length in bytes, or -
 * where it may grow, a space and its name, and a last line with their number.
 */
record Commit(long number, List<Entry> entries) {
  private static final String NAME = "_undercroft.";
  private static final String FIRST = "undercroft folder 1";
  private static final Logger LOG = LoggerFactory.getLogger(Commit.class);

  /** Lists that are kept beside the one that holds: who reads one has as many commits' time for it. */
  static final int KEPT = 100;

  /** @param length in bytes, or -1 of a file that may grow */
  record Entry(long length, String name) implements Serializable {
    @Serial private static final long serialVersionUID = 1L;
  }

  /** The one that holds, of what is in a folder. */
  static Optional<Commit> in(FileSystem system, FileStatus[] statuses) throws IOException {
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

  /** The one that holds in a folder now. */
  static Optional<Commit> last(FileSystem system, Path folder) throws IOException {
    return Folder.seen(system, folder, statuses -> in(system, statuses));
  }

  /** The number of a commit's file, or -1. */
  private static long number(FileStatus status) {
    var name = status.getPath().getName();
    if (!status.isFile() || !name.matches("_undercroft\\.[0-9]{1,18}")) return -1;
    return Long.parseLong(name.substring(NAME.length()));
  }

  private static Commit parse(Path file, long number, String text) {
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
    if (!whole) throw new IllegalStateException(file + ": damaged: it is no list of a folder's files");
    return new Commit(number, List.copyOf(entries));
  }

  private String text() {
    var text = new StringBuilder(FIRST).append('\n');
    for (var entry : entries)
      text.append(entry.length < 0 ? "-" : entry.length).append(' ').append(entry.name).append('\n');
    return text.append("files ").append(entries.size()).append('\n').toString();
  }

  /** Puts it into a folder; false where another one has its number already. Whether it counts then,
   * {@link #isInTime} says.
   */
  boolean publish(FileSystem system, Path folder, String unique) throws IOException {
    var target = new Path(folder, NAME + number);
    var aside = new Path(folder, "_aside-" + unique);
    try {
      try (var out = system.create(aside, true)) {
        out.write(text().getBytes(StandardCharsets.UTF_8));
        out.hsync();
      }
      return Folder.moveNew(system, aside, target);
    } finally {
      Folder.remove(system, aside);
    }
  }

  /** Whether it is what the folder was for a while, now that it is published.
   *
   * It was made of the list that held, with the next number. While that number's list is there, nobody
   * else can make one of it, so that lists follow on one another, and none is lost. A list is deleted
   * only where one is there whose number is higher by more than {@link #KEPT}, and the highest one is
   * never deleted. So where none is as high as that now, the number was free because nobody had ever
   * had it. Otherwise it may have been free because its list was deleted, and this one is seen by
   * nobody: the files that it added tell. Where the last list has them, it was in time. Where not, it
   * was too late, or what it added was overwritten since; and no later list will have them.
   */
  boolean isInTime(FileSystem system, Path folder, List<Entry> added) throws IOException {
    var last = last(system, folder).orElseThrow(() -> new IOException("its lists are gone"));
    return last.number <= number + KEPT || last.entries.containsAll(added);
  }

  /** Deletes those that nobody needs any more; where that fails, they stay. */
  void forgetOlder(FileSystem system, Path folder) {
    try {
      for (var status : system.listStatus(folder)) {
        long other = number(status);
        if (other >= 0 && other < number - KEPT) Folder.remove(system, status.getPath());
      }
    } catch (IOException e) {
      LOG.warn("{}: its old lists were not deleted", folder, e);
    }
  }

  /** Files by their names, as they are read. */
  static final Comparator<Entry> ORDER = Comparator.comparing(Entry::name);
}
