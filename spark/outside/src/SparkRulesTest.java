package outside.spark;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.ClassRule;
import org.junit.Test;

/** The rules of Spark's own sources of files: names, nulls, added columns, hidden columns, joins. */
public class SparkRulesTest {
  @ClassRule public static final OutsideSpark SPARK = new OutsideSpark();

  private static Dataset<Row> sql(String statement) {
    return SPARK.session.sql(statement);
  }

  /** Rows of a table or view, sorted. */
  private static List<String> rows(String query) {
    return OutsideSpark.rows(sql(query));
  }

  private static void write(Dataset<Row> rows, String mode, String folder, String... partitions) {
    rows.write().format("undercroft").mode(mode).partitionBy(partitions).save(folder);
  }

  private static Dataset<Row> sales() {
    return SPARK.session.range(0, 4, 1, 1)
        .selectExpr("id", "named_struct('part', cast(id * 10 as int)) place", "cast(id % 2 as int) k");
  }

  private static void sensitive(Runnable body) {
    SPARK.session.conf().set("spark.sql.caseSensitive", true);
    try {
      body.run();
    } finally {
      SPARK.session.conf().unset("spark.sql.caseSensitive");
    }
  }

  @Test
  public void namesInOtherLettersMeanTheSameColumnUnlessTheSessionIsCaseSensitive() throws Exception {
    var folder = SPARK.target();
    write(sales(), "overwrite", folder, "K");
    // Appended rows get the names of the folder's columns.
    write(sales().selectExpr("ID + 4 ID", "named_struct('PART', place.part + 40) PLACE", "k K"), "append", folder, "K");
    assertEquals(List.of("id", "place", "k"), List.of(SPARK.read(folder).schema().fieldNames()));
    var reader = SPARK.session.read().schema("K long, PLACE struct<PART int>, ID long").format("undercroft");
    reader.load(folder).createOrReplaceTempView("letters");
    assertEquals(List.of("[1,[50],5]", "[1,[70],7]"), rows("select * from letters where ID > 4 and K = 1"));
    assertEquals(List.of("[1,5]"), rows("select k, id from letters where place.part = 50"));
    assertEquals(List.of("[8,0,7]"), rows("select count(*), min(ID), max(ID) from letters"));
    sensitive(() -> {
      var message = OutsideSpark.failure(() -> reader.load(folder).collectAsList());
      assertTrue(message, message.contains("there is no column K, only id, place, k"));
      write(sql("select 1 id, 2 ID"), "overwrite", folder);
      assertEquals(List.of("[1,2]"), OutsideSpark.rows(SPARK.read(folder)));
    });
  }

  @Test
  public void filesWithOtherLettersAreMerged() throws Exception {
    var folder = SPARK.target();
    write(sql("select 1 id, 'a' note").selectExpr("id"), "overwrite", folder + "/a");
    write(sql("select 2 ID, 3L more"), "overwrite", folder + "/b");
    var merged = SPARK.session.read().format("undercroft").option("mergeSchema", true);
    assertEquals(List.of("[1,null]", "[2,3]"), OutsideSpark.rows(merged.load(folder + "/a", folder + "/b")));
    write(sql("select 5 Id"), "overwrite", folder + "/c");
    var both = SPARK.session.read().format("undercroft").load(folder + "/a", folder + "/c");
    assertEquals(List.of("[5]"), OutsideSpark.rows(both.where("id > 1")));
  }

  @Test
  public void columnsThatDifferInCaseOnlyAreRefusedUnlessTheSessionIsCaseSensitive() throws Exception {
    var folder = SPARK.target();
    var number = DataTypes.IntegerType;
    var two = SPARK.session.createDataFrame(List.<Row>of(), new StructType().add("a", number).add("A", number));
    var nested = sql("select array(named_struct('b', 1, 'B', 2)) p");
    var message = OutsideSpark.failure(() -> write(two, "overwrite", folder));
    assertTrue(message, message.contains("columns a and A must differ in more than case"));
    message = OutsideSpark.failure(() -> write(nested, "overwrite", folder));
    assertTrue(message, message.contains("columns p.element.b and p.element.B must differ in more than case"));
    assertTrue(Files.notExists(Path.of(folder)));
  }

