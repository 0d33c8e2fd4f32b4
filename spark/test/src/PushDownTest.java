package undercroft.spark;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.nio.file.Path;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.Test;
import undercroft.file.format.FileLayout;

public class PushDownTest {
  private static final int ROWS = 100;

  private static String plan(Dataset<Row> data) {
    return data.queryExecution().executedPlan().toString();
  }

  private static void assertPlan(String words, Dataset<Row> data) {
    assertTrue(plan(data), plan(data).contains(words));
  }

  private static Path folder() {
    var folder = Local.folder();
    Trades.file(folder.resolve("a.rows"), FileLayout.ALIGNED, 0, 60);
    Trades.file(folder.resolve("b.rows"), FileLayout.COLUMNS, 60, ROWS);
    return folder;
  }

  @Test
  public void onlyTheRequestedColumnsAreRead() {
    var data = Local.read(folder()).selectExpr("price + 1");
    assertPlan("struct<price:int>", data);
    assertEquals(ROWS, data.collectAsList().size());
  }

  @Test
  public void blocksWithoutAMatchingRowAreSkipped() {
    var data = Local.read(folder());
    assertPlan("10 of 100 rows", data.where("amount = 75"));
    assertPlan("10 of 100 rows", data.where("amount < 5"));
    assertPlan("20 of 100 rows", data.where("amount in (3, 94, 1000)"));
    assertPlan("20 of 100 rows", data.where("price between 945 and 960"));
    assertPlan("0 of 100 rows", data.where("amount > 99"));
    assertPlan("20 of 100 rows", data.where("amount = 12 or price = 1000 - 88"));
    assertPlan("90 of 100 rows", data.where("not (amount between 20 and 29)"));
    assertPlan("100 of 100 rows", data.where("ticket = 3"));
    assertEquals(0, data.where("amount > 99").collectAsList().size());
  }

  @Test
  public void pushedPredicatesSelectTheRowsThatSparkSelects() {
    long seed = new Random().nextLong();
    System.out.println("seed " + seed);
    var random = new Random(seed);
    var files = Local.read(folder());
    files.createOrReplaceTempView("files");
    var model =
        Local.SPARK.range(ROWS).selectExpr(
            "cast(id % 7 as int) ticket", "cast(id as int) amount", "cast(1000 - id as int) price", "id % 2 = 0 buy");
    var here = Local.SPARK.createDataFrame(model.collectAsList(), model.schema());
    var predicates = Stream.generate(() -> predicate(random, 3)).limit(25).toList();
    var expected = Local.rowsWhere(here, predicates, "*");
    for (int i = 0; i < predicates.size(); i++)
      assertEquals(predicates.get(i), expected.get(i), Local.rows(files.where(predicates.get(i))));
  }

  private static String predicate(Random random, int depth) {
    int kind = random.nextInt(depth == 0 ? 6 : 9);
    var operators = new String[] {"=", "<=>", "<>", "<", "<=", ">", ">="};
    var operator = operators[random.nextInt(operators.length)];
    int value = random.nextInt(-3, ROWS + 3);
    return switch (kind) {
      case 0 -> "amount " + operator + " " + value;
      case 1 -> (1000 - value) + " " + operator + " price";
      case 2 -> "ticket " + operator + " " + random.nextInt(8);
      case 3 -> "buy " + operator + " " + random.nextBoolean();
      case 4 -> "amount in (" + value + ", " + random.nextInt(ROWS) + ", null)";
      case 5 -> random.nextBoolean() ? "amount is not null" : "buy";
      case 6 -> "not (" + predicate(random, depth - 1) + ")";
      case 7 -> "(" + predicate(random, depth - 1) + " and " + predicate(random, depth - 1) + ")";
      default -> "(" + predicate(random, depth - 1) + " or " + predicate(random, depth - 1) + ")";
    };
  }

  @Test
  public void aLimitReadsTheFirstRows() {
    var data = Local.read(folder()).limit(65);
    assertPlan("65 of 100 rows", data);
    assertEquals(65, data.collectAsList().size());
    assertEquals(3, Local.read(folder()).where("amount > 90").limit(3).collectAsList().size());
  }

  @Test
  public void countMinAndMaxAreComputedFromStatistics() {
    var data = Local.read(folder());
    var answer =
        data.selectExpr("count(*)", "count(price)", "min(price)", "max(amount)", "min(buy)", "max(buy)", "min(ticket)");
    assertPlan("LocalTableScan", answer);
    assertEquals("[100,100,901,99,false,true,0]", answer.first().toString());
    assertEquals(100, data.count());
    // Groups, predicates and other functions prevent aggregate pushdown.
    assertEquals(90L, data.where("amount >= 10").count());
    assertEquals(7, data.groupBy("ticket").count().count());
    assertEquals(49L, data.selectExpr("cast(avg(amount) as bigint)").first().getLong(0));
    assertEquals(7L, data.selectExpr("count(distinct ticket)").first().getLong(0));
  }

  @Test
  public void minAndMaxOfAnEmptyFileAreNull() {
    var file = Trades.file(Local.folder().resolve("none.rows"), FileLayout.COLUMNS, 0, 0);
    var answer = Local.read(file).selectExpr("count(*)", "min(price)", "max(buy)");
    assertPlan("LocalTableScan", answer);
    assertEquals("[0,null,null]", answer.first().toString());
  }

  @Test
  public void statisticsAreExact() {
    var statistics = Local.read(folder()).select("price").queryExecution().optimizedPlan().stats();
    assertEquals("100", statistics.rowCount().get().toString());
    // 60 rows of 16 bytes, and a column of 40 Ints.
    assertEquals("1120", statistics.sizeInBytes().toString());
  }
}
