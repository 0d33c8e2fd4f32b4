package undercroft.spark;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.util.SerializableConfiguration;
import org.junit.After;
import org.junit.Test;
import undercroft.file.format.internal.folder.FolderManifest;
import undercroft.spark.internal.folder.TableFolder;
import undercroft.spark.internal.folder.TableManifest;
import undercroft.spark.internal.write.PartWriters;

/** Concurrent changes of a folder at each step of a job that writes it. */
public class CommitTest {
  private final Path folder = Local.folder().resolve("day");

  @After
  public void allHasHappened() {
    FarFileSystem.assertHappened();
  }

  private static Dataset<Row> data(int from, int until) {
    return Local.SPARK.range(from, until, 1, 2).toDF();
  }

  private void write(int from, int until, String mode) {
    data(from, until).write().format("undercroft").mode(mode).save("far:" + folder);
  }

  /** Asserts that the folder contains these rows, and only files that belong to it. */
  private void assertRows(Dataset<Row> expected) throws Exception {
    assertEquals(Local.rows(expected), Local.rows(Local.read("far:" + folder)));
    for (var name : Local.names(folder)) assertTrue(name, name.matches("part-.*\\.rows|_undercroft\\.[0-9]+"));
  }

  private long files() throws IOException {
    return Local.names(folder).stream().filter(name -> name.endsWith(".rows")).count();
  }

  private static final Configuration CONF = new Configuration();

  private org.apache.hadoop.fs.Path path() {
    return new org.apache.hadoop.fs.Path("file:" + folder);
  }

  private TableManifest last() throws IOException {
    return TableManifest.last(TableFolder.system(path(), CONF), path()).orElseThrow();
  }

  /** Commits `times` unchanged manifests, as other jobs. */
  private void othersCommit(int times) throws IOException {
    var system = TableFolder.system(path(), CONF);
    for (int i = 0; i < times; i++) {
      var last = TableManifest.last(system, path());
      var next = new TableManifest(last.map(TableManifest::number).orElse(-1L) + 1, last.map(TableManifest::entries).orElse(List.of()));
      assertTrue(next.publish(system, path(), "other"));
      next.forgetOlder(system, path());
    }
  }

  @Test
  public void dataFilesThatACommitDoesNotListAreReportedAsUnlisted() {
    var commit = new TableManifest(3, List.of(new FolderManifest.Entry(5, "a.rows")));
    var names = List.of("b.rows", "a.rows", "_undercroft.3", ".hidden", "c.rows.lock", "c.rows.new", "0.rows");
    assertEquals(List.of("0.rows", "b.rows"), TableFolder.unlisted(commit, names));
  }

  @Test
  public void concurrentAppendsKeepTheRowsOfAllJobs() throws Exception {
    write(0, 10, "append");
    FarFileSystem.before(
        "rename", "part-.*",
        () -> {
          for (int job = 2; job < 5; job++) write(10 * job, 10 * job + 10, "append");
        });
    write(10, 20, "append");
    assertRows(data(0, 50));
  }

  private void assertRefused(String words, String mode, Dataset<Row> expected) throws Exception {
    Local.assertSays("another job wrote it meanwhile: " + words, () -> write(10, 20, mode));
    assertRows(expected);
  }

  private void overwrite(String columns) {
    var data = Local.SPARK.range(0, 10, 1, 2).selectExpr(columns);
    data.write().format("undercroft").mode("overwrite").save("far:" + folder);
  }

  @Test
  public void concurrentFirstAppendsOfTheSameColumnsKeepTheRowsOfBoth() throws Exception {
    FarFileSystem.before("rename", "part-.*", () -> write(0, 10, "append"));
    write(10, 20, "append");
    assertRows(data(0, 20));
  }

  @Test
  public void anAppendIsRefusedIfAnotherJobWroteTheFirstFilesWithOtherColumns() throws Exception {
    FarFileSystem.before("rename", "part-.*", () -> overwrite("cast(id as int) id"));
    assertRefused("the data: schema mismatch: column 0 is id of type BIGINT", "append", data(0, 10));
  }

  @Test
  public void anAppendIsRefusedIfAnotherJobReplacedAllFilesByOnesOfOtherColumns() throws Exception {
    write(0, 10, "append");
    FarFileSystem.before("rename", "part-.*", () -> overwrite("named_struct('x', id) id"));
    Local.assertSays(
        "another job wrote it meanwhile: the data: schema mismatch: column 0 is id of type BIGINT, but id of type STRUCT",
        () -> write(10, 20, "append"));
    assertEquals(10, Local.read("far:" + folder).count());
    assertEquals(2, files());
  }

  @Test
  public void anAppendIsRefusedIfAnotherJobWroteTheFirstFilesInPartitions() throws Exception {
    FarFileSystem.before(
        "rename", "part-.*",
        () ->
            Local.SPARK.range(0, 10, 1, 2).selectExpr("id", "id % 2 as day").write().format("undercroft")
                .partitionBy("day").mode("append").save("far:" + folder));
    Local.assertSays("its partitions are (day), but () in the data", () -> write(10, 20, "append"));
    assertEquals(10, Local.read("far:" + folder).count());
  }

