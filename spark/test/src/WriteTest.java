package undercroft.spark;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.apache.spark.sql.DataFrameWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.Test;
import undercroft.file.format.FileLayout;
import undercroft.file.format.StructFile;

public class WriteTest {

  private static Dataset<Row> data(int from, int until) {
    return Local.SPARK.range(from, until, 1, 3).selectExpr(
        "id", "cast(id as int) i", "cast(id as short) s", "cast(id % 100 as byte) b", "id % 2 = 0 z", "id / 4.0f f",
        "cast(id as double) d", "case when id % 3 > 0 then cast(id as int) end n", "concat('text ', id) t",
        "named_struct('x', cast(id as int), 'y', case when id % 5 > 0 then id end) p");
  }

  private static DataFrameWriter<Row> write(Dataset<Row> data) {
    return data.write().format("undercroft").option("textBytes", 12);
  }

  private static Path target() {
    return Local.folder().resolve("day");
  }

  /** The files of a folder; asserts that a job left no others. */
  private static List<Path> files(Path folder) throws Exception {
    var names = Local.names(folder);
    assertTrue(
        names.toString(), names.stream().allMatch(name -> name.matches("part-.*\\.rows|_undercroft\\.[0-9]+")));
    return names.stream().filter(name -> name.endsWith(".rows")).map(folder::resolve).toList();
  }

  @Test
  public void writtenRowsAreReadBackInEveryLayout() throws Exception {
    for (var layout : List.of("rows", "packed", "columns")) {
      var folder = target();
      write(data(0, 500)).option("layout", layout).save(folder.toString());
      assertEquals(Local.rows(data(0, 500)), Local.rows(Local.read(folder)));
      for (var path : files(folder))
        try (var file = StructFile.open(path)) {
          file.verify();
          assertEquals(layout.equals("rows") ? FileLayout.ALIGNED : FileLayout.valueOf(layout.toUpperCase(java.util.Locale.ROOT)), file.schema().layout());
        }
    }
  }

  @Test
  public void rowsHaveTheLayoutOfTheCAbi() throws Exception {
    var folder = target();
    Local.SPARK.range(10).selectExpr("cast(id as int) ticket", "cast(id as int) amount", "cast(id as int) price", "id = 3 buy")
        .write().format("undercroft").option("layout", "rows").option("name", "Trade").save(folder.toString());
    try (var file = StructFile.open(files(folder).getFirst())) {
      assertEquals(Trades.schema(FileLayout.ALIGNED), file.schema());
    }
    var mixed = target();
    Local.SPARK.range(1).selectExpr("cast(1 as byte) a", "named_struct('x', cast(2 as byte), 'y', 3L) p", "cast(4 as short) b")
        .write().format("undercroft").option("layout", "rows").save(mixed.toString());
    try (var file = StructFile.open(files(mixed).getFirst())) {
      var offsets = file.schema().leaves().stream().map(leaf -> leaf.dotted() + " " + leaf.offset()).toList();
      assertEquals(List.of("a 0", "p.x 8", "p.y 16", "b 24"), offsets);
      assertEquals(32, file.schema().stride());
    }
  }

  @Test
  public void theFourSaveModesFollowSpark() throws Exception {
    var folder = target();
    write(data(0, 10)).save(folder.toString());
    Local.assertSays(folder + ": already exists", () -> write(data(0, 10)).save(folder.toString()));
    write(data(10, 20)).mode("ignore").save(folder.toString());
    assertEquals(Local.rows(data(0, 10)), Local.rows(Local.read(folder)));
    write(data(10, 20)).mode("append").save(folder.toString());
    assertEquals(Local.rows(data(0, 20)), Local.rows(Local.read(folder)));
    write(data(20, 25)).mode("overwrite").save(folder.toString());
    assertEquals(Local.rows(data(20, 25)), Local.rows(Local.read(folder)));
    assertEquals(3, files(folder).size());
    write(data(0, 5)).mode("ignore").save(folder.resolveSibling("new").toString());
    assertEquals(5, Local.read(folder.resolveSibling("new")).count());
  }

