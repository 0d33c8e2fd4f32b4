package undercroft.file.format;

import java.io.Serial;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The manifest of a folder: the file `_undercroft.N` in it lists the files of the folder. The
 * manifest with the highest number is current, and files that it does not list do not belong to
 * the folder.
 *
 * The format is text: a first line with the format's name and version, a line for each file with
 * its length in bytes (or `-` if it may grow), a space and its name, and a last line with the
 * number of files. A name is relative to the folder; a file of a partition has the names of its
 * folders before its own, as in `day=2026-11-24/part-0.rows`.
 *
 * @param number at least 0; -1 for the files of a folder without a manifest
 */
public record FolderManifest(long number, List<Entry> entries) {
  private static final String NAME = "_undercroft.";
  private static final String FIRST = "undercroft folder 1";

  /** The number of older manifests that are kept: a reader of one has that many commits of time. */
  public static final int KEPT = 100;

  /** The most bytes of a manifest: about ten million files. */
  public static final int MOST_BYTES = 1 << 30;

  /** Entries by file name, the order in which they are read. */
  public static final Comparator<Entry> ORDER = Comparator.comparing(Entry::name);

  public FolderManifest {
    entries = List.copyOf(entries);
  }

  /** A file of a folder.
   *
   * @param length in bytes, or -1 for a file that may grow
   * @param name relative to the folder, with `/` after the names of partition folders
   */
  public record Entry(long length, String name) implements Serializable {
    @Serial private static final long serialVersionUID = 1L;

    /** Throws IllegalArgumentException if the name cannot be in a manifest. */
    public Entry {
      var fault = fault(name);
      if (fault.isPresent())
        throw new IllegalArgumentException("a manifest cannot list the file " + name + ": " + fault.get());
    }

    /** The partition folders of the file, such as `day=2026-11-24`; empty if it is in the folder
     * itself.
     */
    public String partition() {
      return name.substring(0, Math.max(0, name.lastIndexOf('/')));
    }
  }

  /** The reason that a name cannot be in a manifest: it would leave the folder, be hidden, or be
   * split into two lines.
   */
  private static Optional<String> fault(String name) {
    if (name.chars().anyMatch(c -> c == '\n' || c == '\r' || c == 0))
      return Optional.of("it has a line break or a zero character");
    var parts = name.split("/", -1);
    for (int i = 0; i < parts.length; i++) {
      if (parts[i].isEmpty() || isHidden(parts[i])) return Optional.of("a part is empty or hidden");
      if (i < parts.length - 1 && parts[i].indexOf('=') < 1)
        return Optional.of("the folder " + parts[i] + " is not of the form name=value");
    }
    try {
      PartitionPath.values(name.substring(0, Math.max(0, name.lastIndexOf('/'))));
      return Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.of(e.getMessage());
    }
  }

  /** The number in the name of a manifest file, or -1 if a file with this name is no manifest. */
  public static long numberOf(String fileName) {
    return fileName.matches("_undercroft\\.[0-9]{1,18}") ? Long.parseLong(fileName.substring(NAME.length())) : -1;
  }

  /** The name of the file that the manifest is stored in. */
  public String fileName() {
    return NAME + number;
  }

  /** Reads a manifest; empty if the text is not a complete manifest. */
  public static Optional<FolderManifest> parse(long number, String text) {
    var lines = text.split("\n");
    var entries = new ArrayList<Entry>();
    boolean whole = lines[0].equals(FIRST) && lines[lines.length - 1].equals("files " + (lines.length - 2));
    for (int i = 1; whole && i < lines.length - 1; i++) {
      int space = lines[i].indexOf(' ');
      var length = lines[i].substring(0, Math.max(0, space));
      whole = length.matches("-|[0-9]{1,18}") && fault(lines[i].substring(space + 1)).isEmpty();
      if (whole)
        entries.add(
            new Entry(length.equals("-") ? -1 : Long.parseLong(length), lines[i].substring(space + 1)));
    }
    return whole ? Optional.of(new FolderManifest(number, entries)) : Optional.empty();
  }

  /** The manifest's text, which `parse` reads. */
  public String text() {
    var text = new StringBuilder(FIRST).append('\n');
    for (var entry : entries)
      text.append(entry.length < 0 ? "-" : entry.length).append(' ').append(entry.name).append('\n');
    return text.append("files ").append(entries.size()).append('\n').toString();
  }

  /** The names of the listed files. */
  public Set<String> names() {
    var names = new HashSet<String>();
    for (var entry : entries) names.add(entry.name);
    return names;
  }

  /** Whether a file is never part of a folder because of its name: it begins with `_` or `.`. */
  public static boolean isHidden(String name) {
    return name.startsWith("_") || name.startsWith(".");
  }

  /** Whether a file is an auxiliary file of a struct file's writer. */
  public static boolean isAuxiliary(String name) {
    return name.endsWith(".lock") || name.endsWith(".new");
  }
}
