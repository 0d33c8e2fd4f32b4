package undercroft.spark;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** What the options of a reader or a writer ask for. */
final class Asked {
  private Asked() {}

  /** The paths of `load` or `save`; an IllegalArgumentException where there is none. */
  static List<String> paths(CaseInsensitiveStringMap options) {
    var paths = new ArrayList<String>();
    try {
      // Spark hands several paths on as an array in JSON.
      if (options.get("paths") != null)
        paths.addAll(List.of(new ObjectMapper().readValue(options.get("paths"), String[].class)));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("paths " + options.get("paths") + ": no array of strings", e);
    }
    if (options.get("path") != null) paths.add(options.get("path"));
    if (paths.isEmpty())
      throw new IllegalArgumentException("no path: load(path) or option(\"path\", path) names one");
    return paths;
  }

  /** A whole number from 1 on, or what holds where none was given. */
  static long count(CaseInsensitiveStringMap options, String name, long otherwise) {
    var text = options.get(name);
    if (text == null) return otherwise;
    if (!text.matches("[0-9]{1,18}") || Long.parseLong(text) < 1)
      throw new IllegalArgumentException("option " + name + " is " + text + ", and no number from 1 on");
    return Long.parseLong(text);
  }

  /** What file systems have to know: what the session says, and options that begin with `fs.`. */
  static Configuration hadoop(CaseInsensitiveStringMap options) {
    var conf = new Configuration(SparkSession.active().sparkContext().hadoopConfiguration());
    options.asCaseSensitiveMap().forEach((name, value) -> {
      if (name.startsWith("fs.") && value != null) conf.set(name, value);
    });
    return conf;
  }
}