  @Test
  public void aFolderMayBeOverwrittenWithRowsReadFromIt() throws Exception {
    var folder = target();
    write(data(0, 100)).save(folder.toString());
    write(Local.read(folder).where("i >= 50")).mode("overwrite").save(folder.toString());
    assertEquals(Local.rows(data(50, 100)), Local.rows(Local.read(folder)));
  }

  @Test
  public void aFolderOfFilesWithDifferentColumnsCanBeOverwritten() throws Exception {
    var folder = Files.createDirectory(target());
    Trades.file(folder.resolve("a.rows"), FileLayout.ALIGNED, 0, 30);
    Moods.file(folder.resolve("b.rows"), Moods.MOODS);
    write(data(0, 10)).mode("overwrite").save(folder.toString());
    assertEquals(Local.rows(data(0, 10)), Local.rows(Local.read(folder)));
    assertEquals(3, files(folder).size());
  }

  @Test
  public void aFolderWithAMissingFileCanBeOverwritten() throws Exception {
    var folder = target();
    write(data(0, 10)).save(folder.toString());
    Files.delete(files(folder).getFirst());
    write(data(10, 20)).mode("overwrite").save(folder.toString());
    assertEquals(Local.rows(data(10, 20)), Local.rows(Local.read(folder)));
    assertEquals(3, files(folder).size());
  }

  @Test
  public void aStructColumnNamedOptionIsReadAsAStruct() throws Exception {
    var structs = Local.SPARK.range(0, 3).selectExpr("named_struct('isDefined', id > 1, 'get', id) `Option`");
    for (var data : List.of(structs, structs.selectExpr("array(`Option`) `Option`"))) {
      var folder = target();
      write(data).option("arrayLength", 1).save(folder.toString());
      assertEquals(Local.rows(data), Local.rows(Local.read(folder)));
      try (var file = StructFile.open(files(folder).getFirst())) {
        // Other readers take the type Option with these fields for one.
        var fields = file.schema().fields().toString();
        assertTrue(fields, fields.contains("ame=OptionStruct,"));
      }
    }
  }

  @Test
  public void writingNoRowsCreatesAFolderWithColumns() throws Exception {
    var folder = target();
    write(data(0, 0)).save(folder.toString());
    assertEquals(data(0, 0).schema().catalogString(), Local.read(folder).schema().catalogString());
    assertEquals(0, Local.read(folder).collectAsList().size());
  }

  @Test
  public void rowsPerFileLimitsTheRowsOfAFile() throws Exception {
    var folder = target();
    write(data(0, 100)).option("rowsPerFile", 7).save(folder.toString());
    assertEquals(3 * 5, files(folder).size());
    assertEquals(Local.rows(data(0, 100)), Local.rows(Local.read(folder)));
  }

  @Test
  public void aFailedJobLeavesTheFolderUnchanged() throws Exception {
    var folder = target();
    write(data(0, 10)).save(folder.toString());
    var before = Local.names(folder);
    var late = data(0, 1000).withColumn("t", org.apache.spark.sql.functions.expr("repeat('x', shiftright(cast(id as int), 6))"));
    Local.assertSays(
        "column t: a text of 13 bytes does not fit in 12", () -> write(late).mode("append").save(folder.toString()));
    assertEquals(before, Local.names(folder));
    assertEquals(Local.rows(data(0, 10)), Local.rows(Local.read(folder)));
    var fresh = target();
    Local.assertSays("does not fit in 12", () -> write(late).save(fresh.toString()));
    Local.assertSays("there are no struct files", () -> Local.read(fresh));
  }

  @Test
  public void unsupportedDataAndOptionsAreRejectedBeforeAJob() {
    var folder = target();
    Local.assertSays(
        "column t is a string: its size must be set by option(",
        () -> data(0, 1).write().format("undercroft").save(folder.toString()));
    Local.assertSays(
        "column bytes is of type BINARY, which struct files do not support: cast it",
        () -> write(Local.SPARK.range(1).selectExpr("cast('a' as binary) bytes")).save(folder.toString()));
    Local.assertSays(
        "doesn't support the column `long` of the type \"INTERVAL YEAR TO MONTH\"",
        () -> write(Local.SPARK.range(1).selectExpr("interval '1-2' year to month `long`"))
            .save(folder.toString()));
    Local.assertSays(
        "option layout must be rows, packed or columns, but is parquet",
        () -> write(data(0, 1)).option("layout", "parquet").save(folder.toString()));
    assertFalse(Files.exists(folder));
  }

