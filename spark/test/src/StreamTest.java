package undercroft.spark;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.Trigger;
import org.junit.After;
import org.junit.Test;
import undercroft.file.format.internal.folder.FolderChange;
import undercroft.file.format.internal.folder.FolderListing;
import undercroft.file.format.internal.folder.FolderManifest;

/** Streams that write folders. */
public class StreamTest {
  private final Path base = Local.folder();
  private final Path input = base.resolve("input");
  private final Path folder = base.resolve("days");
  private final Path checkpoint = base.resolve("checkpoint");

  @After
  public void allHasHappened() {
    FarFileSystem.assertHappened();
    if (!Local.SPARK.sql("show tables like 'streamed'").isEmpty()) Local.SPARK.sql("drop table streamed");
  }

  /** Adds a file with the ids `[from, until)` to the input; each is a batch. */
  private void input(int from, int until) throws Exception {
    Files.createDirectories(input);
    var lines = new StringBuilder();
    for (int id = from; id < until; id++) lines.append("{\"id\": ").append(id).append("}\n");
    var draft = base.resolve("draft-" + from);
    Files.writeString(draft, lines);
    Files.move(draft, input.resolve("%05d.json".formatted(from)));
  }

  private Dataset<Row> stream() {
    return Local.SPARK.readStream().schema("id long").option("maxFilesPerTrigger", 1).json(input.toString())
        .selectExpr("id", "concat('text ', id) t", "array(id, -id) xs", "cast(id % 3 as int) k");
  }

  private static Dataset<Row> expected(int from, int until) {
    return Local.SPARK.range(from, until).selectExpr("id", "concat('text ', id) t", "array(id, -id) xs", "cast(id % 3 as int) k");
  }

  private DataStreamWriter<Row> writer(Dataset<Row> data) {
    return data.writeStream().format("undercroft").option("textBytes", 12).option("arrayLength", 2)
        .option("checkpointLocation", checkpoint.toString()).trigger(Trigger.AvailableNow());
  }

  /** Runs a query until its input ends. */
  private static void run(DataStreamWriter<Row> writer, String path) throws Exception {
    var query = path.isEmpty() ? writer.start() : writer.start(path);
    try {
      query.processAllAvailable();
      query.awaitTermination();
    } finally {
      query.stop();
    }
  }

  private List<String> rows() {
    return Local.rows(Local.read(folder).select("id", "t", "xs", "k"));
  }

  /** Forgets in the checkpoint that a batch was written, as a crash after its commit does. */
  private static void forget(Path checkpoint, int batch) throws Exception {
    Files.delete(checkpoint.resolve("commits/" + batch));
    Files.deleteIfExists(checkpoint.resolve("commits/." + batch + ".crc"));
  }

  @Test
  public void batchesAreAppendedOnceEach() throws Exception {
    for (int batch = 0; batch < 3; batch++) input(10 * batch, 10 * batch + 10);
    run(writer(stream()), folder.toString());
    assertEquals(Local.rows(expected(0, 30)), rows());
    var manifest = FolderListing.current(folder);
    assertEquals(1, manifest.streams().size());
    assertEquals(2, manifest.streams().getFirst().batch());
    assertTrue(Files.readString(folder.resolve(manifest.fileName())).contains("\nstream 2 "));
    // The crash is between the commit of the last batch and its record in the checkpoint.
    forget(checkpoint, 2);
    input(30, 40);
    run(writer(stream()), folder.toString());
    assertEquals(Local.rows(expected(0, 40)), rows());
    assertEquals(3, FolderListing.current(folder).streams().getFirst().batch());
    for (var name : Local.names(folder)) assertTrue(name, name.matches("part-.*\\.rows|_undercroft\\.[0-9]+"));
    assertEquals(List.of(), FolderListing.unlisted(folder));
  }

