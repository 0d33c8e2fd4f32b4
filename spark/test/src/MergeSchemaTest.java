package undercroft.spark;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.Test;
import undercroft.file.format.internal.folder.FolderManifest;
import undercroft.spark.internal.folder.TableFolder;
import undercroft.spark.internal.folder.TableManifest;

/** Files with different columns as one table. */
public class MergeSchemaTest {
  private final Path base = Local.folder();
  private int folders;

  /** Saves a folder, and returns the pattern of its files. */
  private String save(Dataset<Row> data, String layout, String... partitions) {
    var folder = base.resolve("part-" + folders++);
    data.write().format("undercroft").option("textBytes", 8).option("arrayLength", 1).option("layout", layout)
        .partitionBy(partitions).save(folder.toString());
    return folder.toString();
  }

  private static Dataset<Row> range(int from, int until, String... columns) {
    return Local.SPARK.range(from, until, 1, 2).selectExpr(columns);
  }

  private static Dataset<Row> merged(String... paths) {
    return Local.SPARK.read().format("undercroft").option("mergeSchema", true).load(paths);
  }

  @Test
  public void columnsOfAllFilesAreRead() {
    var first = range(0, 100, "id", "cast(id as int) a", "concat('t', id) t", "named_struct('x', id) p");
    var second = range(100, 200, "array(id) xs", "id", "concat('u', id) t", "named_struct('x', if(id < 0, null, id)) p", "id % 2 = 0 z");
    var queries = List.of("a > 50 or z", "a is null and z is null", "t = 'u150'", "p.x = 120 or xs[0] = 150");
    var sums = new String[] {"count(*)", "count(a)", "min(a)", "max(z)", "max(id)", "sum(p.x)", "count(t)"};
    var expected = first.unionByName(second, true).unionByName(range(200, 300, "id"), true);
    var expectedRows = Local.rows(expected);
    var expectedOfQueries = Local.rowsWhere(expected, queries, "id", "xs", "t");
    var expectedSums = Local.rows(expected.selectExpr(sums));
    for (var layout : List.of("rows", "packed", "columns")) {
      var data = merged(save(first, layout), save(second, "columns"), save(range(200, 300, "id"), layout));
      assertEquals(
          "struct<id:bigint,a:int,t:string,p:struct<x:bigint>,xs:array<bigint>,z:boolean>", data.schema().catalogString());
      assertFalse(data.schema().apply("id").nullable());
      for (var name : List.of("a", "t", "p", "xs", "z")) assertTrue(name, data.schema().apply(name).nullable());
      assertEquals(expectedRows, Local.rows(data));
      for (int i = 0; i < queries.size(); i++)
        assertEquals(
            queries.get(i), expectedOfQueries.get(i),
            Local.rows(data.where(queries.get(i)).select("id", "xs", "t")));
      assertEquals(expectedSums, Local.rows(data.selectExpr(sums)));
      assertEquals("[300,0,299]", data.selectExpr("count(*)", "min(id)", "max(id)").first().toString());
    }
  }

  @Test
  public void mergedColumnsMayBeInPartitions() {
    var first = save(range(0, 10, "id", "cast(id % 2 as int) k"), "rows", "k");
    var second = save(range(10, 20, "id", "cast(id as int) a", "cast(id % 3 as int) k"), "rows", "k");
    var data = merged(first, second);
    assertEquals("struct<id:bigint,a:int,k:int>", data.schema().catalogString());
    assertEquals(
        Local.rows(range(0, 20, "id", "if(id < 10, null, cast(id as int)) a", "cast(if(id < 10, id % 2, id % 3) as int) k")),
        Local.rows(data));
  }

