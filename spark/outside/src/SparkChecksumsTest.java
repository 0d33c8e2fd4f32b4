package outside.spark;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.ClassRule;
import org.junit.Test;

/** Sealed files with a flipped bit, and files added to a folder without a commit. */
public class SparkChecksumsTest {
  @ClassRule public static final OutsideSpark SPARK = new OutsideSpark();

  /** Saves a folder of `rows` rows and returns its path. */
  private static Path saved(String layout, int rows) throws IOException {
    var folder = Files.createTempDirectory(SPARK.folders, "day");
    SPARK.session.range(rows).selectExpr("id", "cast(id as int) amount").repartition(1)
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

  @Test
  public void aFlippedBitFailsTheTasksThatReadItsBlock() throws IOException {
    for (var layout : new String[] {"rows", "columns"}) {
      var folder = saved(layout, 300_000);
      var file = file(folder);
      flip(file, 12_288 + 2_000_003);
      var data = SPARK.session.read().format("undercroft").load(folder.toString());
      var message = OutsideSpark.failure(() -> data.selectExpr("sum(id)").collectAsList());
      assertTrue(message, message.contains(file + ": offset ") && message.contains("the checksum of block"));
      var unchecked =
          SPARK.session.read().format("undercroft").option("checksums", "false").load(folder.toString());
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
        OutsideSpark.failure(
            () ->
                SPARK.session.read().format("undercroft").option("checksums", "perhaps").load(folder.toString())
                    .collectAsList());
    assertTrue(message, message.contains("option checksums must be true or false, but is perhaps"));
  }

  @Test
  public void aFileAddedAfterACommitIsReadOnlyThroughAPattern() throws IOException {
    var folder = saved("columns", 10);
    Files.copy(file(saved("columns", 7)), folder.resolve("added.rows"));
    assertEquals(10, SPARK.session.read().format("undercroft").load(folder.toString()).count());
    assertEquals(17, SPARK.session.read().format("undercroft").load(folder + "/*.rows").count());
  }
}
