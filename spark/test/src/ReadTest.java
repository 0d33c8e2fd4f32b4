package undercroft.spark;

import static org.junit.Assert.assertEquals;

import java.nio.file.Files;
import java.util.List;
import org.apache.spark.sql.types.StructType;
import org.junit.Test;
import undercroft.file.format.FileLayout;
import undercroft.spark.internal.scan.SplitReader;

public class ReadTest {

  @Test
  public void filesOfEveryLayoutAreReadUnchanged() {
    for (var layout : FileLayout.values()) {
      var file = Trades.file(Local.folder().resolve("day.rows"), layout, 0, 95);
      var data = Local.read(file);
      assertEquals(
          StructType.fromDDL("ticket int not null, amount int not null, price int not null, buy boolean not null"),
          data.schema());
      var first = data.orderBy("amount").first();
      assertEquals("[0,0,1000,true]", first.toString());
      assertEquals(95, data.collectAsList().size());
      assertEquals(Trades.balance(0, 95), data.selectExpr(Trades.BALANCE).first().getLong(0));
    }
  }

  @Test
  public void aFolderOfFilesWithDifferentLayoutsIsOneTable() {
    var folder = Local.folder();
    Trades.file(folder.resolve("a.rows"), FileLayout.ALIGNED, 0, 30);
    Trades.file(folder.resolve("b.rows"), FileLayout.COLUMNS, 30, 70);
    Trades.file(folder.resolve("c.rows"), FileLayout.PACKED, 70, 71);
    Trades.file(folder.resolve("empty.rows"), FileLayout.PACKED, 71, 71);
    assertEquals(Trades.balance(0, 71), Local.read(folder).selectExpr(Trades.BALANCE).first().getLong(0));
    var two = Local.read(folder + "/[ab].rows");
    assertEquals(Trades.balance(0, 70), two.selectExpr(Trades.BALANCE).first().getLong(0));
    var named = Local.SPARK.read().format("undercroft").load(folder + "/a.rows", folder + "/c.rows");
    assertEquals(31, named.count());
  }

  @Test
  public void aFileThatIsStillWrittenHasItsCommittedRows() {
    var file = Local.folder().resolve("live.rows");
    try (var writer = Trades.writer(file, FileLayout.ALIGNED, 0, 50)) {
      writer.commit(20);
      var data = Local.read(file);
      assertEquals(20, data.count());
      assertEquals(Trades.balance(0, 20), data.selectExpr(Trades.BALANCE).first().getLong(0));
      assertEquals(19, data.selectExpr("max(amount)").first().getInt(0));
      writer.commit(50);
      assertEquals(50, data.count());
      assertEquals(Trades.balance(0, 50), Local.read(file).selectExpr(Trades.BALANCE).first().getLong(0));
      // The folder has the struct file and its lock file.
      assertEquals(50, Local.read(file.getParent()).count());
    }
  }

  @Test
  public void splitsCoverAllRowsOnce() {
    int rows = 3 * SplitReader.ROWS + 17;
    var folder = Local.folder();
    Trades.writer(folder.resolve("a.rows"), FileLayout.COLUMNS, 0, rows).seal(rows);
    Trades.writer(folder.resolve("b.rows"), FileLayout.ALIGNED, rows, rows + 5).seal(5);
    for (var bytes : List.of("1", "1000000", "3000000")) {
      var data = Local.SPARK.read().format("undercroft").option("splitBytes", bytes).load(folder.toString());
      assertEquals(bytes.equals("1") ? 5 : bytes.equals("1000000") ? 3 : 1, data.rdd().getNumPartitions());
      var sums = data.selectExpr("sum(amount)", "count(distinct amount)").first();
      assertEquals((long) (rows + 5) * (rows + 4) / 2, sums.getLong(0));
      assertEquals(rows + 5, sums.getLong(1));
    }
  }

  @Test
  public void aUserSchemaMaySelectColumns() {
    var file = Trades.file(Local.folder().resolve("day.rows"), FileLayout.COLUMNS, 0, 10);
    var data = Local.SPARK.read().format("undercroft").schema("price int, ticket int").load(file.toString());
    assertEquals("[1000,0]", data.first().toString());
  }

  @Test
  public void aPathMayContainSpacesAndSpecialCharacters() throws Exception {
    var folder = Files.createDirectory(Local.folder().resolve("a day, 50% of it"));
    Trades.file(folder.resolve("the day.rows"), FileLayout.COLUMNS, 0, 10);
    assertEquals(10, Local.read(folder).where("price > 0").collectAsList().size());
  }
}