  @Test
  public void theSchemaOfTheWrittenRowsReadsThemAlsoIfTheirPartitionIsNotNull() throws Exception {
    var folder = SPARK.target();
    var key = DataTypes.createStructField("k", DataTypes.IntegerType, false);
    var written = new StructType().add("id", DataTypes.LongType, false).add(key);
    write(SPARK.session.createDataFrame(sales().select("id", "k").collectAsList(), written), "overwrite", folder, "k");
    var read = SPARK.session.read().schema(written).format("undercroft").load(folder);
    assertEquals(List.of("[0,0]", "[1,1]", "[2,0]", "[3,1]"), OutsideSpark.rows(read));
    assertTrue(read.schema().apply("k").nullable());
    sql("create table strict (id bigint not null, K int not null) using undercroft partitioned by (K) location '"
        + folder + "'");
    sql("insert into strict values (9, 5)");
    sql("insert overwrite strict partition (k = 1) values (8)");
    assertEquals(List.of("[0,0]", "[2,0]", "[8,1]", "[9,5]"), rows("select id, k from strict"));
    assertEquals(List.of("[0,0]", "[2,0]", "[8,1]", "[9,5]"), OutsideSpark.rows(SPARK.read(folder)));
    sql("drop table strict");
  }

  @Test
  public void aColumnThatIsAddedToATableIsNullInOlderRows() {
    sql("create table grown using undercroft as select 1 id");
    sql("alter table grown add column note string");
    sql("alter table grown add column first int first");
    assertEquals(List.of("[null,1,null]"), rows("select * from grown"));
    assertEquals(List.of("[1,0]"), rows("select count(*), count(first) from grown"));
    var message = OutsideSpark.failure(() -> sql("insert into grown values (7, 2, 'x')"));
    assertTrue(message, message.contains("option(\"textBytes.note\", n)"));
    sql("insert into grown with (`textBytes.note` = 8) values (7, 2, 'x')");
    sql("insert into grown values (8, 3, 'y')"); // in the folder's size
    assertEquals(List.of("[7,2,x]", "[8,3,y]", "[null,1,null]"), rows("select * from grown"));
    assertEquals(List.of("[8,3]"), rows("select first, id from grown where note = 'y'"));
    sql("drop table grown");
  }

  @Test
  public void aColumnIsAddedToAPartitionedTableBeforeItsPartitions() {
    sql("create table parts (id int, d date) using undercroft partitioned by (d)");
    sql("insert into parts values (1, date'2026-01-01')");
    sql("alter table parts add column x int after id");
    sql("insert into parts values (2, 5, date'2026-01-02')");
    sql("insert into parts values (3, 6, date'2026-01-01')");
    assertEquals(
        List.of("[1,null,2026-01-01]", "[2,5,2026-01-02]", "[3,6,2026-01-01]"), rows("select * from parts"));
    assertEquals(List.of("[3]"), rows("select id from parts where x > 5"));
    sql("drop table parts");
  }

