package undercroft.file.format.internal.folder;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The names of partition folders, `name=value`, as Hive and Spark write them.
 *
 * Characters that a file name cannot have, or that separate parts of a path, are `%` and two
 * hexadecimal digits. A missing value is `__HIVE_DEFAULT_PARTITION__`.
 */
public final class PartitionPath {
  private static final String MISSING = "__HIVE_DEFAULT_PARTITION__";
  private static final String ESCAPED = "\"#%'*/:=?\\{[]^";

  private PartitionPath() {}

  /** The partition folders for values by name, such as `day=2026-11-24/venue=XLON`. Throws
   * IllegalArgumentException for a name or a value that is empty or has half of a surrogate pair,
   * or for the value that stands for a missing one.
   */
  public static String of(Map<String, Optional<String>> values) {
    var folders = new ArrayList<String>();
    values.forEach(
        (name, value) -> {
          var text = value.orElse(MISSING);
          if (name.isEmpty() || FolderManifest.isHidden(name))
            throw new IllegalArgumentException(
                "the name of a partition must not be empty or begin with _ or ., but is '" + name + "'");
          if (text.isEmpty() || value.isPresent() && text.equals(MISSING))
            throw new IllegalArgumentException(
                "the value of partition " + name + " must not be empty or " + MISSING + ", but is '" + text + "'");
          checkUnicode("the name of a partition", name);
          checkUnicode("the value of partition " + name, text);
          folders.add(escaped(name) + "=" + escaped(text));
        });
    return String.join("/", folders);
  }

  /** The values in partition folders by name; a missing value is empty. Throws
   * IllegalArgumentException if a folder is not of the form `name=value`, or a name occurs twice.
   */
  public static Map<String, Optional<String>> values(String folders) {
    var values = new LinkedHashMap<String, Optional<String>>();
    if (folders.isEmpty()) return values;
    for (var folder : folders.split("/", -1)) {
      int sign = folder.indexOf('=');
      if (sign < 1)
        throw new IllegalArgumentException("the folder " + folder + " is not of the form name=value");
      var text = folder.substring(sign + 1);
      var value = text.equals(MISSING) ? Optional.<String>empty() : Optional.of(unescaped(text));
      var name = unescaped(folder.substring(0, sign));
      if (values.put(name, value) != null)
        throw new IllegalArgumentException("the partition " + name + " must occur once, but occurs twice in " + folders);
    }
    return values;
  }

  /** The names in partition folders. */
  public static List<String> names(String folders) {
    return List.copyOf(values(folders).keySet());
  }

  private static void checkUnicode(String what, String text) {
    for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i)))
      if (Character.getType(text.codePointAt(i)) == Character.SURROGATE)
        throw new IllegalArgumentException(
            what + " must be valid Unicode, but has half of a surrogate pair at index " + i);
  }

  private static String escaped(String text) {
    var escaped = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < 0x20 || c == 0x7f || ESCAPED.indexOf(c) >= 0) escaped.append("%%%02X".formatted((int) c));
      else escaped.append(c);
    }
    return escaped.toString();
  }

  /** A `%` without two hexadecimal digits stands for itself, as in Hive. */
  private static String unescaped(String text) {
    var unescaped = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean isEscape = c == '%' && i + 2 < text.length() && isHex(text.charAt(i + 1)) && isHex(text.charAt(i + 2));
      if (isEscape) {
        unescaped.append((char) Integer.parseInt(text.substring(i + 1, i + 3), 16));
        i += 2;
      } else unescaped.append(c);
    }
    return unescaped.toString();
  }

  private static boolean isHex(char c) {
    return Character.digit(c, 16) >= 0 && c < 0x80;
  }
}
