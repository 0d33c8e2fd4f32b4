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

/** What a folder consisted of at a moment: the file `_undercroft.N` in it. The one with the highest
 * number holds, and files that it does not list do not belong to the folder.
 *
 * It is text: a first line that says what it is, for each file a line of its length in bytes, or -
 * where it may grow, a space and its name, and a last line with their number.
 */
record Commit(long number, List<Entry> entries) {
  private static final String NAME = "_undercroft.";
  private static final String FIRST = "undercroft folder 1";

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

  /** Puts it into a folder; false where another one has its number already. */
  boolean publish(FileSystem system, Path folder, String unique) throws IOException {
    var target = new Path(folder, NAME + number);
    var aside = new Path(folder, "_aside-" + unique);
    try (var out = system.create(aside, true)) {
      out.write(text().getBytes(StandardCharsets.UTF_8));
      out.hsync();
    }
    try {
      return Folder.moveNew(system, aside, target);
    } finally {
      system.delete(aside, false);
    }
  }

  /** Deletes those that nobody needs any more: a reader may still be at the last but one. */
  void forgetOlder(FileSystem system, Path folder) throws IOException {
    for (var status : system.listStatus(folder))
      if (number(status) >= 0 && number(status) < number - 1) system.delete(status.getPath(), false);
  }

  /** Files by their names, as they are read. */
  static final Comparator<Entry> ORDER = Comparator.comparing(Entry::name);
}
