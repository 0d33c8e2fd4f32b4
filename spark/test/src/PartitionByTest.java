package undercroft.spark;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.apache.spark.sql.DataFrameWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.DataTypes;
import org.junit.After;
import org.junit.Test;
import undercroft.file.format.internal.folder.FolderListing;
import undercroft.file.format.internal.folder.FolderManifest;

/** Folders with partitions, as Spark writes them. */
public class PartitionByTest {
  private final Path folder = Local.folder().resolve("days");

  @After
  public void allHasHappened() {
    FarFileSystem.assertHappened();
  }

  /** Rows of four days and three shops, one of them null: each partition is files and tasks. */
  private static Dataset<Row> data(int from, int until) {
    return Local.SPARK.range(from, until, 1, 3).selectExpr(
        "date_add(date'2026-11-20', cast(id % 4 as int)) day", "id",
        "case id % 3 when 0 then 'a/b=50%' when 1 then 'né' end shop", "cast(id * 2 as int) twice");
  }

  private static DataFrameWriter<Row> write(Dataset<Row> data, String... partitions) {
    return data.write().format("undercroft").option("textBytes", 12).partitionBy(partitions);
  }

  private void save(Dataset<Row> data, String mode, String... partitions) {
    write(data, partitions).mode(mode).save(folder.toString());
  }

  private List<String> rows() {
    return Local.rows(Local.read(folder).select("day", "id", "shop", "twice"));
  }

  /** The partition folders of the listed files. */
  private List<String> partitions() {
    return FolderListing.current(folder).entries().stream().map(FolderManifest.Entry::partition).distinct().toList();
  }

  /** Asserts that the folder has no other files than the listed ones. */
  private void assertTidy() throws Exception {
    assertEquals(List.of(), FolderListing.unlisted(folder));
    for (var name : Local.names(folder)) assertTrue(name, name.matches("day=.*|part-.*\\.rows|_undercroft\\.[0-9]+"));
    try (var all = Files.walk(folder)) {
      for (var path : all.filter(Files::isDirectory).toList())
        assertTrue(path + " is empty", path.equals(folder) || !Local.names(path).isEmpty());
    }
  }

  @Test
  public void rowsAreReadBackFromTheirPartitions() throws Exception {
    for (var layout : List.of("rows", "packed", "columns")) {
      write(data(0, 300), "day", "shop").option("layout", layout).mode("overwrite").save(folder.toString());
      var read = Local.read(folder);
      assertEquals(List.of("id", "twice", "day", "shop"), List.of(read.columns()));
      assertEquals(DataTypes.DateType, read.schema().apply("day").dataType());
      assertEquals(Local.rows(data(0, 300)), rows());
      assertEquals(12, partitions().size());
      assertTrue(partitions().toString(), partitions().contains("day=2026-11-20/shop=a%2Fb%3D50%25"));
      assertTrue(partitions().toString(), partitions().contains("day=2026-11-23/shop=__HIVE_DEFAULT_PARTITION__"));
      assertEquals(25, read.where("day = date'2026-11-21' and shop is null").count());
      assertTidy();
    }
  }

  @Test
  public void partitionsHaveBooleanAndIntegerColumnsToo() throws Exception {
    var data =
        Local.SPARK.range(0, 100, 1, 2).selectExpr(
            "id", "cast(id % 3 as byte) b", "cast(-id % 2 as short) s", "id % 5 = 0 z", "id % 2 + 5000000000 l");
    save(data, "append", "b", "s", "z", "l");
    var types = Local.read(folder).schema();
    assertEquals("struct<id:bigint,b:int,s:int,z:string,l:bigint>", types.catalogString());
    assertEquals(
        Local.rows(data.selectExpr("id", "b", "s", "z", "l")), Local.rows(Local.read(folder)));
    var typed = Local.SPARK.read().format("undercroft").schema(data.schema()).load(folder.toString());
    assertEquals("struct<id:bigint,b:tinyint,s:smallint,z:boolean,l:bigint>", typed.schema().catalogString());
    assertEquals(Local.rows(data), Local.rows(typed));
    assertEquals(Local.rows(data.where("z and b = 1Y")), Local.rows(typed.where("z and b = 1Y")));
    assertEquals(Local.rows(data.where("not z")), Local.rows(typed.where("not z")));
    var asText = Local.SPARK.read().format("undercroft").schema("id long, l string").load(folder.toString());
    assertEquals(50, asText.where("l = '5000000001'").count());
    Local.assertSays(
        "the partition value l=500000000",
        () -> Local.SPARK.read().format("undercroft").schema("id long, l int").load(folder.toString()).count());
  }

