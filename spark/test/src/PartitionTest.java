package undercroft.spark;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.types.DataTypes;
import org.junit.Test;
import undercroft.file.format.Durability;
import undercroft.file.format.Field;
import undercroft.file.format.FileLayout;
import undercroft.file.format.Schema;
import undercroft.file.format.StructFile;
import undercroft.file.format.StructWriter;
import undercroft.file.format.Type;
import undercroft.file.format.internal.folder.FolderChange;
import undercroft.file.format.internal.folder.FolderListing;
import undercroft.file.format.internal.folder.FolderManifest;
import undercroft.spark.internal.folder.TableFolder;
import undercroft.spark.internal.folder.TableManifest;

/** Folders that are changed by FolderChange, as the Scala module does, and by Spark. */
public class PartitionTest {
  private static final Configuration CONF = Local.SPARK.sparkContext().hadoopConfiguration();

  private final Path folder = Local.folder().resolve("days");

  private static Schema schema(FileLayout layout) {
    var id = new Field.Leaf("id", 0, Type.Primitive.LONG);
    return new Schema("Row", layout, ByteOrder.nativeOrder(), 8, List.of(id));
  }

  /** Adds a file with the rows `[from, until)`. */
  private void add(String partition, long from, long until) {
    try (var change = FolderChange.begin(folder)) {
      write(change.newFile(partition), FileLayout.COLUMNS, from, until);
      change.commit();
    }
  }

  private static void write(Path path, FileLayout layout, long from, long until) {
    var writer = StructWriter.create(path, schema(layout), until - from, Durability.VOLATILE);
    writer.ensureCapacity(until - from);
    for (long id = from; id < until; id++)
      writer.data().setAtIndex(java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED, id - from, id);
    writer.seal(until - from);
  }

  /** The ids of the files that the list of the folder has. */
  private List<Long> listedIds() {
    var ids = new java.util.ArrayList<Long>();
    var manifest = FolderListing.current(folder);
    for (var entry : manifest.entries())
      try (var file = StructFile.open(FolderListing.locate(folder, manifest, entry))) {
        for (long row = 0; row < file.rows(); row++)
          ids.add(file.data().getAtIndex(java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED, row));
      }
    ids.sort(null);
    return ids;
  }

  private List<Long> sparkIds() {
    return Local.read(folder).select("id").orderBy("id").collectAsList().stream()
        .map(row -> row.getLong(0))
        .toList();
  }

  @Test
  public void filesOfAChangeInProgressAreNotReadIfItPublishesTheFirstManifestMeanwhile() throws Exception {
    var day = Files.createDirectories(folder.resolve("day=1"));
    var file = day.resolve("a.cols");
    write(file, FileLayout.COLUMNS, 0, 10);
    FarFileSystem.before(
        "list", "day=1",
        () -> {
          var path = new org.apache.hadoop.fs.Path("far:" + folder);
          var entry = new FolderManifest.Entry(Files.size(file), "day=1/a.cols");
          var first = new TableManifest(0, List.of(entry));
          assertTrue(first.publish(path.getFileSystem(CONF), path, "other"));
          write(day.resolve("part-0000000000-other-00000.cols"), FileLayout.COLUMNS, 0, 10);
        });
    var files = TableFolder.files(List.of("far:" + folder), CONF);
    FarFileSystem.assertHappened();
    assertEquals(1, files.size());
    assertEquals(10, Local.read("far:" + folder).count());
  }

  @Test
  public void sparkAndFolderChangesSeeTheFilesOfEachOther() throws Exception {
    add("", 0, 10);
    Local.SPARK.range(10, 30, 1, 2).toDF().write().format("undercroft").mode("append").save(folder.toString());
    add("", 30, 40);
    assertEquals(40, sparkIds().size());
    assertEquals(sparkIds(), listedIds());
    try (var change = FolderChange.begin(folder)) { // a compaction
      change.first().entries().forEach(change::remove);
      write(change.newFile(""), FileLayout.ALIGNED, 0, 40);
      change.commit();
    }
    assertEquals(1, FolderListing.current(folder).entries().size());
    assertEquals(40, sparkIds().size());
    assertEquals(sparkIds(), listedIds());
    Local.SPARK.range(5).toDF().write().format("undercroft").mode("overwrite").save(folder.toString());
    assertEquals(List.of(0L, 1L, 2L, 3L, 4L), listedIds());
    for (var name : Local.names(folder)) assertTrue(name, name.matches("part-.*\\.rows|_undercroft\\.[0-9]+"));
  }

