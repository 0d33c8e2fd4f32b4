package undercroft.spark;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.Test;
import undercroft.file.format.FileLayout;
import undercroft.spark.internal.scan.SplitReader;

public class RemoteTest {

  private static String far(Path path) {
    return "far:" + path;
  }

  @Test
  public void filesOfOtherFileSystemsAreReadInParts() {
    var folder = Local.folder();
    for (var layout : FileLayout.values())
      Trades.file(folder.resolve(layout + ".rows"), layout, 10 * layout.ordinal(), 10 * layout.ordinal() + 10);
    long before = FarFileSystem.OPENED.get();
    var data = Local.read(far(folder));
    assertEquals(Trades.balance(0, 30), data.selectExpr(Trades.BALANCE).first().getLong(0));
    assertEquals("[30,971]", data.selectExpr("count(*)", "min(price)").first().toString());
    assertEquals(1, data.where("amount = 15").count());
    assertEquals(4, data.limit(4).collectAsList().size());
    assertTrue(FarFileSystem.OPENED.get() > before);
  }

  @Test
  public void manyBatchesOfARemoteFileAreRead() {
    int rows = 2 * SplitReader.ROWS + 100;
    var file = Local.folder().resolve("day.rows");
    Trades.writer(file, FileLayout.COLUMNS, 0, rows).seal(rows);
    var sums = Local.read(far(file)).selectExpr("sum(amount)", "sum(case when buy then 1 else 0 end)").first();
    assertEquals((long) rows * (rows - 1) / 2, sums.getLong(0));
    assertEquals(rows / 2, sums.getLong(1));
  }

  @Test
  public void aFlippedBitOfARemoteFileFailsTheTaskThatReadsItsBlock() throws Exception {
    int rows = 4 * SplitReader.ROWS + 100;
    for (var layout : new FileLayout[] {FileLayout.ALIGNED, FileLayout.COLUMNS}) {
      var file = Local.folder().resolve("day.rows");
      Trades.writer(file, layout, 0, rows).seal(rows);
      var far = Local.read(far(file));
      assertEquals(rows, far.where("amount >= 0").count());
      // For row ranges that end inside a block, the whole block is fetched.
      var small =
          Local.SPARK.read().format("undercroft").option("splitBytes", 100_000).load(far(file));
      assertEquals(rows, small.where("amount >= 0").count());
      try (var bytes = new RandomAccessFile(file.toFile(), "rw")) {
        bytes.seek(12_288 + 4 * 100_000L);
        int before = bytes.read();
        bytes.seek(12_288 + 4 * 100_000L);
        bytes.write(before ^ 1);
      }
      Local.assertSays(
          "day.rows: offset ", () -> Local.read(far(file)).selectExpr("sum(ticket)", "sum(amount)").collectAsList());
    }
  }

  @Test
  public void badRemoteFilesAreRejectedWithTheirUri() throws Exception {
    var folder = Local.folder();
    var file = Trades.file(folder.resolve("day.rows"), FileLayout.COLUMNS, 0, 100);
    long size = Files.size(file);
    for (long cut : new long[] {size - 1, 12_288, 9_000, 100}) {
      try (var bytes = new RandomAccessFile(file.toFile(), "rw")) {
        bytes.setLength(cut);
      }
      Local.assertSays(far(file) + ": offset " + cut + ": truncated", () -> Local.read(far(file)));
    }
    Files.writeString(file, "ticket,price");
    Local.assertSays(far(file) + ": offset 0: no struct file", () -> Local.read(far(folder)));
  }

  @Test
  public void aRemoteFileDeletedAfterPlanningFailsTheTask() throws Exception {
    var file = Trades.file(Local.folder().resolve("day.rows"), FileLayout.COLUMNS, 0, 100);
    var data = Local.read(far(file));
    data.queryExecution().executedPlan();
    Files.delete(file);
    Local.assertSays(far(file) + ": there is no such file", data::collectAsList);
  }

  @Test
  public void foldersOfOtherFileSystemsAreWritten() throws Exception {
    var folder = Local.folder().resolve("day");
    var data = Local.SPARK.range(0, 100, 1, 3).selectExpr("id", "cast(id as int) i");
    for (var mode : new String[] {"error", "append", "overwrite"})
      data.write().format("undercroft").mode(mode).save(far(folder));
    assertEquals(Local.rows(data), Local.rows(Local.read(far(folder))));
    assertEquals(Local.rows(data), Local.rows(Local.read(folder)));
    for (var name : Local.names(folder))
      assertTrue(name, name.matches("part-.*\\.rows|_undercroft\\.[0-9]+"));
  }
}
