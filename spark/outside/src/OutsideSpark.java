package outside.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.rules.ExternalResource;
import undercroft.tools.ChildJvm;

/**
 * A folder for the tests of a class, and for all classes one Spark session and one process of the
 * Scala program `Sales`.
 */
final class OutsideSpark extends ExternalResource {
  private static final long TIMEOUT_SECONDS = 120;

  /** The program that runs the commands of its input. */
  private static Process sales;

  SparkSession session;
  Path folders;

  private static final Path WAREHOUSE = warehouse();

  private static Path warehouse() {
    try {
      var folder = Files.createTempDirectory("undercroft-outside-");
      Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder)));
      return folder;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void delete(Path folder) {
    try (var paths = Files.walk(folder)) {
      for (var path : paths.sorted(Comparator.reverseOrder()).toList()) Files.deleteIfExists(path);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  protected void before() throws IOException {
    folders = Files.createTempDirectory("undercroft-outside-");
    session =
        SparkSession.builder()
            .master("local[2]")
            .appName("outside")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.sql.shuffle.partitions", "1")
            .config("spark.sql.warehouse.dir", WAREHOUSE.toString())
            .getOrCreate();
  }

  @Override
  protected void after() {
    delete(folders);
  }

  /** The path of a folder that does not exist. */
  String target() throws IOException {
    return Files.createTempDirectory(folders, "case").resolve("sales").toString();
  }

  Dataset<Row> read(String folder) {
    return session.read().format("undercroft").load(folder);
  }

  /** Rows as strings, sorted. */
  static List<String> rows(Dataset<Row> data) {
    return data.collectAsList().stream().map(Row::toString).sorted().toList();
  }

  /** Starts the Scala program; its output is a pipe. */
  static Process start(String... args) throws IOException {
    var command =
        new ArrayList<>(List.of("--enable-native-access=ALL-UNNAMED", "-cp", System.getenv("UNDERCROFT_SALES")));
    command.add("outside.sales.Sales");
    command.addAll(List.of(args));
    return ChildJvm.builder(command).redirectErrorStream(true).start();
  }

  /** The lines that the Scala program prints. */
  static synchronized List<String> scala(String... args) throws IOException {
    if (sales == null) {
      sales = start();
      Runtime.getRuntime().addShutdownHook(new Thread(() -> sales.destroyForcibly()));
    }
    var commands = sales.outputWriter();
    commands.write(String.join("\t", args) + "\n");
    commands.flush();
    var lines = new ArrayList<String>();
    var output = sales.inputReader();
    for (var line = output.readLine(); !"done".equals(line); line = output.readLine()) {
      if (line == null || line.equals("failed")) throw new AssertionError(String.join("\n", lines));
      lines.add(line);
    }
    return lines;
  }

  static List<String> lines(Process process) throws IOException, InterruptedException {
    try (var out = process.inputReader()) {
      var lines = out.lines().toList();
      if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) throw new AssertionError("it did not end");
      if (process.exitValue() != 0) throw new AssertionError(String.join("\n", lines));
      return lines;
    } finally {
      process.destroyForcibly();
    }
  }

  /** The messages of a failure and its causes. */
  static String failure(Runnable query) {
    try {
      query.run();
    } catch (Exception e) {
      var words = new StringBuilder();
      Throwable cause = e;
      for (int depth = 0; cause != null && depth < 20; depth++, cause = cause.getCause())
        words.append(cause.getMessage()).append('\n');
      return words.toString();
    }
    throw new AssertionError("the query succeeded");
  }
}
