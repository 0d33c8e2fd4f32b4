package undercroft.spark;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** Parses the options of readers and writers. */
final class SourceOptions {
  private SourceOptions() {}

  /** The paths of `load` or `save`; throws IllegalArgumentException if there are none. */
  static List<String> paths(CaseInsensitiveStringMap options) {
    var paths = new ArrayList<String>();
    try {
      // Spark passes several paths as a JSON array.
      if (options.get("paths") != null)
        paths.addAll(List.of(new ObjectMapper().readValue(options.get("paths"), String[].class)));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(
          "option paths must be a JSON array of strings, but is " + options.get("paths"), e);
    }
    if (options.get("path") != null) paths.add(options.get("path"));
    if (paths.isEmpty())
      throw new IllegalArgumentException("no path is set: use load(path) or option(\"path\", path)");
    return paths;
  }

  /** A positive integer option, or its default. */
  static long count(CaseInsensitiveStringMap options, String name, long otherwise) {
    var text = options.get(name);
    if (text == null) return otherwise;
    if (!text.matches("[0-9]{1,18}") || Long.parseLong(text) < 1)
      throw new IllegalArgumentException("option " + name + " must be an integer of at least 1, but is " + text);
    return Long.parseLong(text);
  }

  /** A Boolean option, or its default. */
  static boolean flag(CaseInsensitiveStringMap options, String name, boolean otherwise) {
    var text = options.get(name);
    if (text == null) return otherwise;
    if (!text.equalsIgnoreCase("true") && !text.equalsIgnoreCase("false"))
      throw new IllegalArgumentException("option " + name + " must be true or false, but is " + text);
    return Boolean.parseBoolean(text);
  }

  /** The Hadoop configuration of the session, with the options that begin with `fs.`. */
  static Configuration hadoop(CaseInsensitiveStringMap options) {
    var conf = new Configuration(SparkSession.active().sparkContext().hadoopConfiguration());
    options.asCaseSensitiveMap().forEach((name, value) -> {
      if (name.startsWith("fs.") && value != null) conf.set(name, value);
    });
    return conf;
  }
}
