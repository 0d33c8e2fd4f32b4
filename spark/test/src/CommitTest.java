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

/** What others do to a folder at any moment of a job that writes it. */
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

  /** The rows are there, and nothing but what belongs to the folder. */
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

  private Commit last() throws IOException {
    return Commit.last(Folder.system(path(), CONF), path()).orElseThrow();
  }

  /** So many commits of others, who change nothing. */
  private void othersCommit(int times) throws IOException {
    var system = Folder.system(path(), CONF);
    for (int i = 0; i < times; i++) {
      var last = Commit.last(system, path());
      var next = new Commit(last.map(Commit::number).orElse(-1L) + 1, last.map(Commit::entries).orElse(List.of()));
      assertTrue(next.publish(system, path(), "other"));
      next.forgetOlder(system, path());
    }
  }

  @Test
  public void whatOthersAppendWhileFilesAreMovedStaysAndSoDoesWhatIsAppended() throws Exception {
    write(0, 10, "append");
    FarFileSystem.before(
        "rename", "part-.*",
        () -> {
          for (int job = 2; job < 5; job++) write(10 * job, 10 * job + 10, "append");
        });
    write(10, 20, "append");
    assertRows(data(0, 50));
  }

  @Test
  public void whatOthersAppendWhileFilesAreMovedIsOverwritten() throws Exception {
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
  public void aListThatComesTooLateFailsItsJob() throws Exception {
    for (var mode : new String[] {"append", "overwrite"}) {
      write(0, 10, "overwrite");
      FarFileSystem.before("rename", "_aside-.*", () -> othersCommit(Commit.KEPT + 3));
      Local.assertSays(
          "others have committed to it more than 100 times at that moment", () -> write(10, 20, mode));
      assertRows(data(0, 10));
      assertEquals(2, files());
    }
  }

  @Test
  public void aListThatWasInTimeCountsHoweverManyFollow() throws Exception {
    write(0, 10, "append");
    FarFileSystem.before("delete", "_aside-.*", () -> othersCommit(Commit.KEPT + 3));
    write(10, 20, "append");
    assertRows(data(0, 20));
  }

  @Test
  public void aFirstListThatComesTooLateIsNone() throws Exception {
    Files.createDirectory(folder);
    FarFileSystem.before("rename", "_aside-.*", () -> othersCommit(Commit.KEPT + 3));
    write(0, 10, "append");
    assertRows(data(0, 10));
    assertTrue(last().number() > Commit.KEPT + 2);
  }

  @Test
  public void aListThatOthersDeleteBeforeItIsReadIsLookedForAgain() throws Exception {
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
    // Once the tasks have begun, what reads a list is the commit.
    FarFileSystem.before("create", "part-.*", () -> FarFileSystem.before("open", "_undercroft.*", replaced));
    write(20, 30, "append");
    assertRows(data(0, 30));
  }

  @Test
  public void aJobThatCannotCleanUpHasDoneItsWork() throws Exception {
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
  public void aJobThatFailsOnceItsFilesAreListedLeavesThem() throws Exception {
    write(0, 10, "append");
    Local.Body fails = () -> { throw new IOException("no answer"); };
    // What is read then is whether the list came in time.
    FarFileSystem.before("delete", "_aside-.*", () -> FarFileSystem.before("open", "_undercroft.*", fails));
    Local.assertSays("cannot be committed: no answer", () -> write(10, 20, "append"));
    assertRows(data(0, 20));
  }

  @Test
  public void aFileThatCannotBeHandedOverLeavesNothingOnTheDisk() throws Exception {
    var spark = JavaSparkContext.fromSparkContext(Local.SPARK.sparkContext());
    var conf = new SerializableConfiguration(spark.hadoopConfiguration());
    var writers =
        new PartWriters(data(0, 1).schema(), Map.of(), "far:" + folder, "job", spark.broadcast(conf));
    var name = "part-" + folder.getParent().getFileName();
    FarFileSystem.before("create", name + ".*", () -> { throw new IOException("no room"); });
    var writer = writers.writer(name);
    Local.assertSays("no room", writer::empty);
    assertFalse(begun(name).isEmpty());
    writer.abort();
    writer.close();
    assertEquals(List.of(), begun(name));
  }

  /** The files of a name that writers have in the folder for temporary files. */
  private static List<Path> begun(String name) throws IOException {
    var found = new ArrayList<Path>();
    try (var folders = Files.newDirectoryStream(Path.of(System.getProperty("java.io.tmpdir")), "undercroft-*")) {
      for (var one : folders)
        if (Files.isDirectory(one) && Files.exists(one.resolve(name + "-0.rows"))) found.add(one);
    }
    return found;
  }

  @Test
  public void aFolderThatATaskStillWritesToIsDeletedAgain() throws Exception {
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
    Folder.remove(system, new org.apache.hadoop.fs.Path(path(), "_writing-job"));
    assertEquals(List.of(), Local.names(folder));
  }

  @Test
  public void whatCannotBeLinkedIsRenamed() throws Exception {
    // No file system links folders: they say it as those do that link nothing.
    Files.createDirectories(folder.resolve("from"));
    var system = Folder.system(path(), CONF);
    var to = new org.apache.hadoop.fs.Path(path(), "to");
    assertTrue(Folder.moveNew(system, new org.apache.hadoop.fs.Path(path(), "from"), to));
    assertEquals(List.of("to"), Local.names(folder));
    Files.createDirectories(folder.resolve("from"));
    assertFalse(Folder.moveNew(system, new org.apache.hadoop.fs.Path(path(), "from"), to));
  }
}
