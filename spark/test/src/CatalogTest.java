package undercroft.spark;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.After;
import org.junit.Test;

/** Tables of the session's catalog, by SQL. */
public class CatalogTest {
  private final Path folder = Local.folder().resolve("table");

  private static Dataset<Row> sql(String text) {
    return Local.SPARK.sql(text);
  }

  private static List<String> rows(String query) {
    return Local.rows(sql(query));
  }

  @After
  public void dropTables() {
    for (var row : sql("show tables").collectAsList()) if (!row.getBoolean(2)) sql("drop table " + row.getString(1));
  }

  private static final String EMPTY =
      "create table t (id bigint, s string, day date) using undercroft options (textBytes 8) partitioned by (day)";

  @Test
  public void insertIntoAppendsByPositionByNameAndToAPartition() {
    sql(EMPTY);
    assertEquals(List.of(), rows("select * from t"));
    assertEquals(List.of("[0,null]"), rows("select count(*), max(id) from t where id > 3"));
    sql("insert into t values (1, 'a', date'2026-11-24'), (2, 'b', null)");
    sql("insert into t (day, id, s) values (date'2026-11-25', 3, 'c')");
    sql("insert into t partition (day = date'2026-11-26') values (4, 'd')");
    assertEquals(
        List.of("[1,a,2026-11-24]", "[2,b,null]", "[3,c,2026-11-25]", "[4,d,2026-11-26]"), rows("select * from t"));
    sql("insert into t with (rowsPerFile 1) select id, 'e', date'2026-11-27' from range(0, 6, 1, 1)");
    assertEquals(List.of("[6]"), rows("select count(*) from t where day = date'2026-11-27'"));
    Local.assertSays("Cannot safely cast", () -> sql("insert into t values ('x', 'y', null)"));
    Local.assertSays(
        "row 0 of partition 0: column s: a text of 9 bytes does not fit in 8",
        () -> sql("insert into t values (8, '123456789', date'2026-11-27')"));
    assertEquals(List.of("[10]"), rows("select count(*) from t"));
  }

  @Test
  public void insertOverwriteReplacesTheTableOrPartitions() {
    sql(EMPTY);
    sql("insert into t select id, 'a', date_add(date'2026-11-20', cast(id as int)) from range(5)");
    sql("insert overwrite t partition (day = date'2026-11-21') values (10, 'b'), (11, 'b')");
    assertEquals(
        List.of("[0,a,2026-11-20]", "[10,b,2026-11-21]", "[11,b,2026-11-21]", "[2,a,2026-11-22]", "[3,a,2026-11-23]",
            "[4,a,2026-11-24]"),
        rows("select * from t"));
    Local.SPARK.conf().set("spark.sql.sources.partitionOverwriteMode", "dynamic");
    try {
      sql("insert overwrite t values (12, 'c', date'2026-11-22')");
    } finally {
      Local.SPARK.conf().unset("spark.sql.sources.partitionOverwriteMode");
    }
    assertEquals(List.of("[6]"), rows("select count(*) from t"));
    assertEquals(List.of("[12]"), rows("select id from t where day = date'2026-11-22'"));
    sql("insert overwrite t select * from t where id > 10");
    assertEquals(List.of("[11,b,2026-11-21]", "[12,c,2026-11-22]"), rows("select * from t"));
    Local.assertSays(
        "Table does not support overwrite by expression",
        () -> sql("select * from values (1L, 'x', date'2026-11-22') v(id, s, day)").writeTo("t")
            .overwrite(org.apache.spark.sql.functions.expr("id = 12")));
    assertEquals(2, Local.SPARK.table("t").count());
  }

  @Test
  public void createTableAsSelectWritesTheWarehouseOrALocation() throws Exception {
    sql("create table t using undercroft options (textBytes 8) partitioned by (k)"
        + " as select id, concat('n', id) s, id % 2 k from range(5)");
    assertEquals(List.of("[0,n0,0]", "[1,n1,1]", "[2,n2,0]", "[3,n3,1]", "[4,n4,0]"), rows("select * from t"));
    assertTrue(sql("show create table t").first().getString(0), sql("show create table t").first().getString(0).contains("PARTITIONED BY (k)"));
    for (var location : List.of("options (textBytes 8) location '%s'", "options (textBytes 8, path '%s')")) {
      sql("create table u using undercroft " + location.formatted(folder) + " as select id, 'x' s from range(3)");
      assertEquals(3, Local.read(folder).count());
      sql("insert into u select id + 10, 'yyy' from range(2)");
      assertEquals(List.of("[0,x]", "[1,x]", "[10,yyy]", "[11,yyy]", "[2,x]"), Local.rows(Local.read(folder)));
      sql("drop table u"); // the files of a location remain
      delete(folder);
    }
    var warehouse = Path.of(Local.SPARK.conf().get("spark.sql.warehouse.dir").replaceFirst("^file:", ""));
    assertTrue(Files.exists(warehouse.resolve("t")));
    sql("create or replace table t using undercroft as select 1 a");
    assertEquals(List.of("[1]"), rows("select * from t"));
    sql("drop table t");
    assertFalse(Files.exists(warehouse.resolve("t")));
    Local.assertSays(
        "column a is a string: its size must be set by", () -> sql("create table t using undercroft as select 'a' a"));
    assertEquals(List.of(), rows("show tables like 't'"));
  }

