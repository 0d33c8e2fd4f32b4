package undercroft.spark;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;

import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.Test;

public class OptionsTest {
  private final Path folder = Local.folder().resolve("day");

  private static Dataset<Row> data() {
    return Local.SPARK.range(5).selectExpr("id", "concat('text ', id) t", "named_struct('Name', 'x') p");
  }

  @Test
  public void anUnknownOptionOfAWriterIsRefusedBeforeAJob() {
    for (var mode : new String[] {"error", "ignore", "append", "overwrite"})
      Local.assertSays(
          "option textByte is unknown: a writer has the options layout, name, textBytes, textBytes.COLUMN, ",
          () -> data().write().format("undercroft").option("textByte", 8).mode(mode).save(folder.toString()));
    Local.assertSays(
        "option checksums is unknown: a writer has",
        () -> data().write().format("undercroft").option("checksums", true).save(folder.toString()));
    Local.assertSays(
        "option textBytes.u: there is no column u, only id, t, p, p.Name",
        () ->
            data().write().format("undercroft").option("textBytes", 8).option("textBytes.u", 8)
                .save(folder.toString()));
    Local.assertSays(
        "option textBytes. is unknown",
        () -> data().write().format("undercroft").option("textBytes.", 8).save(folder.toString()));
    assertFalse(Files.exists(folder));
  }

  @Test
  public void anUnknownOptionOfAReaderIsRefused() {
    data().write().format("undercroft").option("textBytes", 8).save(folder.toString());
    Local.assertSays(
        "option splitByte is unknown: a reader has the options checksums, splitBytes, mergeSchema, path and fs.*",
        () -> Local.SPARK.read().format("undercroft").option("splitByte", 8).load(folder.toString()));
    Local.assertSays(
        "option layout is unknown: a reader has",
        () ->
            Local.SPARK.read().format("undercroft").schema(data().schema()).option("layout", "rows")
                .load(folder.toString()).collectAsList());
  }

  @Test
  public void namesOfOptionsHaveNoCase() {
    data().write().format("undercroft").option("TEXTBYTES.T", 7).option("textbytes.P.name", 1)
        .option("LAYOUT", "rows").option("fs.far.anything", "else").save(folder.toString());
    var read =
        Local.SPARK.read().format("undercroft").option("CheckSums", "false").option("SPLITBYTES", "100")
            .option("fs.far.anything", "else");
    assertEquals(Local.rows(data()), Local.rows(read.load(folder.toString())));
    var file = folder + "/*.rows";
    assertEquals(10, read.load(file, file).count());
  }
}
