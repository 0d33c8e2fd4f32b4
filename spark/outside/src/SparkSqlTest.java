package outside.spark;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.After;
import org.junit.ClassRule;
import org.junit.Test;

/** Tables of SQL over folders that a Scala program writes and reads, too. */
public class SparkSqlTest {
  @ClassRule public static final OutsideSpark SPARK = new OutsideSpark();

  private static Dataset<Row> sql(String text) {
    return SPARK.session.sql(text);
  }

  private static void assertSays(String words, String text) {
    var message = OutsideSpark.failure(() -> sql(text).collectAsList());
    assertTrue(message, message.contains(words));
  }

  @After
  public void dropTables() {
    for (var row : sql("show tables").collectAsList()) sql("drop table " + row.getString(1));
  }

  @Test
  public void insertIntoTheFolderOfAScalaProgram() throws Exception {
    var folder = SPARK.target();
    OutsideSpark.scala("add", folder, "0", "100");
    sql("create table sales using undercroft location '" + folder + "'");
    assertEquals(100, sql("select * from sales").count());
    sql("insert into sales (id, parts, day, shop)"
        + " select id, array(1, 2, 3), date'2026-11-25', null from range(1000, 1010)");
    sql("insert into sales partition (day = date'2026-11-26', shop = 'west') values (2000, array(7, 8, 9), 4)");
    assertEquals("2026-11-25 none 10 10045 -10 0", OutsideSpark.scala("sums", folder).get(2));
    assertEquals("2026-11-26 west 1 2000 -1 4", OutsideSpark.scala("sums", folder).get(3));
    assertEquals(List.of("111 " + (4950 + 10045 + 2000)), OutsideSpark.scala("count", folder));
  }

  @Test
  public void aFailedInsertLeavesTheFolderUnchanged() throws Exception {
    var folder = SPARK.target();
    OutsideSpark.scala("add", folder, "0", "100");
    sql("create table sales using undercroft location '" + folder + "'");
    var before = OutsideSpark.scala("sums", folder);
    var target = "insert into sales (id, parts, note, day, shop) ";
    assertSays("column parts is an array of 4 elements, but must have 3", target + "values (1, array(1, 2, 3, 4), 5, date'2026-11-25', 'x')");
    assertSays("NULL value appeared in non-nullable field", target + "select if(id = 5, null, id), array(1, 2, 3), 4, date'2026-11-25', 'x' from range(9)");
    assertSays("Cannot safely cast", target + "values ('text', array(1, 2, 3), 5, date'2026-11-25', 'x')");
    assertSays("option wait is unknown", "insert into sales with (wait 5) values (1, array(1, 2, 3), 2, null, null)");
    assertSays("option merge is unknown", "select * from sales with (merge true)");
    assertEquals(before, OutsideSpark.scala("sums", folder));
  }

  @Test
  public void createTableAsSelectIsReadByTheScalaProgram() throws Exception {
    var source = SPARK.target();
    var target = SPARK.target();
    OutsideSpark.scala("add", source, "0", "50");
    sql("create table sales using undercroft location '" + source + "'");
    sql("create table copied using undercroft options (arrayLength 3) partitioned by (day, shop)"
        + " location '" + target + "' as select * from sales");
    assertEquals(OutsideSpark.scala("sums", source), OutsideSpark.scala("sums", target));
    sql("drop table copied");
    assertEquals(OutsideSpark.scala("sums", source), OutsideSpark.scala("sums", target));
    var message = OutsideSpark.failure(() -> sql("create table names using undercroft as select 'Ada' name"));
    assertTrue(message, message.contains("column name is a string: its size must be set by"));
  }

  @Test
  public void aColumnThatLaterFilesHaveIsNullInEarlierOnes() throws Exception {
    var folder = Path.of(SPARK.target());
    Files.createDirectories(folder);
    sql("select id from range(10)").coalesce(1).write().format("undercroft").save(folder.resolve("a").toString());
    sql("select id, cast(id as int) age from range(10, 15)").coalesce(1).write().format("undercroft")
        .save(folder.resolve("b").toString());
    var both = folder + "/{a,b}";
    assertSaysRead("age", both);
    var merged = SPARK.session.read().format("undercroft").option("mergeSchema", true).load(both);
    assertEquals(15, merged.count());
    assertEquals(5, merged.where("age is not null").count());
    assertEquals(10, merged.where("age is null and id < 10").count());
    assertEquals(60, merged.selectExpr("sum(age)").first().getLong(0));
  }

  private static void assertSaysRead(String words, String path) {
    var message = OutsideSpark.failure(() -> SPARK.read(path).collectAsList());
    assertTrue(message, message.contains(words));
  }
}