  @Test
  public void aChangeOfATableThatItsFilesCannotFollowIsRefusedAtOnce() {
    sql("create table altered using undercroft as select 1 id, 2 v, named_struct('part', 5) place");
    var refused =
        Map.of(
            "rename column id to n", "there is no column n, only id, v, place",
            "rename column place.part to piece", "but STRUCT<piece: INT> was requested",
            "alter column id type bigint", "column id is of type INT, but BIGINT was requested",
            "replace columns (n int)", "there is no column n, only id, v, place");
    refused.forEach((change, fault) -> {
      var failure = assertThrows(change, AnalysisException.class, () -> sql("alter table altered " + change));
      assertTrue(failure.getMessage(), failure.getMessage().contains("ALTER TABLE changes no file: "));
      assertTrue(failure.getMessage(), failure.getMessage().contains(fault));
    });
    sql("insert into altered values (3, 4, named_struct('part', 6))");
    assertEquals(List.of("[1,2,[5]]", "[3,4,[6]]"), rows("select * from altered"));
    sql("alter table altered drop column v");
    var failure =
        assertThrows(AnalysisException.class, () -> sql("alter table altered add column w int"));
    assertTrue(failure.getMessage(), failure.getMessage().contains("use the name that the column has in the files"));
    sql("alter table altered replace columns (id int, place struct<part: int>)");
    assertEquals(List.of("[1,[5]]", "[3,[6]]"), rows("select * from altered"));
    sql("drop table altered");
  }

  @Test
  public void aTableIsRenamedAndOneWithoutRowsTakesEachChange() {
    sql("create table early (id int, v int) using undercroft");
    sql("alter table early rename column id to n");
    sql("alter table early rename to late");
    sql("insert into late values (1, 2)");
    sql("alter table late rename to later");
    sql("insert into later (n, v) values (3, 4)");
    assertEquals(List.of("[1,2]", "[3,4]"), rows("select n, v from later"));
    assertTrue(OutsideSpark.failure(() -> sql("select * from late")).contains("late"));
    sql("drop table later");
  }

  @Test
  public void aJoinReadsThePartitionsOfItsOtherSideOnly() throws Exception {
    var folder = SPARK.target();
    write(SPARK.session.range(0, 40, 1, 1).selectExpr("id", "cast(id % 4 as int) d"), "overwrite", folder, "d");
    SPARK.session.read().schema("id long, D int").format("undercroft").load(folder).createOrReplaceTempView("facts");
    var names = SPARK.target();
    sql("select 2 d, 'x' name union all select 3, 'y'").coalesce(1).write().parquet(names);
    SPARK.session.read().parquet(names).createOrReplaceTempView("names");
    var query = sql("select sum(id), count(*) from facts join names on facts.d = names.d where names.name = 'x'");
    var plan = query.queryExecution().executedPlan().toString();
    assertTrue(plan, plan.contains("dynamicpruning"));
    // The plan exists; a task that reads a deleted file fails.
    for (var day : List.of("d=0", "d=1", "d=3"))
      try (var files = Files.list(Path.of(folder, day))) {
        for (var file : files.toList()) Files.delete(file);
      }
    assertEquals(List.of("[200,10]"), OutsideSpark.rows(query));
  }

  @Test
  public void rowsTellTheirFile() throws Exception {
    var folder = SPARK.target();
    write(sales().drop("place"), "overwrite", folder, "k");
    var files = SPARK.read(folder)
        .selectExpr(
            "k", "input_file_name() name", "_metadata.file_path path", "_metadata.file_name short",
            "_metadata.file_size size", "unix_millis(_metadata.file_modification_time) at",
            "_metadata.file_block_start = input_file_block_start()"
                + " and _metadata.file_block_length = input_file_block_length() blocks")
        .distinct()
        .collectAsList();
    assertEquals(2, files.size());
    for (var row : files) {
      assertEquals(row.<String>getAs("path"), row.getAs("name"));
      var file = Path.of(new java.net.URI(row.getAs("path")).getPath());
      assertTrue(file.toString(), file.getParent().endsWith("k=" + row.getAs("k")));
      assertEquals(file.getFileName().toString(), row.getAs("short"));
      assertEquals(Files.size(file), (long) row.getAs("size"));
      assertEquals(file.toFile().lastModified(), (long) row.getAs("at"));
      assertTrue((boolean) row.getAs("blocks"));
    }
    assertEquals(6, ((StructType) SPARK.read(folder).select("_metadata", "k").schema().apply(0).dataType()).length());
    assertEquals(List.of("id", "k"), List.of(SPARK.read(folder).select("*").schema().fieldNames()));
    // A column of this name hides the facts.
    write(sql("select 5 _metadata, 6 v"), "overwrite", folder);
    assertEquals(List.of("[5,6]"), OutsideSpark.rows(SPARK.read(folder).select("_metadata", "v")));
  }