  @Test
  public void excludedNullsAndNulCharactersFailTheTask() {
    var folder = target();
    Local.assertSays(
        "column n is null in a row",
        () -> write(data(0, 10)).option("nulls", "fail").save(folder.toString()));
    Local.assertSays(
        "byte 1 of a text of 3 bytes is NUL",
        () -> write(Local.SPARK.range(1).selectExpr("concat('a', char(0), 'b') t")).save(folder.toString()));
    write(data(0, 10).drop("n", "p")).option("nulls", "fail").save(folder.toString());
    assertFalse(Local.read(folder).schema().apply("t").nullable());
    assertEquals(Local.rows(data(0, 10).drop("n", "p")), Local.rows(Local.read(folder)));
  }

  @Test
  public void nullabilityFollowsTheFolder() throws Exception {
    var folder = target();
    var never = Local.SPARK.range(0, 10, 1, 2).selectExpr("id", "named_struct('x', id) p", "array(id) xs");
    var perhaps =
        Local.SPARK.range(10, 20, 1, 2).selectExpr(
            "if(id < 0, null, id) id", "if(id < 0, null, named_struct('x', if(id < 0, null, id))) p",
            "if(id < 0, null, array(id)) xs");
    assertFalse(never.schema().apply("id").nullable());
    assertTrue(perhaps.schema().apply("id").nullable());
    write(never).option("arrayLength", 1).save(folder.toString());
    write(perhaps).mode("append").save(folder.toString());
    assertFalse(Local.read(folder).schema().apply("id").nullable());
    assertEquals(Local.rows(never.union(perhaps)), Local.rows(Local.read(folder)));
    for (var column : List.of("id", "p", "xs")) {
      var nulls = perhaps.withColumn(column, org.apache.spark.sql.functions.expr("if(id = 13, null, " + column + ")"));
      Local.assertSays(
          "row 3 of partition 0: column " + column + " is null in a row, but option(\"nulls\", \"fail\") or the files of"
              + " the folder exclude null",
          () -> write(nulls).mode("append").save(folder.toString()));
    }
    var inside = perhaps.withColumn("p", org.apache.spark.sql.functions.expr("named_struct('x', if(id = 13, null, id))"));
    Local.assertSays("column p.x is null in a row", () -> write(inside).mode("append").save(folder.toString()));
    assertEquals(20, Local.read(folder).count());
    // The reverse.
    write(perhaps).option("arrayLength", 1).mode("overwrite").save(folder.toString());
    write(never).mode("append").save(folder.toString());
    assertTrue(Local.read(folder).schema().apply("id").nullable());
    assertEquals(Local.rows(never.union(perhaps)), Local.rows(Local.read(folder)));
  }

  @Test
  public void appendingOtherColumnsIsRejected() throws Exception {
    var folder = target();
    write(data(0, 10)).save(folder.toString());
    Local.assertSays(
        "the data: schema mismatch: column 9 is missing, but p of type STRUCT",
        () -> write(data(0, 10).drop("p")).mode("append").save(folder.toString()));
    assertEquals(10, Local.read(folder).count());
  }

  @Test
  public void foreignFilesAreNotOverwritten() throws Exception {
    var folder = Files.createDirectory(target());
    Files.writeString(folder.resolve("notes.txt"), "keep this");
    Local.assertSays(
        folder + "/notes.txt: offset 0: no struct file",
        () -> write(data(0, 10)).mode("overwrite").save(folder.toString()));
    assertEquals(List.of("notes.txt"), Local.names(folder));
  }

  @Test
  public void filesWrittenOutsideSparkCanBeAppendedToAndOverwritten() throws Exception {
    var folder = Files.createDirectory(target());
    Trades.file(folder.resolve("monday.rows"), FileLayout.ALIGNED, 0, 30);
    var addition = Local.read(folder).selectExpr("ticket", "amount + 30 amount", "price - 30 price", "buy");
    addition.write().format("undercroft").mode("append").save(folder.toString());
    assertEquals(60, Local.read(folder).count());
    assertEquals(Trades.balance(0, 60), Local.read(folder).selectExpr(Trades.BALANCE).first().getLong(0));
    addition.write().format("undercroft").mode("overwrite").save(folder.toString());
    assertFalse(Files.exists(folder.resolve("monday.rows")));
    assertEquals(60, Local.read(folder).count());
  }