  @Test
  public void aTaskWritesOneFileForEachOfItsPartitions() throws Exception {
    save(data(0, 3000), "append", "day");
    int tasks = 3;
    assertEquals(tasks * 4, FolderListing.current(folder).entries().size());
    var one = Local.folder().resolve("one");
    write(data(0, 3000).repartition(org.apache.spark.sql.functions.col("day")), "day").option("rowsPerFile", 100).save(one.toString());
    assertEquals(32, FolderListing.current(one).entries().size());
    assertEquals(Local.rows(data(0, 3000)), Local.rows(Local.read(one).select("day", "id", "shop", "twice")));
  }

  @Test
  public void anAppendKeepsThePartitionsOfTheFolder() throws Exception {
    save(data(0, 100), "append", "day");
    save(data(100, 150), "append", "day");
    save(data(150, 200).select("twice", "shop", "day", "id").selectExpr("id", "shop", "twice", "day"), "append");
    assertEquals(Local.rows(data(0, 200)), rows());
    assertEquals(4, partitions().size());
    assertTidy();
  }

  @Test
  public void otherPartitionsAreRefusedBeforeAJob() throws Exception {
    save(data(0, 100), "append", "day");
    var before = FolderListing.current(folder);
    Local.assertSays(
        folder + ": its files are in partitions of (day), not of (shop)", () -> save(data(0, 9), "append", "shop"));
    Local.assertSays(
        "its files are in partitions of (day), not of (day, shop)", () -> save(data(0, 9), "append", "day", "shop"));
    Local.assertSays(
        "the data has no column day for the partitions, only id, shop, twice",
        () -> save(data(0, 9).drop("day"), "append"));
    Local.assertSays(
        "the data has no column week for the partitions", () -> save(data(0, 9), "overwrite", "week"));
    Local.assertSays(
        "column f is of type FLOAT, but a column of partitions must be a Boolean, an integer, a date or a string",
        () -> save(data(0, 9).selectExpr("id", "1.5f f"), "overwrite", "f"));
    Local.assertSays(
        "the name of a partition must not be empty or begin with _ or ., but is '_id'",
        () -> save(data(0, 9).selectExpr("id", "id _id"), "overwrite", "_id"));
    Local.assertSays("there are no columns", () -> save(data(0, 9).select("id"), "overwrite", "id"));
    Local.assertSays(
        "the data: schema mismatch: column 2 is missing, but twice of type INT",
        () -> save(data(0, 9).drop("twice"), "append", "day"));
    Local.assertSays(
        "option partitionOverwriteMode must be static or dynamic, but is some",
        () -> write(data(0, 9), "day").option("partitionOverwriteMode", "some").mode("overwrite").save(folder.toString()));
    assertEquals(before, FolderListing.current(folder));
    var flat = Local.folder().resolve("flat");
    write(data(0, 9).drop("day")).save(flat.toString());
    Local.assertSays(
        "its files are in partitions of (), not of (day)",
        () -> write(data(0, 9), "day").mode("append").save(flat.toString()));
  }

  @Test
  public void aValueThatIsNoNameOfAFolderFailsTheJobWithItsRow() throws Exception {
    var days = data(0, 100).withColumn("day", org.apache.spark.sql.functions.expr("cast(day as string)"));
    save(days, "append", "shop");
    var empty = Local.SPARK.range(0, 50, 1, 1).selectExpr("'2026-01-01' day", "id", "if(id = 7, '', 'x') shop", "1 twice");
    Local.assertSays(
        "row 0 of partition 0: the value of partition shop must not be empty", () -> save(empty, "append", "shop"));
    Local.assertSays(
        "the value of partition shop must be UTF-8",
        () ->
            save(
                empty.selectExpr("day", "id", "cast(unhex('ff') as string) shop", "twice"), "append", "shop"));
    assertEquals(Local.rows(data(0, 100)), rows());
  }