  @Test
  public void aPartitionIsReplacedBesideFilesWithOtherColumns() throws Exception {
    var folder = Path.of(save(range(10, 20, "id", "cast(id as int) a", "0 k"), "rows", "k"));
    var narrow = Path.of(save(range(0, 10, "id", "1 k"), "rows", "k"));
    Files.move(narrow.resolve("k=1"), folder.resolve("k=1"));
    var path = new org.apache.hadoop.fs.Path("file:" + folder);
    var system = TableFolder.system(path, new Configuration());
    var last = TableManifest.last(system, path).orElseThrow();
    var entries = new ArrayList<>(last.entries());
    for (var file : Local.names(folder.resolve("k=1")))
      entries.add(new FolderManifest.Entry(Files.size(folder.resolve("k=1").resolve(file)), "k=1/" + file));
    assertTrue(new TableManifest(last.number() + 1, entries).publish(system, path, "other"));
    range(30, 35, "id", "cast(id as int) a", "0 k").write().format("undercroft")
        .option("partitionOverwriteMode", "dynamic").partitionBy("k").mode("overwrite").save(folder.toString());
    assertEquals(15, merged(folder.toString()).count());
    assertEquals("[5,34]", merged(folder.toString()).where("k = 0").selectExpr("count(a)", "max(a)").first().toString());
  }

  @Test
  public void aColumnThatSomeFilesLackIsReadAsItsStoredNumber() {
    var first = save(range(0, 2, "id", "timestamp_micros(id + 5) t"), "columns");
    var second = save(range(2, 3, "id"), "columns");
    var reader = Local.SPARK.read().format("undercroft").option("mergeSchema", true);
    assertEquals(
        List.of("[0,5]", "[1,6]", "[2,null]"), Local.rows(reader.schema("id bigint, t bigint").load(first, second)));
    Local.assertSays(
        "column t is of type TIMESTAMP, but INT was requested",
        () -> reader.schema("id bigint, t int").load(first, second).collectAsList());
  }

  /** Moves the only file of a folder that {@link #save} has written. */
  private static void move(String folder, Path to) throws Exception {
    var names = Local.names(Path.of(folder)).stream().filter(name -> name.endsWith(".rows")).toList();
    assertEquals(1, names.size());
    Files.move(Path.of(folder).resolve(names.getFirst()), to);
  }

  @Test
  public void insertsIntoATableThatMergesHaveTheColumnsOfAllFiles() throws Exception {
    var folder = Files.createDirectory(base.resolve("merged"));
    move(save(range(0, 2, "id").coalesce(1), "rows"), folder.resolve("a.rows"));
    move(save(range(2, 4, "id", "cast(id as int) n").coalesce(1), "rows"), folder.resolve("b.rows"));
    Local.SPARK.sql("create table merged using undercroft options (mergeSchema true) location '" + folder + "'");
    try {
      for (int id = 4; id < 6; id++) Local.SPARK.sql("insert into merged values (" + id + ", " + id + ")");
      assertEquals(
          List.of("[0,null]", "[1,null]", "[2,2]", "[3,3]", "[4,4]", "[5,5]"), Local.rows(Local.SPARK.table("merged")));
    } finally {
      Local.SPARK.sql("drop table merged");
    }
  }

  @Test
  public void columnsOfOtherTypesAreRefusedWithTheFile() {
    var first = save(range(0, 10, "id", "1 a"), "rows");
    var second = save(range(0, 10, "id", "2L a"), "rows");
    Local.assertSays("schema mismatch: column a is of type BIGINT, but of type INT in other files", () -> merged(first, second));
    var third = save(range(0, 10, "id", "named_struct('x', 1, 'y', 2) p"), "rows");
    var fourth = save(range(0, 10, "id", "named_struct('x', 1) p"), "rows");
    Local.assertSays("column p is of type STRUCT", () -> merged(third, fourth));
    Local.assertSays("schema mismatch: column 1 is", () -> Local.read(first + "/*.rows").union(Local.SPARK.read().format("undercroft").load(first, third)));
    Local.assertSays(
        "option mergeSchema must be true or false, but is some",
        () -> Local.SPARK.read().format("undercroft").option("mergeSchema", "some").load(first));
  }
}