  @Test
  public void theNamesOfFoldersAreColumns() {
    add("day=2026-11-23/shop=1", 0, 10);
    add("day=2026-11-24/shop=2", 10, 30);
    add("day=2026-11-24/shop=__HIVE_DEFAULT_PARTITION__", 30, 31);
    var data = Local.read(folder);
    assertEquals(List.of("id", "day", "shop"), List.of(data.columns()));
    assertEquals(DataTypes.DateType, data.schema().apply("day").dataType());
    assertEquals(DataTypes.IntegerType, data.schema().apply("shop").dataType());
    data.createOrReplaceTempView("partitioned");
    var sums = Local.SPARK.sql("select day, shop, count(*), sum(id) from partitioned group by day, shop");
    assertEquals(
        List.of("[2026-11-23,1,10,45]", "[2026-11-24,2,20,390]", "[2026-11-24,null,1,30]"), Local.rows(sums));
    assertEquals(31, data.count());
    assertEquals(List.of("[2026-11-23]", "[2026-11-24]"), Local.rows(data.select("day").distinct()));
    assertEquals(List.of("[1,3]"), Local.rows(data.selectExpr("shop", "id").where("shop = 1 and id = 3")));
    assertEquals(List.of("[2026-11-24,2]"), Local.rows(data.selectExpr("max(day)", "max(shop)")));
  }

  @Test
  public void filesOfExcludedPartitionsAreNotRead() throws Exception {
    add("shop=a%2Fb", 0, 10);
    add("shop=50%25", 10, 30);
    var data = Local.read(folder);
    var wanted = data.where("shop = 'a/b'");
    var plan = wanted.queryExecution().executedPlan().toString();
    assertTrue(plan, plan.contains("10 of 30 rows"));
    assertEquals(10, wanted.collectAsList().size());
    assertEquals(20, data.where("shop <> 'a/b'").collectAsList().size());
    assertEquals(30, data.where("shop in ('a/b', '50%')").collectAsList().size());
    assertEquals(0, data.where("shop = 'c'").collectAsList().size());
  }

  @Test
  public void aFolderWithoutAManifestHasPartitionsToo() throws Exception {
    Files.createDirectories(folder.resolve("day=1"));
    write(folder.resolve("day=1").resolve("a.rows"), FileLayout.PACKED, 0, 3);
    Files.createDirectories(folder.resolve("day=x"));
    write(folder.resolve("day=x").resolve("a.rows"), FileLayout.COLUMNS, 3, 5);
    assertEquals(
        List.of("[0,1]", "[1,1]", "[2,1]", "[3,x]", "[4,x]"), Local.rows(Local.read(folder)));
    assertEquals(listedIds(), sparkIds());
  }

  @Test
  public void errorsOfPartitionsNameTheFile() throws Exception {
    add("day=1", 0, 3);
    Local.assertSays(
        "the data has no column day for the partitions, only id",
        () -> Local.SPARK.range(3).toDF().write().format("undercroft").mode("append").save(folder.toString()));
    assertEquals(3, sparkIds().size());
    Local.SPARK.range(7).toDF().write().format("undercroft").mode("overwrite").save(folder.toString());
    assertEquals(7, listedIds().size());
    assertFalse(Files.exists(folder.resolve("day=1").resolve("a.rows")));
    var other = Local.folder();
    Files.createDirectories(other.resolve("id=1"));
    write(other.resolve("id=1").resolve("a.rows"), FileLayout.COLUMNS, 0, 3);
    Local.assertSays("the column id is in the file and in the name of its folder", () -> Local.read(other));
    Files.move(other.resolve("id=1"), other.resolve("day=1"));
    write(other.resolve("b.rows"), FileLayout.COLUMNS, 0, 3);
    Local.assertSays("its partitions are (day), but () in", () -> Local.read(other));
  }
}
