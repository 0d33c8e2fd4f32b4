package undercroft.lab.spark;

// How long does a day of trades take in Spark, over struct files and over Parquet?

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.SparkSession;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** A day of `trades` trades in Spark's local mode, on all processors: the balance, and trades by
 * ticket with two filtered columns. The same day is stored in three folders, of rows, of columns and
 * of Parquet as Spark writes it. The pages of all files are in the system's cache.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(
    value = 3,
    jvmArgs = {
      "-Xms2g", "-Xmx2g", "-XX:+UseG1GC", "--enable-native-access=ALL-UNNAMED",
      "--sun-misc-unsafe-memory-access=allow"
    })
public class SparkDay {
  @Param("10000000")
  public long trades;

  private Path folder;
  private SparkSession spark;
  private long balance;

  /** Writes the day three times. */
  @Setup
  public void open() throws IOException {
    folder = Files.createTempDirectory("undercroft-lab");
    spark = session();
    balance = Day.write(folder.resolve("day.rows"), undercroft.file.format.FileLayout.ALIGNED, trades).balance();
    Day.write(folder.resolve("day.columns"), undercroft.file.format.FileLayout.COLUMNS, trades);
    spark.read().format("undercroft").load(path("day.rows")).write().parquet(path("day.parquet"));
    view("rows", "undercroft", "day.rows");
    view("columns", "undercroft", "day.columns");
    view("parquet", "parquet", "day.parquet");
  }

  /** A session of Spark on all processors of this machine, or the existing session. */
  static SparkSession session() {
    return SparkSession.builder()
        .master("local[*]")
        .appName("lab")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "2")
        .getOrCreate();
  }

  private String path(String name) {
    return folder.resolve(name).toString();
  }

  private void view(String name, String format, String file) {
    spark.read().format(format).load(path(file)).createOrReplaceTempView("day_" + name);
  }

  /** Deletes the day; the session ends with its JVM. */
  @TearDown
  public void close() throws IOException {
    try (var paths = Files.walk(folder)) {
      for (var path : paths.sorted(Comparator.reverseOrder()).toList()) Files.delete(path);
    }
  }

  private long balance(String of) {
    long result = spark.sql("select " + Day.BALANCE + " from day_" + of).first().getLong(0);
    if (result != balance) throw new IllegalStateException(result + " is not the balance " + balance);
    return result;
  }

  private long grouped(String of) {
    long sum = 0;
    for (var row : spark.sql(Day.GROUPED.replace("from day ", "from day_" + of + " ")).collectAsList())
      sum += row.getInt(0) + row.getLong(1) + row.getLong(2);
    return sum;
  }

  @Benchmark
  public long balanceOfRows() {
    return balance("rows");
  }

  @Benchmark
  public long balanceOfColumns() {
    return balance("columns");
  }

  @Benchmark
  public long balanceOfParquet() {
    return balance("parquet");
  }

  @Benchmark
  public long groupsOfRows() {
    return grouped("rows");
  }

  @Benchmark
  public long groupsOfColumns() {
    return grouped("columns");
  }

  @Benchmark
  public long groupsOfParquet() {
    return grouped("parquet");
  }
}
