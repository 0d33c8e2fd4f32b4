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
 * folders before its own, as in `day=2026-11-24/part-0.rows`. Streams that write to the folder have a
 * line each, after those of the files: `stream`, the number of the last batch, and the query's id.
 *
 * @param number at least 0; -1 for the files of a folder without a manifest
 * @param streams the streams that have written to the folder, the last writer at the end
 */
public record FolderManifest(long number, List<Entry> entries, List<Stream> streams) {
  private static final String NAME = "_undercroft.";
  private static final String FIRST = "undercroft folder 1";

  /** The first line of a manifest with streams. */
  private static final String FIRST_WITH_STREAMS = "undercroft folder 2";

  /** The number of older manifests that are kept: a reader of one has that many commits of time. */
  public static final int KEPT = 100;

  /** The most bytes of a manifest: about ten million files. */
  public static final int MOST_BYTES = 1 << 30;

  /** Entries by file name, the order in which they are read. */
  public static final Comparator<Entry> ORDER = Comparator.comparing(Entry::name);

  /** The most streams of a manifest; the one that has not written for the longest time is dropped. */
  public static final int MOST_STREAMS = 1000;

  public FolderManifest {
    entries = List.copyOf(entries);
    streams = List.copyOf(streams);
  }

  /** A manifest without streams. */
  public FolderManifest(long number, List<Entry> entries) {
    this(number, entries, List.of());
  }

  /** The last batch of a stream in a folder. A stream writes its batches in the order of their
   * numbers, so a batch up to this one is in the folder, and must not be added again.
   *
   * @param query the id of the query, of letters, digits and `-`
   * @param batch the number of the last batch, at least 0
   */
  public record Stream(String query, long batch) implements Serializable {
    @Serial private static final long serialVersionUID = 1L;

    /** Throws IllegalArgumentException if the id or the number cannot be in a manifest. */
    public Stream {
      if (!query.matches("[0-9A-Za-z-]{1,100}") || batch < 0)
        throw new IllegalArgumentException(
            "a stream must have an id of 1 to 100 letters, digits and -, and a batch of at least 0, but has the id "
                + query + " and the batch " + batch);
    }
  }

  /** The number of the last batch of a query in the folder, or -1. */
  public long lastBatch(String query) {
    for (var stream : streams) if (stream.query.equals(query)) return stream.batch;
    return -1;
  }

  /** The streams after a batch of one of them. */
  public List<Stream> streamsAfter(Stream stream) {
    var after = new ArrayList<Stream>();
    for (var other : streams) if (!other.query.equals(stream.query)) after.add(other);
    after.add(stream);
    return after.subList(Math.max(0, after.size() - MOST_STREAMS), after.size());
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
    var streams = new ArrayList<Stream>();
    boolean mayHaveStreams = lines[0].equals(FIRST_WITH_STREAMS);
    boolean isWhole = lines[0].equals(FIRST) || mayHaveStreams;
    for (int i = 1; isWhole && i < lines.length - 1; i++) {
      if (mayHaveStreams && lines[i].matches("stream [0-9]{1,18} [0-9A-Za-z-]{1,100}")) {
        var parts = lines[i].split(" ");
        streams.add(new Stream(parts[2], Long.parseLong(parts[1])));
        continue;
      }
      int space = lines[i].indexOf(' ');
      var length = lines[i].substring(0, Math.max(0, space));
      isWhole =
          streams.isEmpty() && length.matches("-|[0-9]{1,18}") && fault(lines[i].substring(space + 1)).isEmpty();
      if (isWhole)
        entries.add(
            new Entry(length.equals("-") ? -1 : Long.parseLong(length), lines[i].substring(space + 1)));
    }
    isWhole &= mayHaveStreams == !streams.isEmpty();
    isWhole &= lines.length > 1 && lines[lines.length - 1].equals("files " + entries.size());
    return isWhole ? Optional.of(new FolderManifest(number, entries, streams)) : Optional.empty();
  }

  /** The manifest's text, which `parse` reads. */
  public String text() {
    var text = new StringBuilder(streams.isEmpty() ? FIRST : FIRST_WITH_STREAMS).append('\n');
    for (var entry : entries)
      text.append(entry.length < 0 ? "-" : entry.length).append(' ').append(entry.name).append('\n');
    for (var stream : streams)
      text.append("stream ").append(stream.batch).append(' ').append(stream.query).append('\n');
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
