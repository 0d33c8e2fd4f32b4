package undercroft.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** The one session of all tests, and folders of their own. */
final class Local {
  private Local() {}

  static final SparkSession SPARK =
      SparkSession.builder()
          .master("local[2]")
          .appName("undercroft tests")
          .config("spark.ui.enabled", "false")
          .config("spark.driver.bindAddress", "127.0.0.1")
          .config("spark.driver.host", "127.0.0.1")
          .config("spark.sql.shuffle.partitions", "2")
          .config("spark.sql.warehouse.dir", folder().resolve("warehouse").toString())
          .config("spark.hadoop.fs.far.impl", FarFileSystem.class.getName())
          .config("spark.hadoop.fs.far.impl.disable.cache", "true")
          .getOrCreate();

  /** A new folder, which is deleted with all that is in it when the tests end. */
  static Path folder() {
    try {
      var folder = Files.createTempDirectory("undercroft-spark-");
      Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder)));
      return folder;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void delete(Path folder) {
    try (var all = Files.walk(folder)) {
      for (var path : all.sorted(java.util.Comparator.reverseOrder()).toList()) Files.deleteIfExists(path);
    } catch (IOException e) {
      System.err.println(folder + " was not deleted: " + e);
    }
  }

  static Dataset<Row> read(Object path) {
    return SPARK.read().format("undercroft").load(path.toString());
  }

  /** Rows as text, in the order of their texts. */
  static List<String> rows(Dataset<Row> data) {
    var rows = new ArrayList<String>();
    for (var row : data.collectAsList()) rows.add(row.toString());
    rows.sort(null);
    return rows;
  }

  /** Names of what is in a folder, in order. */
  static List<String> names(Path folder) throws IOException {
    try (var all = Files.list(folder)) {
      return all.map(path -> path.getFileName().toString()).sorted().toList();
    }
  }

  /** An operation that fails. */
  interface Body {
    void run() throws Exception;
  }

  /** What a failure says, with all of its causes. */
  static String failure(Body body) {
    try {
      body.run();
    } catch (Exception e) {
      var words = new StringBuilder();
      Throwable one = e;
      for (int depth = 0; one != null && depth < 20; depth++, one = one.getCause())
        words.append(one.getMessage()).append('\n');
      return words.toString();
    }
    throw new AssertionError("nothing failed");
  }

  static void assertSays(String words, Body body) {
    var said = failure(body);
    if (!said.contains(words)) throw new AssertionError("it says\n" + said + "and not\n" + words);
  }
}