  @Test
  public void anAppendIsRefusedIfAnotherJobWroteAllFilesInAnotherLayout() throws Exception {
    Local.Body other =
        () -> data(0, 10).write().format("undercroft").option("layout", "rows").mode("overwrite").save("far:" + folder);
    for (boolean hasFiles : new boolean[] {false, true}) {
      if (hasFiles) write(20, 30, "overwrite");
      FarFileSystem.before("rename", "part-.*", other);
      Local.assertSays("its layout is rows, but columns in the data", () -> write(10, 20, "append"));
      FarFileSystem.assertHappened();
      assertRows(data(0, 10));
    }
    // A layout that is stated for a folder with files.
    write(20, 30, "overwrite");
    FarFileSystem.before("rename", "part-.*", other);
    data(10, 20).write().format("undercroft").option("layout", "columns").mode("append").save("far:" + folder);
    assertRows(data(0, 20));
  }

  @Test
  public void anOverwriteMayChangeTheColumnsOfConcurrentlyWrittenFiles() throws Exception {
    FarFileSystem.before("rename", "part-.*", () -> overwrite("cast(id as int) id"));
    write(10, 20, "overwrite");
    assertRows(data(10, 20));
  }

  @Test
  public void anOverwriteReplacesConcurrentlyAppendedRows() throws Exception {
    write(0, 10, "append");
    FarFileSystem.before(
        "rename", "part-.*",
        () -> {
          for (int job = 2; job < 5; job++) write(10 * job, 10 * job + 10, "append");
        });
    write(10, 20, "overwrite");
    assertRows(data(10, 20));
    assertEquals(2, files());
  }

  @Test
  public void aManifestThatComesTooLateFailsItsJob() throws Exception {
    for (var mode : new String[] {"append", "overwrite"}) {
      write(0, 10, "overwrite");
      FarFileSystem.before("rename", "_aside-.*", () -> othersCommit(TableManifest.KEPT + 3));
      Local.assertSays(
          "other jobs committed to it more than 100 times meanwhile", () -> write(10, 20, mode));
      assertRows(data(0, 10));
      assertEquals(2, files());
    }
  }

  @Test
  public void aManifestInTimeCountsEvenIfManyFollow() throws Exception {
    write(0, 10, "append");
    FarFileSystem.before("delete", "_aside-.*", () -> othersCommit(TableManifest.KEPT + 3));
    write(10, 20, "append");
    assertRows(data(0, 20));
  }

  @Test
  public void aFirstManifestThatComesTooLateIsCommittedAgain() throws Exception {
    Files.createDirectory(folder);
    FarFileSystem.before("rename", "_aside-.*", () -> othersCommit(TableManifest.KEPT + 3));
    write(0, 10, "append");
    assertRows(data(0, 10));
    assertTrue(last().number() > TableManifest.KEPT + 2);
  }

  @Test
  public void aManifestDeletedBeforeItsReadIsLookedUpAgain() throws Exception {
    write(0, 10, "append");
    Local.Body replaced =
        () -> {
          var old = folder.resolve("_undercroft." + last().number());
          othersCommit(1);
          Files.delete(old);
        };
    FarFileSystem.before("open", "_undercroft.*", replaced);
    write(10, 20, "append");
    FarFileSystem.assertHappened();
    // After the tasks have started, the commit is the next reader of a manifest.
    FarFileSystem.before("create", "part-.*", () -> FarFileSystem.before("open", "_undercroft.*", replaced));
    write(20, 30, "append");
    assertRows(data(0, 30));
  }

  @Test
  public void aJobThatCannotCleanUpSucceeds() throws Exception {
    Local.Body fails = () -> { throw new IOException("no answer"); };
    write(0, 10, "append");
    FarFileSystem.before("delete", "_writing-.*", fails);
    write(10, 20, "append");
    FarFileSystem.assertHappened();
    FarFileSystem.before("delete", "part-.*", fails);
    write(20, 30, "overwrite");
    FarFileSystem.assertHappened();
    FarFileSystem.before("delete", "_aside-.*", fails);
    write(30, 40, "append");
    assertEquals(Local.rows(data(20, 40)), Local.rows(Local.read("far:" + folder)));
  }

  @Test
  public void aJobThatFailsAfterItsCommitKeepsItsFiles() throws Exception {
    write(0, 10, "append");
    Local.Body fails = () -> { throw new IOException("no answer"); };
    // The next read checks whether the manifest was in time.
    FarFileSystem.before("delete", "_aside-.*", () -> FarFileSystem.before("open", "_undercroft.*", fails));
    Local.assertSays("cannot be committed: no answer", () -> write(10, 20, "append"));
    assertRows(data(0, 20));
  }

