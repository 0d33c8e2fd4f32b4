package undercroft.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;

/** The Spark session shared by all tests, and temporary folders. */
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

  /** A new folder, deleted with its content when the JVM exits. */
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

  /** Rows as strings, sorted. */
  static List<String> rows(Dataset<Row> data) {
    var rows = new ArrayList<String>();
    for (var row : data.collectAsList()) rows.add(row.toString());
    rows.sort(null);
    return rows;
  }

  /** The columns of the rows that each predicate selects, as {@link #rows} has them: by one job. */
  static List<List<String>> rowsWhere(Dataset<Row> data, List<String> predicates, String... columns) {
    var selected = new ArrayList<List<String>>();
    for (var _ : predicates) selected.add(new ArrayList<>());
    var all = Stream.concat(Stream.of(columns), predicates.stream()).toArray(String[]::new);
    for (var row : data.selectExpr(all).collectAsList()) {
      int width = row.length() - predicates.size();
      var values = new Object[width];
      for (int i = 0; i < width; i++) values[i] = row.get(i);
      var text = RowFactory.create(values).toString();
      for (int i = 0; i < selected.size(); i++)
        if (Boolean.TRUE.equals(row.get(width + i))) selected.get(i).add(text);
    }
    for (var rows : selected) rows.sort(null);
    return selected;
  }

  /** The names in a folder, sorted. */
  static List<String> names(Path folder) throws IOException {
    try (var all = Files.list(folder)) {
      return all.map(path -> path.getFileName().toString()).sorted().toList();
    }
  }

  /** An operation that fails. */
  interface Body {
    void run() throws Exception;
  }

  /** The message of a failure and its causes. */
  static String failure(Body body) {
    try {
      body.run();
    } catch (Exception e) {
      var words = new StringBuilder();
      Throwable cause = e;
      for (int depth = 0; cause != null && depth < 20; depth++, cause = cause.getCause())
        words.append(cause.getMessage()).append('\n');
      return words.toString();
    }
    throw new AssertionError("nothing failed");
  }

  static void assertSays(String words, Body body) {
    var message = failure(body);
    if (!message.contains(words)) throw new AssertionError("it says\n" + message + "and not\n" + words);
  }
}
