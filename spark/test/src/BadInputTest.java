package undercroft.spark;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.Test;
import undercroft.file.format.FileLayout;
import undercroft.spark.internal.columns.ColumnNames;
import undercroft.spark.internal.columns.NullableField;
import undercroft.spark.internal.folder.LocalFile;
import undercroft.spark.internal.folder.SourceFile;
import undercroft.spark.internal.scan.FileSplit;
import undercroft.spark.internal.scan.SplitReader;

public class BadInputTest {

  private static Path folder() {
    var folder = Local.folder();
    Trades.file(folder.resolve("a.rows"), FileLayout.ALIGNED, 0, 30);
    Trades.file(folder.resolve("b.rows"), FileLayout.COLUMNS, 30, 60);
    return folder;
  }

  @Test
  public void aMissingPathIsRejectedWithItsName() {
    var folder = Local.folder();
    Local.assertSays(folder + "/none.rows: there is no such file or folder", () -> Local.read(folder + "/none.rows"));
    Local.assertSays(folder + ": there are no struct files in this folder", () -> Local.read(folder));
    Local.assertSays("no path", () -> Local.SPARK.read().format("undercroft").load());
  }

  @Test
  public void aForeignFileInAFolderIsRejectedBeforeAJob() throws Exception {
    var folder = folder();
    var data = Local.read(folder);
    Files.writeString(folder.resolve("c.csv"), "ticket,price\n1,2\n");
    var words = folder + "/c.csv: offset 0: no struct file: it does not begin as one";
    Local.assertSays(words, () -> Local.read(folder));
    Local.assertSays(words, data::count);
    Local.assertSays(words, data::collectAsList);
  }

  @Test
  public void aTruncatedFileIsRejectedBeforeAJob() throws Exception {
    var folder = folder();
    var file = folder.resolve("b.rows");
    long size = Files.size(file);
    for (long cut : new long[] {size - 1, 12_288, 9_000, 100}) {
      try (var bytes = new RandomAccessFile(file.toFile(), "rw")) {
        bytes.setLength(cut);
      }
      Local.assertSays(file + ": offset " + cut + ": truncated", () -> Local.read(folder));
    }
  }

  @Test
  public void aSchemaMismatchBetweenPathsIsRejectedWithTheDifference() {
    var folder = folder();
    Local.SPARK.range(3).selectExpr("cast(id as int) ticket", "id amount")
        .write().format("undercroft").save(folder.resolve("other").toString());
    Local.assertSays(
        "other: a nested folder is not read: name it, or a pattern of both", () -> Local.read(folder));
    Local.assertSays(
        ": schema mismatch: column 1 is amount of type BIGINT, but amount of type INT in file:" + folder + "/a.rows",
        () -> Local.SPARK.read().format("undercroft").load(folder + "/a.rows", folder + "/other"));
  }

  @Test
  public void aSchemaMismatchInAFolderIsRejectedBeforeAJob() {
    var folder = folder();
    var data = Local.read(folder);
    Moods.file(folder.resolve("c.rows"), Moods.MOODS);
    var words =
        "file:" + folder + "/c.rows: schema mismatch: column 0 is mood of type STRING, but ticket of type INT in file:"
            + folder + "/a.rows";
    Local.assertSays(words, () -> Local.read(folder));
    Local.assertSays(words, data::count);
    Local.assertSays(words, () -> data.where("amount = 3").collectAsList());
  }

  @Test
  public void aCorruptFileIsRejectedBeforeAJob() throws Exception {
    var folder = folder();
    var file = folder.resolve("b.rows");
    var bytes = Files.readAllBytes(file);
    var corrupt = bytes.clone();
    corrupt[8200] ^= 1; // in the schema
    Files.write(file, corrupt);
    Local.assertSays(file + ": offset 8192: corrupt: the schema's checksum is", () -> Local.read(folder));
    corrupt = bytes.clone();
    corrupt[bytes.length - 3] ^= 1; // in the block table, which is read for predicates
    Files.write(file, corrupt);
    var data = Local.read(folder);
    assertEquals(60, data.count());
    Local.assertSays(file + ": offset ", () -> data.where("amount = 3").collectAsList());
    Local.assertSays(file + ": offset ", () -> data.selectExpr("max(price)").collectAsList());
  }

