package undercroft.file.format.internal.folder;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The names of the files that a change adds. Files are read in the order of their names.
 *
 * @param id the change
 * @param first the files of the folder when the change began
 * @param removed the files that the change removes
 */
public record AddedNames(String id, FolderManifest first, Set<FolderManifest.Entry> removed) {

  /** The end of the name of a file that a change has added, without `.rows`. */
  private static final String OWN_SUFFIX = "-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-[0-9]{5}$";

  /** The most bytes of the name of a file that replaces others. */
  private static final int MOST_NAME_BYTES = 240;

  /** The name of a new file. A file that replaces others has a name that begins as that of the last
   * one, and sorts as they did. Empty if there is no such name.
   */
  public Optional<String> name(String partition, int index) {
    var before = partition.isEmpty() ? "" : partition + "/";
    var suffix = "-" + id + "-" + String.format(Locale.ROOT, "%05d", index) + ".rows";
    var replaced =
        removed.stream().filter(entry -> entry.partition().equals(partition)).sorted(FolderManifest.ORDER).toList();
    if (replaced.isEmpty())
      return Optional.of(before + String.format(Locale.ROOT, "part-%010d", first.number() + 1) + suffix);
    var from = replaced.getFirst().name();
    var last = replaced.getLast().name();
    var stem = last.endsWith(".rows") ? last.substring(0, last.length() - ".rows".length()) : last;
    return Stream.of(stem.replaceFirst(OWN_SUFFIX, ""), stem, last)
        .map(beginning -> beginning + suffix)
        .filter(name -> isInPlace(name, from, last))
        .findFirst();
  }

  /** Whether the files that stay sort around a name as around the removed files `from` to `last`. */
  private boolean isInPlace(String name, String from, String last) {
    var fileName = name.substring(name.lastIndexOf('/') + 1);
    if (fileName.getBytes(StandardCharsets.UTF_8).length > MOST_NAME_BYTES) return false;
    for (var entry : first.entries()) {
      var other = entry.name();
      boolean isMoved =
          other.compareTo(from) < 0 && other.compareTo(name) >= 0
              || other.compareTo(last) > 0 && other.compareTo(name) <= 0;
      if (isMoved && !removed.contains(entry)) return false;
    }
    return true;
  }
}
