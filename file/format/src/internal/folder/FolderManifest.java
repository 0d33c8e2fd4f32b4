package undercroft.file.format.internal.folder;

import java.io.Serial;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.zip.CRC32C;

/** The manifest of a folder: the file `_undercroft.N` in it lists the files of the folder. The
 * manifest with the highest number is current, and files that it does not list do not belong to
 * the folder.
 *
 * The format is text: a first line with the format's name and version, a line for each file with
 * its length in bytes (or `-` if it may grow), a space and its name, and a last line with the
 * number of files. A name is relative to the folder; a file of a partition has the names of its
 * folders before its own, as in `day=2026-11-24/part-0.rows`. After the line of a sealed file is one of
 * its {@link FileFacts}, and before the first file with a schema a line of the schema. Streams that
 * write to the folder have a line each, after those of the files: `stream`, the number of the last
 * batch, and the query's id.
 *
 * @param number at least 0; -1 for the files of a folder without a manifest
 * @param streams the streams that have written to the folder, the last writer at the end
 */
public record FolderManifest(long number, List<Entry> entries, List<Stream> streams) {
  private static final String NAME = "_undercroft.";
  private static final String FIRST = "undercroft folder 1";

  /** The first line of a manifest with streams. */
  private static final String FIRST_WITH_STREAMS = "undercroft folder 2";

  /** The first line of a manifest with facts of files, which may have streams. */
  private static final String FIRST_WITH_FACTS = "undercroft folder 3";

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

  /** A file of a folder. Entries are equal if their lengths and names are.
   *
   * @param length in bytes, or -1 for a file that may grow
   * @param name relative to the folder, with `/` after the names of partition folders
   * @param facts of a sealed file; null if they are not known
   */
  public record Entry(long length, String name, FileFacts facts) implements Serializable {
    @Serial private static final long serialVersionUID = 1L;

    /** A file without known facts. */
    public Entry(long length, String name) {
      this(length, name, null);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Entry entry && length == entry.length && name.equals(entry.name);
    }

    @Override
    public int hashCode() {
      return name.hashCode();
    }

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
    try {
      var lines = text.split("\n");
      if (lines[0].equals(FIRST_WITH_FACTS)) checkLast(text, lines);
      return Optional.of(parse(number, lines));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static FolderManifest parse(long number, String[] lines) {
    var entries = new ArrayList<Entry>();
    var streams = new ArrayList<Stream>();
    var schemas = new ArrayList<String>();
    var bounds = new ArrayList<Integer>();
    boolean hasFacts = lines[0].equals(FIRST_WITH_FACTS);
    boolean mayHaveStreams = hasFacts || lines[0].equals(FIRST_WITH_STREAMS);
    check(mayHaveStreams || lines[0].equals(FIRST));
    for (int i = 1; i < lines.length - 1; i++) {
      var line = lines[i];
      if (mayHaveStreams && line.matches("stream [0-9]{1,18} [0-9A-Za-z-]{1,100}")) {
        var parts = line.split(" ");
        streams.add(new Stream(parts[2], Long.parseLong(parts[1])));
        continue;
      }
      check(streams.isEmpty());
      if (hasFacts && line.startsWith("schema ")) {
        schemas.add(line.substring("schema ".length()));
        bounds.add(FileFacts.boundsOf(schemas.getLast()));
      } else if (hasFacts && line.startsWith("+ ")) {
        check(!entries.isEmpty() && entries.getLast().facts == null);
        var entry = entries.removeLast();
        entries.add(new Entry(entry.length, entry.name, FileFacts.parse(line, schemas, bounds)));
      } else {
        int space = line.indexOf(' ');
        var length = line.substring(0, Math.max(0, space));
        check(length.matches("-|[0-9]{1,18}"));
        entries.add(new Entry(length.equals("-") ? -1 : Long.parseLong(length), line.substring(space + 1)));
      }
    }
    check(mayHaveStreams == (hasFacts || !streams.isEmpty()));
    var last = lines[lines.length - 1];
    var count = "files " + entries.size();
    check(lines.length > 1 && (hasFacts ? last.startsWith(count + " ") : last.equals(count)));
    return new FolderManifest(number, entries, streams);
  }

  /** Compares the text with the checksum in its last line: a query may read facts alone. */
  private static void checkLast(String text, String[] lines) {
    int end = text.lastIndexOf("files ");
    check(end >= 0 && lines[lines.length - 1].endsWith(" " + checksum(text.substring(0, end))));
  }

  /** The CRC32C of a text in UTF-8, as eight hexadecimal digits. */
  private static String checksum(String text) {
    var checksum = new CRC32C();
    checksum.update(text.getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().toHexDigits((int) checksum.getValue());
  }

  private static void check(boolean isValid) {
    if (!isValid) throw new IllegalArgumentException("it is not a manifest");
  }

  /** The manifest's text, which `parse` reads. */
  public String text() {
    boolean hasFacts = entries.stream().anyMatch(entry -> entry.facts != null);
    var text = new StringBuilder(hasFacts ? FIRST_WITH_FACTS : streams.isEmpty() ? FIRST : FIRST_WITH_STREAMS);
    text.append('\n');
    var schemas = new HashMap<String, Integer>();
    for (var entry : entries) {
      var facts = entry.facts;
      if (facts != null && schemas.putIfAbsent(facts.schemaText(), schemas.size()) == null)
        text.append("schema ").append(facts.schemaText()).append('\n');
      text.append(entry.length < 0 ? "-" : entry.length).append(' ').append(entry.name).append('\n');
      if (facts != null) text.append(facts.line(schemas.get(facts.schemaText()))).append('\n');
    }
    for (var stream : streams)
      text.append("stream ").append(stream.batch).append(' ').append(stream.query).append('\n');
    var checksum = hasFacts ? " " + checksum(text.toString()) : "";
    return text.append("files ").append(entries.size()).append(checksum).append('\n').toString();
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