  @Test
  public void aFirstJobThatFailedOrWasKilledLeavesAFolderThatANewJobMayWrite() throws Exception {
    Local.Body fails = () -> { throw new IOException("no answer"); };
    for (var mode : new String[] {"ignore", "error"}) {
      FarFileSystem.before("rename", "part-.*", fails);
      Local.assertSays("no answer", () -> write(0, 10, "append"));
      FarFileSystem.assertHappened();
      var killed = Files.createDirectory(folder.resolve("_writing-killed"));
      write(10, 20, mode);
      Files.delete(killed);
      assertRows(data(10, 20));
      for (var name : Local.names(folder)) Files.delete(folder.resolve(name));
    }
  }

  @Test
  public void aCancelledJobDeletesItsFiles() throws Exception {
    write(0, 10, "append");
    Local.Body cancelled =
        () -> {
          Thread.currentThread().interrupt();
          throw new IOException("no answer");
        };
    // The first file is moved, and the second one is not.
    FarFileSystem.before("rename", "part-.*", () -> FarFileSystem.before("rename", "part-.*", cancelled));
    try {
      Local.assertSays("cannot be committed: no answer", () -> write(10, 20, "append"));
    } finally {
      Thread.interrupted();
    }
    assertRows(data(0, 10));
  }

  @Test
  public void aManifestIsReadOnAnInterruptedThread() throws Exception {
    write(0, 10, "append");
    long number = last().number();
    Thread.currentThread().interrupt();
    try {
      assertEquals(number, last().number());
    } finally {
      Thread.interrupted();
    }
  }

  @Test
  public void anErrorOfHadoopForALocalFileIsReportedWithTheFolder() throws Exception {
    write(0, 10, "append");
    var system = TableFolder.system(path(), CONF);
    var manifest = new org.apache.hadoop.fs.Path(path(), "_undercroft." + last().number());
    Local.Body fails =
        () -> {
          Thread.currentThread().interrupt();
          try (var in = system.open(manifest)) {
            in.readFully(0, new byte[1]); // an FSError
          } finally {
            Thread.interrupted();
          }
        };
    FarFileSystem.before("rename", "_aside-.*", fails);
    Local.assertSays(
        folder + ": cannot be committed: the thread was interrupted", () -> write(10, 20, "append"));
    assertRows(data(0, 10));
  }

  @Test
  public void aFailedUploadLeavesNoTemporaryFile() throws Exception {
    var spark = JavaSparkContext.fromSparkContext(Local.SPARK.sparkContext());
    var conf = new SerializableConfiguration(spark.hadoopConfiguration());
    var writers =
        new PartWriters(
            data(0, 1).schema(), data(0, 1).schema(), List.of(), Map.of(), "far:" + folder, "job", spark.broadcast(conf));
    var name = "part-" + folder.getParent().getFileName();
    FarFileSystem.before("create", name + ".*", () -> { throw new IOException("no room"); });
    var writer = writers.writer(name, 0);
    Local.assertSays("no room", writer::empty);
    assertFalse(begun(name).isEmpty());
    writer.abort();
    writer.close();
    assertEquals(List.of(), begun(name));
  }

  /** Files of this name among the temporary files of writers. */
  private static List<Path> begun(String name) throws IOException {
    var matches = new ArrayList<Path>();
    try (var folders = Files.newDirectoryStream(Path.of(System.getProperty("java.io.tmpdir")), "undercroft-*")) {
      for (var folder : folders)
        if (Files.isDirectory(folder) && Files.exists(folder.resolve(name + "-0.rows"))) matches.add(folder);
    }
    return matches;
  }

  @Test
  public void deletionOfATemporaryFolderIsRetried() throws Exception {
    Files.createDirectories(folder.resolve("_writing-job"));
    var late = new AtomicBoolean(true);
    var system =
        new RawLocalFileSystem() {
          @Override
          public boolean delete(org.apache.hadoop.fs.Path path, boolean recursive) throws IOException {
            return !late.getAndSet(false) && super.delete(path, recursive);
          }
        };
    system.initialize(java.net.URI.create("file:///"), CONF);
    TableFolder.remove(system, new org.apache.hadoop.fs.Path(path(), "_writing-job"));
    assertEquals(List.of(), Local.names(folder));
  }

  @Test
  public void aFileThatCannotBeHardLinkedIsRenamed() throws Exception {
    // Linking a folder fails like linking on a file system without hard links.
    Files.createDirectories(folder.resolve("from"));
    var system = TableFolder.system(path(), CONF);
    var to = new org.apache.hadoop.fs.Path(path(), "to");
    assertTrue(TableFolder.moveNew(system, new org.apache.hadoop.fs.Path(path(), "from"), to));
    assertEquals(List.of("to"), Local.names(folder));
    Files.createDirectories(folder.resolve("from"));
    assertFalse(TableFolder.moveNew(system, new org.apache.hadoop.fs.Path(path(), "from"), to));
  }
}
