package outside.spark;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import org.apache.spark.sql.SparkSession;
import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.Test;

/** Sealed files with a flipped bit, and files added to a folder without a commit. */
public class SparkChecksumsTest {
  private static SparkSession spark;
  private static Path folders;

  @BeforeClass
  public static void start() throws IOException {
    folders = Files.createTempDirectory("undercroft-outside-");
    spark =
        SparkSession.builder()
            .master("local[2]")
            .appName("outside")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.sql.warehouse.dir", folders.resolve("warehouse").toString())
            .getOrCreate();
  }

  @AfterClass
  public static void stop() throws IOException {
    spark.stop();
    try (var paths = Files.walk(folders)) {
      for (var path : paths.sorted(Comparator.reverseOrder()).toList()) Files.deleteIfExists(path);
    }
  }

  /** Saves a folder of `rows` rows and returns its path. */
  private static Path saved(String layout, int rows) throws IOException {
    var folder = Files.createTempDirectory(folders, "day");
    spark.range(rows).selectExpr("id", "cast(id as int) amount").repartition(1)
        .write().format("undercroft").option("layout", layout).mode("overwrite").save(folder.toString());
    return folder;
  }

  private static Path file(Path folder) throws IOException {
    try (var paths = Files.list(folder)) {
      return paths.filter(path -> path.toString().endsWith(".rows")).findFirst().orElseThrow();
    }
  }

  private static void flip(Path file, long at) throws IOException {
    try (var bytes = new RandomAccessFile(file.toFile(), "rw")) {
      bytes.seek(at);
      int before = bytes.read();
      bytes.seek(at);
      bytes.write(before ^ 0x10);
    }
  }

  private static String failure(Runnable query) {
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

  @Test
  public void aFlippedBitFailsTheTasksThatReadItsBlock() throws IOException {
    for (var layout : new String[] {"rows", "columns"}) {
      var folder = saved(layout, 300_000);
      var file = file(folder);
      flip(file, 12_288 + 2_000_003);
      var data = spark.read().format("undercroft").load(folder.toString());
      var message = failure(() -> data.selectExpr("sum(id)").collectAsList());
      assertTrue(message, message.contains(file + ": offset ") && message.contains("the checksum of block"));
      var unchecked =
          spark.read().format("undercroft").option("checksums", "false").load(folder.toString());
      assertEquals(1, unchecked.selectExpr("sum(id)").collectAsList().size());
      if (layout.equals("columns")) {
        // The other column is not read, and therefore not compared.
        long sum = data.selectExpr("sum(amount)").first().getLong(0);
        assertEquals(299_999L * 300_000 / 2, sum);
      }
    }
  }

  @Test
  public void anOptionThatIsNotABooleanIsRejectedWithItsName() throws IOException {
    var folder = saved("columns", 10);
    var message =
        failure(
            () ->
                spark.read().format("undercroft").option("checksums", "perhaps").load(folder.toString())
                    .collectAsList());
    assertTrue(message, message.contains("option checksums must be true or false, but is perhaps"));
  }

  @Test
  public void aFileAddedAfterACommitIsReadOnlyThroughAPattern() throws IOException {
    var folder = saved("columns", 10);
    Files.copy(file(saved("columns", 7)), folder.resolve("added.rows"));
    assertEquals(10, spark.read().format("undercroft").load(folder.toString()).count());
    assertEquals(17, spark.read().format("undercroft").load(folder + "/*.rows").count());
  }
}