  @Test
  public void aBatchThatFailedBeforeItsCommitIsRepeated() throws Exception {
    input(0, 10);
    run(writer(stream()), "far:" + folder);
    input(10, 20);
    FarFileSystem.before("rename", "_aside-.*", () -> { throw new java.io.IOException("no answer"); });
    Local.assertSays("no answer", () -> run(writer(stream()), "far:" + folder));
    assertEquals(Local.rows(expected(0, 10)), rows());
    // A killed attempt leaves its staging folder.
    var query = FolderListing.current(folder).streams().getFirst().query();
    Files.createDirectories(folder.resolve("_writing-" + query + "-12345678/x"));
    run(writer(stream()), "far:" + folder);
    assertEquals(Local.rows(expected(0, 20)), rows());
    for (var name : Local.names(folder)) assertTrue(name, name.matches("part-.*\\.rows|_undercroft\\.[0-9]+"));
  }

  @Test
  public void aBatchWhoseCommitIsUncertainIsNotRepeated() throws Exception {
    input(0, 10);
    run(writer(stream()), "far:" + folder);
    input(10, 20);
    // The manifest is published, and the next read fails.
    Local.Body fails = () -> { throw new java.io.IOException("no answer"); };
    FarFileSystem.before("delete", "_aside-.*", () -> FarFileSystem.before("open", "_undercroft.*", fails));
    Local.assertSays("no answer", () -> run(writer(stream()), "far:" + folder));
    assertEquals(Local.rows(expected(0, 20)), rows());
    run(writer(stream()), "far:" + folder);
    assertEquals(Local.rows(expected(0, 20)), rows());
  }

  @Test
  public void otherWritersKeepTheStreamsOfAFolder() throws Exception {
    input(0, 10);
    input(10, 20);
    run(writer(stream()), folder.toString());
    expected(100, 110).write().format("undercroft").mode("append").save(folder.toString());
    try (var change = FolderChange.begin(folder)) { // as a Scala program
      change.remove(change.first().entries().getLast());
      change.commit();
    }
    long left = Local.read(folder).count();
    assertTrue(left < 30);
    forget(checkpoint, 1);
    run(writer(stream()), folder.toString());
    assertEquals(left, Local.read(folder).count());
    expected(0, 1).write().format("undercroft").option("textBytes", 12).option("arrayLength", 2).mode("overwrite").save(folder.toString());
    forget(checkpoint, 1);
    run(writer(stream()), folder.toString());
    assertEquals(1, Local.read(folder).count());
    assertEquals(1, FolderListing.current(folder).streams().getFirst().batch());
  }

  @Test
  public void twoStreamsWriteToOneFolder() throws Exception {
    input(0, 10);
    run(writer(stream()), folder.toString());
    var other = base.resolve("other");
    run(writer(stream().selectExpr("id + 100 id", "t", "xs", "k")).option("checkpointLocation", other.toString()), folder.toString());
    assertEquals(20, Local.read(folder).count());
    assertEquals(2, FolderListing.current(folder).streams().size());
    forget(checkpoint, 0);
    forget(other, 0);
    run(writer(stream()), folder.toString());
    run(writer(stream().selectExpr("id + 100 id", "t", "xs", "k")).option("checkpointLocation", other.toString()), folder.toString());
    assertEquals(20, Local.read(folder).count());
  }

  @Test
  public void aStreamWritesPartitions() throws Exception {
    input(0, 30);
    input(30, 60);
    run(writer(stream()).partitionBy("k"), folder.toString());
    assertEquals(Local.rows(expected(0, 60)), rows());
    assertEquals(
        List.of("k=0", "k=1", "k=2"),
        FolderListing.current(folder).entries().stream().map(FolderManifest.Entry::partition).distinct().toList());
    input(60, 70);
    Local.assertSays(
        "its files are in partitions of (k), not of (t)",
        () -> run(writer(stream()).partitionBy("t"), folder.toString()));
    run(writer(stream()), folder.toString());
    assertEquals(Local.rows(expected(0, 70)), rows());
  }

  @Test
  public void modeCompleteReplacesAllRows() throws Exception {
    for (int batch = 0; batch < 2; batch++) {
      input(10 * batch, 10 * batch + 10);
      run(writer(stream().groupBy("k").count()).outputMode("complete").option("textBytes", 1), folder.toString());
    }
    assertEquals(List.of("[0,7]", "[1,7]", "[2,6]"), Local.rows(Local.read(folder)));
    forget(checkpoint, 1);
    run(writer(stream().groupBy("k").count()).outputMode("complete"), folder.toString());
    assertEquals(List.of("[0,7]", "[1,7]", "[2,6]"), Local.rows(Local.read(folder)));
    Local.assertSays(
        "output mode Update: a stream to struct files must append, or replace all rows by mode complete",
        () -> run(writer(stream().groupBy("k").count()).outputMode("update"), folder.toString()));
  }

