package undercroft.spark.internal.columns;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** Parses the options of readers and writers. */
public final class SourceOptions {
  private SourceOptions() {}

  /** The options of readers, besides paths and `fs.*`. */
  public static final List<String> OF_READERS = List.of("checksums", "splitBytes", "mergeSchema");

  /** The options of writers, besides the path and `fs.*`. */
  public static final List<String> OF_WRITERS =
      List.of(
          "layout", "name", "textBytes", "textBytes.COLUMN", "arrayLength", "arrayLength.COLUMN", "enums", "nulls",
          "rowsPerFile", "partitionOverwriteMode");

  /** Internal option: set if the save mode has been checked, to {@link #NEW} or another value. */
  public static final String WRITING = "undercroft.writing";

  /** Internal options of a batch of a stream: the id of the query, and the number of the batch. */
  public static final String STREAM = "undercroft.stream";

  public static final String BATCH = "undercroft.batch";

  private static final Set<String> INTERNAL = Set.of(WRITING, STREAM, BATCH);

  /** The folder must be empty. */
  public static final String NEW = "new";

  /** The prefix of the options of a table in a catalog, among its properties. */
  private static final String OF_TABLE = "option.";

  /** Whether properties are those of a table in a catalog, and not the options of a reader or writer:
   * every table has a provider and an owner.
   */
  public static boolean isOfCatalog(Map<String, String> properties) {
    return properties.containsKey(TableCatalog.PROP_PROVIDER) && properties.containsKey(TableCatalog.PROP_OWNER);
  }

  /** The options of readers and writers of a table in a catalog. */
  public static CaseInsensitiveStringMap ofCatalog(Map<String, String> properties) {
    var options = new HashMap<String, String>();
    properties.forEach((name, value) -> {
      if (name.startsWith(OF_TABLE)) options.put(name.substring(OF_TABLE.length()), value);
    });
    if (properties.get("path") != null) options.put("path", properties.get("path"));
    var known = new ArrayList<>(OF_READERS);
    known.addAll(OF_WRITERS);
    check(new CaseInsensitiveStringMap(options), "a table", known);
    return new CaseInsensitiveStringMap(options);
  }

  /** Options of a table, and the options of a reader or writer, which have precedence. */
  public static CaseInsensitiveStringMap merged(CaseInsensitiveStringMap table, CaseInsensitiveStringMap options) {
    var merged = new HashMap<String, String>();
    table.asCaseSensitiveMap().forEach((name, value) -> {
      if (!options.containsKey(name)) merged.put(name, value);
    });
    merged.putAll(options.asCaseSensitiveMap());
    return new CaseInsensitiveStringMap(merged);
  }

  /** Options of Spark for queries that write a stream. */
  public static final Set<String> OF_STREAMS = Set.of("checkpointlocation", "queryname");

  /** The options without those that Spark itself evaluates for a stream. */
  public static CaseInsensitiveStringMap withoutStream(Map<String, String> options) {
    var others = new HashMap<>(options);
    others.keySet().removeIf(name -> OF_STREAMS.contains(name.toLowerCase(Locale.ROOT)));
    return new CaseInsensitiveStringMap(others);
  }

  /** Throws IllegalArgumentException, with the known options, if an option is not one of them. Names
   * are compared without case.
   *
   * @param user a reader or a writer, for the message
   */
  public static void check(CaseInsensitiveStringMap options, String user, List<String> known) {
    for (var name : options.asCaseSensitiveMap().keySet()) {
      var lower = name.toLowerCase(Locale.ROOT);
      boolean isKnown =
          lower.equals("path") || lower.equals("paths") || lower.startsWith("fs.")
              || INTERNAL.contains(lower)
              || known.stream().anyMatch(candidate -> matches(lower, candidate.toLowerCase(Locale.ROOT)));
      if (!isKnown)
        throw new IllegalArgumentException(
            "option " + name + " is unknown: " + user + " has the options " + String.join(", ", known)
                + ", path and fs.*");
    }
  }

  private static boolean matches(String name, String known) {
    if (!known.endsWith(".column")) return name.equals(known);
    var prefix = known.substring(0, known.length() - "column".length());
    return name.length() > prefix.length() && name.startsWith(prefix);
  }

  /** Throws IllegalArgumentException if an option of a column, such as `textBytes.COLUMN`, names none
   * of the columns.
   *
   * @param columns the dotted paths of the columns and their parts
   */
  public static void checkColumns(CaseInsensitiveStringMap options, String prefix, List<String> columns) {
    for (var name : options.asCaseSensitiveMap().keySet()) {
      if (!name.regionMatches(true, 0, prefix, 0, prefix.length())) continue;
      var column = name.substring(prefix.length());
      if (columns.stream().noneMatch(column::equalsIgnoreCase))
        throw new IllegalArgumentException(
            "option " + name + ": there is no column " + column + ", only " + String.join(", ", columns));
    }
  }

  /** The paths of `load` or `save`; throws IllegalArgumentException if there are none. */
  public static List<String> paths(CaseInsensitiveStringMap options) {
    // Spark passes several paths as a JSON array.
    var paths = new ArrayList<>(strings(options, "paths"));
    if (options.get("path") != null) paths.add(options.get("path"));
    if (paths.isEmpty())
      throw new IllegalArgumentException("no path is set: use load(path) or option(\"path\", path)");
    return paths;
  }

  /** An option that is a JSON array of strings; empty by default. */
  public static List<String> strings(CaseInsensitiveStringMap options, String name) {
    if (options.get(name) == null) return List.of();
    try {
      return List.of(new ObjectMapper().readValue(options.get(name), String[].class));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(
          "option " + name + " must be a JSON array of strings, but is " + options.get(name), e);
    }
  }

  /** A positive integer option, or its default. */
  public static long count(CaseInsensitiveStringMap options, String name, long otherwise) {
    var text = options.get(name);
    if (text == null) return otherwise;
    if (!text.matches("[0-9]{1,18}") || Long.parseLong(text) < 1)
      throw new IllegalArgumentException("option " + name + " must be an integer of at least 1, but is " + text);
    return Long.parseLong(text);
  }

  /** A Boolean option, or its default. */
  public static boolean flag(CaseInsensitiveStringMap options, String name, boolean otherwise) {
    var text = options.get(name);
    if (text == null) return otherwise;
    if (!text.equalsIgnoreCase("true") && !text.equalsIgnoreCase("false"))
      throw new IllegalArgumentException("option " + name + " must be true or false, but is " + text);
    return Boolean.parseBoolean(text);
  }

  /** The Hadoop configuration of the session, with the options that begin with `fs.`. */
  public static Configuration hadoop(CaseInsensitiveStringMap options) {
    var conf = new Configuration(SparkSession.active().sparkContext().hadoopConfiguration());
    options.asCaseSensitiveMap().forEach((name, value) -> {
      if (name.startsWith("fs.") && value != null) conf.set(name, value);
    });
    return conf;
  }
}
