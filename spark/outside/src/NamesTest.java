package outside.spark;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.ClassRule;
import org.junit.Test;

/** Folders whose names are also patterns, and columns whose names contain dots. */
public class NamesTest {
  @ClassRule public static final OutsideSpark SPARK = new OutsideSpark();

  private static final List<String> PATTERNS = List.of("g[1]", "g{a,b}", "g*", "g?", "[[*]]");

  private static void write(Dataset<Row> rows, String mode, Path folder) {
    rows.write().format("undercroft").mode(mode).save(folder.toString());
  }

  private static long count(Object path) {
    return SPARK.read(path.toString()).count();
  }

  /** A folder in which the folders g1 and ga match patterns and have other columns. */
  private static Path neighbours() throws IOException {
    var folder = Files.createDirectory(Path.of(SPARK.target()));
    for (var name : List.of("g1", "ga")) write(SPARK.session.range(5).toDF("other"), "overwrite", folder.resolve(name));
    return folder;
  }

  @Test
  public void aFolderIsWrittenAndReadByItsNameAlsoIfThatIsAPattern() throws Exception {
    var folder = neighbours();
    for (var name : PATTERNS) {
      var target = folder.resolve(name);
      write(SPARK.session.range(3).toDF("id"), "overwrite", target);
      write(SPARK.session.range(4).toDF("id"), "append", target);
      assertEquals(name, 7, count(target));
      write(SPARK.session.range(2).toDF("id"), "overwrite", target);
      assertEquals(name, 2, count(target));
    }
    for (var name : List.of("g1", "ga"))
      assertEquals(
          OutsideSpark.rows(SPARK.session.range(5).toDF("other")),
          OutsideSpark.rows(SPARK.read(folder.resolve(name).toString())));
  }

  @Test
  public void theFirstCommitOfAFolderListsItsOwnFilesOnly() throws Exception {
    var folder = neighbours();
    var target = Files.createDirectory(folder.resolve("g?"));
    write(SPARK.session.range(0, 3, 1, 1).toDF("id"), "overwrite", folder.resolve("single"));
    try (var files = Files.list(folder.resolve("single"))) {
      var file = files.filter(path -> !path.getFileName().toString().matches("[._].*")).findFirst().orElseThrow();
      Files.copy(file, target.resolve(file.getFileName()));
    }
    write(SPARK.session.range(4).toDF("id"), "append", target);
    assertEquals(7, count(target));
  }

  @Test
  public void aTableOfTheCatalogHasItsLocationAlsoIfThatIsAPattern() throws Exception {
    var folder = neighbours();
    for (var name : List.of("g[1]", "g{a,b}")) {
      SPARK.session.sql("create table named (id bigint) using undercroft location '" + folder.resolve(name) + "'");
      for (int round = 1; round <= 2; round++) {
        SPARK.session.sql("insert into named select id from range(3)");
        assertEquals(name, 3L * round, SPARK.session.table("named").count());
      }
      SPARK.session.sql("drop table named");
      assertTrue(name, Files.isDirectory(folder.resolve(name)));
    }
  }

  @Test
  public void aPatternThatIsNoNameReadsAllFoldersThatMatch() throws Exception {
    var folder = neighbours();
    assertEquals(10, count(folder + "/g*"));
    assertEquals(10, count(folder + "/g{1,a}"));
    assertEquals(5, count(folder + "/g[a-z]"));
    var message = OutsideSpark.failure(() -> SPARK.read(folder + "/h*"));
    assertTrue(message, message.contains(folder + "/h*: there is no such file or folder"));
  }

  @Test
  public void aPatternMatchesHiddenNamesAndAuxiliaryFilesOnlyIfItSaysSo() throws Exception {
    var folder = Files.createDirectory(Path.of(SPARK.target()));
    for (var name : List.of("a", "_old", ".b"))
      write(SPARK.session.range(5).toDF("id"), "overwrite", folder.resolve(name));
    Files.writeString(folder.resolve("a").resolve("x.rows.lock"), "");
    for (var pattern : List.of("*", "*/part-*", "a/*", "{a/*,none}", "_*", "_o*/*", "_old/*", ".b/*"))
      assertEquals(pattern, 5, count(folder + "/" + pattern));
    var message = OutsideSpark.failure(() -> SPARK.read(folder + "/a/x*"));
    assertTrue(message, message.contains(folder + "/a/x*: there is no such file or folder"));
  }