  @Test
  public void aStreamWritesATableOfTheCatalog() throws Exception {
    input(0, 10);
    input(10, 20);
    Local.SPARK.sql(
        "create table streamed (id bigint, t string, xs array<bigint>, k int) using undercroft"
            + " options (textBytes 12, arrayLength 2) partitioned by (k)");
    for (int attempt = 0; attempt < 2; attempt++) {
      var query =
          stream().writeStream().option("checkpointLocation", checkpoint.toString()).trigger(Trigger.AvailableNow())
              .toTable("streamed");
      query.processAllAvailable();
      query.stop();
      assertEquals(Local.rows(expected(0, 20)), Local.rows(Local.SPARK.table("streamed").select("id", "t", "xs", "k")));
      if (attempt == 0) forget(checkpoint, 1);
    }
  }

  private void toTable(Dataset<Row> data, String mode, String checkpoint) throws Exception {
    var query =
        data.writeStream().outputMode(mode).option("checkpointLocation", base.resolve(checkpoint).toString())
            .trigger(Trigger.AvailableNow()).toTable("streamed");
    try {
      query.processAllAvailable();
    } finally {
      query.stop();
    }
  }

  @Test
  public void modeCompleteReplacesAllRowsOfATableWhoseOverwritesAreDynamic() throws Exception {
    input(0, 10);
    Local.SPARK.sql(
        "create table streamed (count bigint, k int) using undercroft"
            + " options (partitionOverwriteMode 'dynamic') partitioned by (k)");
    Local.SPARK.sql("insert into streamed values (5, 9)");
    toTable(stream().groupBy("k").count().select("count", "k"), "complete", "checkpoint");
    assertEquals(List.of("[3,1]", "[3,2]", "[4,0]"), Local.rows(Local.SPARK.table("streamed").select("count", "k")));
  }

  @Test
  public void theFirstBatchOfATableMustHaveItsColumns() throws Exception {
    input(0, 10);
    Local.SPARK.sql("create table streamed (id bigint, k int) using undercroft partitioned by (k)");
    var refused =
        List.of(
            List.of(
                "cast(id as int) id", "k",
                "schema mismatch: column id is of type INT or null, but of type BIGINT or null in the table"),
            List.of("id other", "k", "column id of the table is missing: there are only other"),
            List.of(
                "id", "cast(k as string) k",
                "schema mismatch: column k is of type STRING or null, but of type INT or null in the table"));
    for (int i = 0; i < refused.size(); i++) {
      var words = refused.get(i);
      var data = stream().selectExpr(words.get(0), words.get(1));
      var name = "refused-" + i;
      Local.assertSays("the data: " + words.get(2), () -> toTable(data, "append", name));
    }
    var more = stream().selectExpr("id", "k", "1 n");
    Local.assertSays("the data: there is no column n in the table, only id", () -> toTable(more, "append", "more"));
    toTable(stream().select("k", "id"), "append", "checkpoint");
    assertEquals(Local.rows(expected(0, 10).select("id", "k")), Local.rows(Local.SPARK.table("streamed").select("id", "k")));
  }

  @Test
  public void faultsOfAStreamAreReported() throws Exception {
    input(0, 10);
    Local.assertSays(
        "option textByte is unknown: a writer has",
        () -> run(writer(stream()).option("textByte", 3), folder.toString()));
    Local.assertSays("no path is set", () -> run(writer(stream()), ""));
    assertFalse(Files.exists(folder));
    run(writer(stream()), folder.toString());
    input(10, 2000);
    Local.assertSays(
        "column t: a text of ", () -> run(writer(stream().selectExpr("id", "repeat(t, 2) t", "xs", "k")), folder.toString()));
    assertEquals(Local.rows(expected(0, 10)), rows());
  }
}