  @Test
  public void aFolderThatWasReadIsPlannedWithoutOpeningItsFiles() throws Exception {
    var folder = SPARK.target();
    write(sales().coalesce(1), "overwrite", folder);
    assertEquals(1, SPARK.read(folder).where("id > 2").count());
    Path file;
    try (var files = Files.list(Path.of(folder))) {
      file = files.filter(path -> path.toString().endsWith(".rows")).findFirst().orElseThrow();
    }
    var modified = Files.getLastModifiedTime(file);
    var bytes = Files.readAllBytes(file);
    Files.write(file, new byte[bytes.length]);
    Files.setLastModifiedTime(file, modified);
    var planned = SPARK.read(folder).where("id > 2");
    assertTrue(planned.queryExecution().executedPlan().toString().contains("undercroft"));
    var message = OutsideSpark.failure(planned::collectAsList);
    assertTrue(message, message.contains("no struct file"));
    // A file that was changed is opened.
    Files.setLastModifiedTime(file, java.nio.file.attribute.FileTime.fromMillis(modified.toMillis() + 1000));
    message = OutsideSpark.failure(() -> SPARK.read(folder));
    assertTrue(message, message.contains("no struct file"));
    Files.write(file, bytes);
    assertEquals(1, SPARK.read(folder).where("id > 2").count());
  }

  @Test
  public void aFolderIsPlannedByItsManifestWithoutOpeningAFile() throws Exception {
    var folder = SPARK.target();
    write(
        SPARK.session.range(0, 40, 1, 4).selectExpr("id", "id * 0.5d half", "id >= 20 late"), "overwrite",
        folder, "late");
    var files = structFiles(folder);
    assertTrue(files.toString(), files.size() >= 4);
    // No file can be opened from here on.
    for (var file : files) {
      var modified = Files.getLastModifiedTime(file);
      Files.write(file, new byte[(int) Files.size(file)]);
      Files.setLastModifiedTime(file, modified);
    }
    assertEquals("40 of 40 rows", planned(folder, "id < 100"));
    assertEquals("10 of 40 rows", planned(folder, "id = 7"));
    assertEquals("0 of 40 rows", planned(folder, "half < -1"));
    assertEquals(List.of("[40,0,39]"), OutsideSpark.rows(SPARK.read(folder).selectExpr("count(*)", "min(id)", "max(id)")));
    var message = OutsideSpark.failure(() -> SPARK.read(folder).collectAsList());
    assertTrue(message, message.contains("no struct file"));
  }

  /** The rows that the scan of a query reads, and those of the folder. */
  private static String planned(String folder, String condition) {
    var plan = SPARK.read(folder).where(condition).queryExecution().executedPlan().toString();
    var matcher = java.util.regex.Pattern.compile("[0-9]+ of [0-9]+ rows").matcher(plan);
    assertTrue(plan, matcher.find());
    return matcher.group();
  }

  private static List<Path> structFiles(String folder) throws Exception {
    try (var files = Files.walk(Path.of(folder))) {
      return files.filter(path -> path.toString().endsWith(".rows")).toList();
    }
  }

  @Test
  public void aFolderIsNoSourceOfAStream() throws Exception {
    var folder = SPARK.target();
    write(sales(), "overwrite", folder);
    var stream = SPARK.session.readStream().format("undercroft");
    var failure = assertThrows(AnalysisException.class, () -> stream.load(folder));
    assertTrue(failure.getMessage(), failure.getMessage().contains("cannot be the source of a stream"));
    assertTrue(failure.getMessage(), failure.getMessage().contains("Read the folder by spark.read in each run"));
  }
}
