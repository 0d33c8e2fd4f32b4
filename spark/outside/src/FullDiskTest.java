package outside.spark;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.ClassRule;
import org.junit.Test;
import undercroft.tools.SmallDisk;

/** A job on a disk that becomes full. */
public class FullDiskTest {
  @ClassRule public static final OutsideSpark SPARK = new OutsideSpark();

  private static Dataset<Row> data(int from, int until) {
    return SPARK.session.range(from, until, 1, 2).selectExpr("id", "id % 2 day");
  }

  private static void append(Dataset<Row> data, Path folder) {
    data.write().format("undercroft").partitionBy("day").mode("append").save(folder.toString());
  }

  @Test
  public void aJobOnAFullDiskFailsAndLeavesTheFolderUnchanged() throws Exception {
    new SmallDisk("1m").use(disk -> {
      var folder = disk.resolve("days");
      append(data(0, 1000), folder);
      var before = OutsideSpark.rows(SPARK.read(folder.toString()));
      var message = OutsideSpark.failure(() -> append(data(0, 1_000_000), folder));
      assertTrue(message, message.toLowerCase(java.util.Locale.ROOT).contains("no space"));
      assertEquals(before, OutsideSpark.rows(SPARK.read(folder.toString())));
      try (var paths = Files.list(folder)) {
        assertTrue(paths.noneMatch(path -> path.getFileName().toString().startsWith("_writing-")));
      }
      append(data(1000, 1100), folder);
      assertEquals(1100, SPARK.read(folder.toString()).count());
    });
  }
}