  @Test
  public void filesAndPartitionsWhoseNamesHaveAColonAreReadAppendedToAndOverwritten() throws Exception {
    var folder = Files.createDirectory(target());
    var file = Trades.file(folder.resolve("10:30.rows"), FileLayout.ALIGNED, 0, 30);
    var rows = Local.read(folder);
    rows.write().format("undercroft").mode("append").save(folder.toString());
    assertEquals(60, Local.read(folder).count());
    rows.limit(7).write().format("undercroft").mode("overwrite").save(folder.toString());
    assertEquals(7, Local.read(folder).count());
    assertFalse(Files.exists(file));
    var days = target();
    Trades.file(Files.createDirectories(days.resolve("at=10:30")).resolve("a.rows"), FileLayout.ALIGNED, 0, 30);
    Local.read(days).write().format("undercroft").mode("append").save(days.toString());
    assertEquals(60, Local.read(days).where("at = '10:30'").count());
  }

  @Test
  public void aRowThatIsTooLongIsRejectedWithItsColumn() {
    var folder = target();
    Local.assertSays(
        "column b would end at byte 2147483648 of a row, but a row must have at most 1073741824 bytes",
        () ->
            Local.SPARK.sql("select 'a' a, 'b' b").write().format("undercroft").option("textBytes", 1 << 30)
                .option("nulls", "fail").save(folder.toString()));
    assertFalse(Files.exists(folder));
  }

  @Test
  public void aTextThatIsNotUtf8FailsTheTask() {
    var folder = target();
    Local.assertSays(
        "row 0 of partition 0: column t: a text of 1 bytes is not valid UTF-8",
        () -> write(Local.SPARK.sql("select cast(x'ff' as string) t")).save(folder.toString()));
    Local.assertSays(
        "column ts.element: a text of 2 bytes is not valid UTF-8",
        () -> write(Local.SPARK.sql("select array(cast(x'c328' as string)) ts")).option("arrayLength", 1)
            .save(folder.toString()));
    var texts = Local.SPARK.sql("select '\u00e9\u20ac\ud83d\ude00' t");
    write(texts).save(folder.toString());
    assertEquals(Local.rows(texts), Local.rows(Local.read(folder)));
  }

  @Test
  public void filesOfAKilledJobAreIgnored() throws Exception {
    var folder = target();
    write(data(0, 10)).save(folder.toString());
    // Renamed, but not committed.
    var dead = target();
    write(data(50, 60)).save(dead.toString());
    for (var path : files(dead)) Files.copy(path, folder.resolve(path.getFileName()));
    Files.createDirectory(folder.resolve("_writing-dead"));
    assertEquals(Local.rows(data(0, 10)), Local.rows(Local.read(folder)));
    write(data(10, 20)).mode("append").save(folder.toString());
    assertEquals(Local.rows(data(0, 20)), Local.rows(Local.read(folder)));
  }

  @Test
  public void aCommittedFileThatIsMissingIsReportedWithItsName() throws Exception {
    var folder = target();
    write(data(0, 10)).save(folder.toString());
    var file = files(folder).getFirst();
    Files.delete(file);
    Local.assertSays(file + ": there is no such file, but commit 1 of the folder lists it", () -> Local.read(folder));
    Files.writeString(file, "short");
    Local.assertSays(file + ": it has 5 bytes, but ", () -> Local.read(folder));
  }

  @Test
  public void concurrentAppendsAllSucceed() throws Exception {
    var folder = target();
    int jobs = 4;
    try (var threads = Executors.newFixedThreadPool(jobs)) {
      var tasks = new java.util.ArrayList<Callable<Void>>();
      for (int job = 0; job < jobs; job++) {
        int from = 10 * job;
        tasks.add(() -> {
          write(data(from, from + 10)).mode("append").save(folder.toString());
          return null;
        });
      }
      for (var done : threads.invokeAll(tasks)) done.get();
    }
    assertEquals(Local.rows(data(0, 10 * jobs)), Local.rows(Local.read(folder)));
    files(folder);
  }
}