  @Test
  public void anOverwriteReplacesTheWholeFolderUnlessItIsDynamic() throws Exception {
    save(data(0, 100), "append", "day");
    var twoDays = data(200, 240).where("day <= date'2026-11-21'");
    write(twoDays, "day").option("partitionOverwriteMode", "dynamic").mode("overwrite").save(folder.toString());
    assertEquals(Local.rows(data(0, 100).where("day > date'2026-11-21'").union(twoDays)), rows());
    assertTidy();
    // As Spark's own sources, by the setting of the session.
    Local.SPARK.conf().set("spark.sql.sources.partitionOverwriteMode", "dynamic");
    try {
      save(data(300, 310).where("day = date'2026-11-22'"), "overwrite", "day");
      assertEquals(4, partitions().size());
      assertEquals(List.of("[302]", "[306]"), Local.rows(Local.read(folder).where("day = date'2026-11-22'").select("id")));
      save(data(300, 310).where("false"), "overwrite", "day");
      assertEquals(4, partitions().size());
      write(twoDays, "day").option("partitionOverwriteMode", "static").mode("overwrite").save(folder.toString());
    } finally {
      Local.SPARK.conf().unset("spark.sql.sources.partitionOverwriteMode");
    }
    assertEquals(Local.rows(twoDays), rows());
    assertEquals(2, partitions().size());
    assertTidy();
    save(twoDays.drop("day"), "overwrite");
    assertEquals(List.of(""), partitions());
    assertTidy();
  }

  @Test
  public void noRowsCreateAFolderWithTheColumns() throws Exception {
    save(data(0, 0), "append", "day", "shop");
    assertEquals(List.of("id", "twice", "day", "shop"), List.of(Local.read(folder).columns()));
    assertEquals(0, Local.read(folder).collectAsList().size());
    save(data(0, 50), "append", "day", "shop");
    assertEquals(Local.rows(data(0, 50)), rows());
  }

  @Test
  public void aFolderWithoutAManifestKeepsItsPartitions() throws Exception {
    save(data(0, 100), "append", "day", "shop");
    try (var names = Files.list(folder)) {
      for (var path : names.filter(path -> path.getFileName().toString().startsWith("_undercroft.")).toList())
        Files.delete(path);
    }
    save(data(100, 120), "append");
    assertEquals(Local.rows(data(0, 120)), rows());
    assertTidy();
  }

  @Test
  public void aFailedTaskLeavesTheFolderUnchanged() throws Exception {
    save(data(0, 100), "append", "day");
    var before = FolderListing.current(folder);
    var late = data(0, 1000).selectExpr("day", "id", "repeat('x', shiftright(cast(id as int), 6)) shop", "twice");
    Local.assertSays("column shop: a text of 13 bytes does not fit in 12", () -> save(late, "append", "day"));
    assertEquals(before, FolderListing.current(folder));
    assertTidy();
  }

  @Test
  public void concurrentJobsOfOnePartitionAllSucceed() throws Exception {
    int jobs = 4;
    try (var threads = Executors.newFixedThreadPool(jobs)) {
      var tasks = new ArrayList<Callable<Void>>();
      for (int job = 0; job < jobs; job++) {
        int from = 100 * job;
        tasks.add(
            () -> {
              save(data(from, from + 100), "append", "day", "shop");
              return null;
            });
      }
      for (var done : threads.invokeAll(tasks)) done.get();
    }
    assertEquals(Local.rows(data(0, 100 * jobs)), rows());
    assertTidy();
  }

  @Test
  public void thePartitionMayBeDeletedWhileAFileIsMovedToIt() throws Exception {
    write(data(0, 100), "day").mode("append").save("far:" + folder);
    FarFileSystem.before("rename", "part-.*", () -> deleteEmpty(folder));
    write(data(200, 210).selectExpr("day + 100 day", "id", "shop", "twice"), "day").mode("append").save("far:" + folder);
    assertEquals(110, Local.read(folder).count());
    assertTidy();
  }

  /** Deletes the folders that have no files. */
  private static void deleteEmpty(Path folder) throws Exception {
    int deleted = 0;
    for (var name : Local.names(folder))
      if (name.startsWith("day=") && Local.names(folder.resolve(name)).isEmpty()) {
        Files.delete(folder.resolve(name));
        deleted++;
      }
    assertTrue(deleted > 0);
  }

  @Test
  public void aJobKilledBeforeItsCommitLeavesThePartitionsUnchanged() throws Exception {
    save(data(0, 100), "append", "day");
    var dead = Local.folder().resolve("dead");
    write(data(100, 200), "day").save(dead.toString());
    // Renamed, but not committed.
    for (var entry : FolderListing.current(dead).entries()) {
      Files.createDirectories(folder.resolve(entry.partition()));
      Files.copy(dead.resolve(entry.name()), folder.resolve(entry.name()));
    }
    assertEquals(Local.rows(data(0, 100)), rows());
    save(data(100, 200), "append", "day");
    assertEquals(Local.rows(data(0, 200)), rows());
    assertFalse(FolderListing.unlisted(folder).isEmpty());
  }
}