  @Test
  public void conditionsOnFieldsWithEqualDottedPathsSelectTheRowsOfTheirOwnField() throws Exception {
    var folder = Path.of(SPARK.target());
    var rows = SPARK.session.range(0, 10, 1, 1).selectExpr(
        "cast(id as int) as `p.x`", "named_struct('x', cast(id + 100 as int)) as p",
        "cast(id + 1000 as int) as `o.get`", "if(id < 10, cast(id + 10 as int), null) as o", "id");
    write(rows, "overwrite", folder);
    var read = SPARK.read(folder.toString());
    assertEquals(OutsideSpark.rows(rows), OutsideSpark.rows(read));
    var fields = List.of("`p.x`", "p.x", "`o.get`", "o");
    var firsts = List.of(0, 100, 1000, 10);
    for (int i = 0; i < fields.size(); i++) {
      var field = fields.get(i);
      int first = firsts.get(i);
      assertEquals(field, List.of("[3]"), OutsideSpark.rows(read.where(field + " = " + (first + 3)).select("id")));
      assertEquals(field, 2, read.where(field + " >= " + (first + 8)).count());
      assertEquals(
          field, List.of("[" + first + "," + (first + 9) + "]"),
          OutsideSpark.rows(read.selectExpr("min(" + field + ")", "max(" + field + ")")));
    }
  }

  @Test
  public void equalAndEmptyNamesAreRefused() throws Exception {
    var folder = Path.of(SPARK.target());
    var one = SPARK.session.range(1);
    var twice = " must occur once, but occurs twice";
    for (var refused :
        Map.of(
            "column v" + twice, one.selectExpr("1 v", "2L v"),
            "column p.x" + twice, one.selectExpr("named_struct('x', 1, 'x', 2) p"),
            "column xs.element.x" + twice, one.selectExpr("array(named_struct('x', 1, 'x', 2)) xs"),
            "name of a column must not be empty, but is in ''", one.selectExpr("if(id < 9, id, null)").toDF(""),
            "name of a column must not be empty, but is in 'p.'", one.selectExpr("named_struct('', id) p")).entrySet()) {
      var message = OutsideSpark.failure(() -> write(refused.getValue(), "overwrite", folder));
      assertTrue(message, message.contains(refused.getKey()));
    }
    var keys = one.selectExpr("id", "1 k", "2 k").write().format("undercroft").partitionBy("k").mode("append");
    assertTrue(OutsideSpark.failure(() -> keys.save(folder.toString())).contains("column k" + twice));
    assertTrue(Files.notExists(folder));
    // Names of fields of different structs may be equal.
    write(one.selectExpr("named_struct('x', 1) p", "named_struct('x', 2) q", "3 x"), "overwrite", folder);
    assertEquals(List.of("[[1],[2],3]"), OutsideSpark.rows(SPARK.read(folder.toString())));
  }

  @Test
  public void theNameOfAFolderIsADateOnlyIfSparkHasThatDate() throws Exception {
    var folder = Path.of(SPARK.target());
    var names = List.of("+999999999-12-31", "2026-11-25");
    for (int i = 0; i < names.size(); i++)
      write(SPARK.session.range(i, i + 1).toDF("id"), "overwrite", folder.resolve("day=" + names.get(i)));
    for (var name : names) {
      // A folder within a folder has a manifest of its own, which belongs to no table.
      try (var files = Files.list(folder.resolve("day=" + name))) {
        for (var file : files.filter(path -> path.getFileName().toString().startsWith("_")).toList()) Files.delete(file);
      }
    }
    var read = SPARK.read(folder.toString());
    assertEquals("string", read.schema().apply("day").dataType().simpleString());
    assertEquals(List.of("[0,+999999999-12-31]", "[1,2026-11-25]"), OutsideSpark.rows(read.select("id", "day")));
    assertEquals(1, read.where("day = '+999999999-12-31'").count());
  }
}