  private static void delete(Path folder) throws Exception {
    try (var all = Files.walk(folder)) {
      for (var path : all.sorted(java.util.Comparator.reverseOrder()).toList()) Files.delete(path);
    }
  }

  @Test
  public void aTableOverAFolderHasItsColumnsAndPartitions() {
    var data = Local.SPARK.range(6).selectExpr("id", "array(cast(id as int)) xs", "cast(id % 2 as int) k");
    data.write().format("undercroft").option("arrayLength", 1).partitionBy("k").save(folder.toString());
    sql("create table t using undercroft location '" + folder + "'");
    sql("insert into t partition (k = 7) values (100, array(5))");
    sql("insert overwrite t partition (k = 0) select 200, array(6)");
    assertEquals(
        List.of("[1,ArraySeq(1),1]", "[100,ArraySeq(5),7]", "[200,ArraySeq(6),0]", "[3,ArraySeq(3),1]", "[5,ArraySeq(5),1]"),
        rows("select * from t"));
    sql("create temporary view v using undercroft options (path '" + folder + "', checksums false)");
    assertEquals(rows("select * from t"), rows("select * from v"));
    sql("drop view v");
  }

  @Test
  public void dataFramesInsertIntoTablesToo() throws Exception {
    var data = Local.SPARK.range(3).selectExpr("id", "'a' s", "cast(id as int) k");
    data.write().format("undercroft").option("textBytes", 3).partitionBy("k").saveAsTable("t");
    data.write().format("undercroft").mode("append").partitionBy("k").saveAsTable("t");
    data.write().insertInto("t");
    assertEquals(9, Local.SPARK.table("t").count());
    data.writeTo("t").overwritePartitions();
    assertEquals(Local.rows(data), rows("select * from t"));
    data.write().format("undercroft").option("textBytes", 5).mode("overwrite").saveAsTable("t");
    assertEquals(Local.rows(data), rows("select * from t"));
    data.writeTo("u").using("undercroft").option("textBytes", "3").tableProperty("any", "thing").create();
    data.writeTo("u").append();
    assertEquals(6, Local.SPARK.table("u").count());
  }

  @Test
  public void faultsOfTablesAreReportedBeforeAJob() {
    Local.assertSays(
        "option textbyte is unknown: a table has the options checksums, splitBytes, mergeSchema, layout",
        () -> sql("create table t (a int) using undercroft options (textByte 8)"));
    Local.assertSays(
        "folders of struct files are partitioned by columns, but not by bucket(4, id)",
        () -> sql("create table t (id int) using undercroft clustered by (id) into 4 buckets"));
    Local.assertSays(
        folder + ": there is no such file or folder",
        () -> sql("create table t using undercroft location '" + folder + "'"));
    sql("create table t (id int not null, n int) using undercroft");
    sql("insert into t values (1, null)");
    Local.assertSays("NULL value appeared in non-nullable field", () -> sql("insert into t select if(id > 3, null, id), 2 from range(5)"));
    Local.assertSays("option splitByte is unknown", () -> sql("select * from t with (splitByte 8)").collectAsList());
    Local.assertSays("option checksums is unknown", () -> sql("insert into t with (checksums true) values (2, 3)"));
    assertEquals(List.of("[1,null]"), rows("select * from t"));
    Local.SPARK.range(2).selectExpr("cast(id as int) n").write().format("undercroft").save(folder.toString());
    sql("create table u (n int, m int) using undercroft location '" + folder + "'");
    assertEquals(List.of("[0,null]", "[1,null]"), rows("select * from u")); // as after ADD COLUMN
    Local.SPARK.sql("select cast(null as int) n").write().format("undercroft").mode("overwrite").save(folder.toString());
    sql("create table w (n int not null) using undercroft location '" + folder + "'");
    Local.assertSays("column n is of type INT or null, but INT was requested", () -> rows("select * from w"));
    for (var refused :
        List.of("delete from t where id = 1", "truncate table t", "update t set n = 3", "msck repair table t", "show partitions t"))
      Local.assertSays("support", () -> sql(refused));
    assertEquals(List.of("[1,null]"), rows("select * from t"));
  }
}