  @Test
  public void anUnknownColumnOrTypeIsRejectedWithTheFile() {
    var folder = folder();
    Local.assertSays("nope", () -> Local.read(folder).select("nope"));
    Local.assertSays(
        "file:" + folder + "/a.rows: there is no column nope, only ticket, amount, price, buy",
        () -> Local.SPARK.read().format("undercroft").schema("nope int").load(folder.toString()).collectAsList());
    Local.assertSays(
        "file:" + folder + "/a.rows: column price is of type INT, but BIGINT was requested",
        () -> Local.SPARK.read().format("undercroft").schema("price long").load(folder.toString()).collectAsList());
  }

  @Test
  public void aFileDeletedAfterPlanningFailsTheTask() throws Exception {
    var folder = folder();
    var data = Local.read(folder);
    data.queryExecution().executedPlan();
    Files.delete(folder.resolve("b.rows"));
    Local.assertSays(folder + "/b.rows: offset 0: there is no such file", data::collectAsList);
  }

  @Test
  public void aFileDeletedBeforePlanningIsRejectedWithItsName() throws Exception {
    var folder = folder();
    var data = Local.SPARK.read().format("undercroft").load(folder + "/a.rows", folder + "/b.rows");
    Files.delete(folder.resolve("b.rows"));
    Local.assertSays(folder + "/b.rows: there is no such file or folder", data::count);
    Local.assertSays(folder + "/b.rows: there is no such file or folder", data::collectAsList);
  }

  @Test
  public void aFileTruncatedDuringTheReadFailsTheTask() throws Exception {
    int rows = 3 * SplitReader.ROWS;
    for (boolean late : new boolean[] {false, true}) {
      var path = Local.folder().resolve("day.rows");
      Trades.writer(path, FileLayout.ALIGNED, 0, rows).seal(rows);
      var named = new org.apache.hadoop.fs.Path("file:" + path);
      SourceFile source;
      try (var opened = new LocalFile(named)) {
        source = SourceFile.of(named, "", opened);
      }
      var split = new FileSplit.Split(List.of(new FileSplit(source, 0, rows)));
      var reader =
          new SplitReader(
              split, NullableField.columns(Trades.schema(FileLayout.ALIGNED).fields()),
              new ColumnNames(true), null, true);
      for (int batch = 0; batch < (late ? 3 : 1); batch++) assertTrue(reader.next());
      try (var bytes = new RandomAccessFile(path.toFile(), "rw")) {
        bytes.setLength(20_000);
      }
      // Rows read from a truncated file are rejected, even at the end.
      Local.assertSays(path + ": offset 20000: truncated: it ends there", late ? reader::close : reader::next);
    }
  }

  @Test
  public void aFileReplacedAfterPlanningFailsTheTask() throws Exception {
    var folder = folder();
    var data = Local.read(folder);
    data.queryExecution().executedPlan();
    var file = folder.resolve("b.rows");
    Files.delete(file);
    Trades.file(file, FileLayout.COLUMNS, 31, 60);
    Local.assertSays(
        "file:" + file + ": the file changed after the job was planned: it is sealed, 29 rows", data::collectAsList);
  }

  @Test
  public void aFileTruncatedAfterPlanningFailsTheTask() throws Exception {
    var folder = folder();
    var data = Local.read(folder);
    data.queryExecution().executedPlan();
    try (var bytes = new RandomAccessFile(folder.resolve("b.rows").toFile(), "rw")) {
      bytes.setLength(13_000);
    }
    Local.assertSays(folder + "/b.rows: offset 13000: truncated: it ends there", data::collectAsList);
  }

  @Test
  public void theExceptionOfAnInterruptedOpenIsOneThatSparkRecognizes() {
    var file = new org.apache.hadoop.fs.Path("file:" + folder().resolve("a.rows"));
    new LocalFile(file).close();
    Thread.currentThread().interrupt();
    try {
      var error = assertThrows(UncheckedIOException.class, () -> new LocalFile(file));
      assertTrue(error.toString(), error.getCause() instanceof ClosedByInterruptException);
    } finally {
      Thread.interrupted();
    }
  }

  @Test
  public void anInvalidOptionIsRejectedWithItsName() {
    var folder = folder();
    Local.assertSays(
        "option splitBytes must be an integer of at least 1, but is -3",
        () -> Local.SPARK.read().format("undercroft").option("splitBytes", -3).load(folder.toString()).collectAsList());
    assertEquals(60, Local.read(folder).count());
  }
}
