package undercroft.spark;

import static java.lang.foreign.ValueLayout.*;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.DataFrameWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.Test;
import undercroft.file.format.Durability;
import undercroft.file.format.Field;
import undercroft.file.format.FileLayout;
import undercroft.file.format.Schema;
import undercroft.file.format.StructFile;
import undercroft.file.format.StructWriter;
import undercroft.file.format.Type;
import undercroft.file.format.Type.Primitive;

/** Arrays of fixed length, as Spark writes them. */
public class ArrayWriteTest {
  private final Path folder = Local.folder().resolve("day");

  private static DataFrameWriter<Row> write(Dataset<Row> data) {
    return data.write().format("undercroft");
  }

  private static Schema schema(Path folder) throws Exception {
    var name = Local.names(folder).stream().filter(file -> file.endsWith(".rows")).findFirst().orElseThrow();
    try (var file = StructFile.open(folder.resolve(name))) {
      file.verify();
      return file.schema();
    }
  }

  /** Rows with an array of every kind that the reader supports. */
  private static Dataset<Row> shapes() {
    return Local.SPARK.range(0, 300, 1, 2).selectExpr(
        "id", "array(cast(id as int), 7, -1) three", "array(id % 2 = 0, id % 3 = 0) flags",
        "array(cast(id % 100 as byte)) one", "array(cast(id as short), cast(-id as short)) shorts",
        "array(id / 2.0f, 0.5f) floats", "array(id / 3.0d) doubles", "array(id, -id) longs",
        "array(concat('né', id), '') names",
        "array(array(cast(id % 100 as byte), 1Y), array(2Y, 3Y), array(4Y, cast(id % 7 as byte))) grid",
        "array(named_struct('a', cast(id % 100 as byte), 'b', id, 'c', case when id % 3 > 0 then 'x' end,"
            + " 'd', array(cast(id as int), 8)), named_struct('a', 1Y, 'b', 2L, 'c', 'yy', 'd', array(3, 4))) pairs",
        "case when id % 4 > 0 then array(cast(id as int), 9) end perhaps",
        "named_struct('xs', array(1.5d, cast(id as double)), 'y', cast(id % 100 as byte)) inside");
  }

  private static DataFrameWriter<Row> withLengths(DataFrameWriter<Row> writer) {
    return writer.option("textBytes", 8).option("arrayLength", 2).option("arrayLength.three", 3)
        .option("arrayLength.one", 1).option("arrayLength.doubles", 1).option("ARRAYLENGTH.GRID", 3);
  }

  @Test
  public void arraysAreReadBackInEveryLayout() throws Exception {
    var expected = Local.rows(shapes());
    for (var layout : List.of("rows", "packed", "columns")) {
      withLengths(write(shapes())).option("layout", layout).mode("overwrite").save(folder.toString());
      assertEquals(layout, expected, Local.rows(Local.read(folder)));
      // Without options: the lengths are in the metadata of the columns.
      var again = folder.resolveSibling("again-" + layout);
      write(Local.read(folder)).option("layout", layout).save(again.toString());
      assertEquals(schema(folder), schema(again));
      assertEquals(expected, Local.rows(Local.read(again)));
    }
  }

  @Test
  public void elementsOfRowsHaveTheLayoutOfTheCAbi() throws Exception {
    var data =
        Local.SPARK.range(1).selectExpr(
            "1Y a", "array(named_struct('x', 2Y, 'y', 3L), named_struct('x', 4Y, 'y', 5L)) ps", "6S b");
    for (var layout : List.of("rows", "packed", "columns")) {
      write(data).option("layout", layout).option("arrayLength", 2).mode("overwrite").save(folder.toString());
      boolean isPacked = layout.equals("packed");
      var y = new Field.Leaf("y", isPacked ? 1 : 8, Primitive.LONG);
      var element = new Type.Struct("ps", isPacked ? 9 : 16, List.of(new Field.Leaf("x", 0, Primitive.BYTE), y));
      int at = layout.equals("rows") ? 8 : 1;
      var array = new Field.Leaf("ps", at, new Type.Elements(element, 2));
      int b = at + 2 * element.size();
      var fields = List.<Field>of(new Field.Leaf("a", 0, Primitive.BYTE), array, new Field.Leaf("b", b, Primitive.SHORT));
      int stride = layout.equals("rows") ? 48 : b + 2;
      assertEquals(
          new Schema("Row", FileLayout.valueOf(layout.equals("rows") ? "ALIGNED" : layout.toUpperCase(java.util.Locale.ROOT)),
              ByteOrder.nativeOrder(), stride, fields),
          schema(folder));
    }
  }

  @Test
  public void anArrayOfAFileOfAnotherProgramIsWrittenAsItWas() throws Exception {
    var kinds = new Type.Ordinal(Primitive.BYTE, List.of("Red", "Green"));
    var fields =
        List.<Field>of(
            new Field.Leaf("kinds", 0, new Type.Elements(kinds, 3)),
            new Field.Leaf("chars", 4, new Type.Elements(new Type.Elements(Primitive.CHAR, 2), 2)),
            new Field.Leaf("texts", 12, new Type.Elements(new Type.Text(2), 2)));
    var written = new Schema("Row", FileLayout.ALIGNED, ByteOrder.nativeOrder(), 16, fields);
    var path = Local.folder().resolve("kinds.rows");
    try (var writer = StructWriter.create(path, written, 2, Durability.VOLATILE)) {
      writer.ensureCapacity(2);
      writer.data().set(JAVA_BYTE, 1, (byte) 1);
      writer.data().set(JAVA_SHORT, 10, (short) 0xfffe);
      writer.data().set(JAVA_BYTE, 28, (byte) 'z');
      writer.seal(2);
    }
    write(Local.read(path)).option("layout", "rows").save(folder.toString());
    assertEquals(written, schema(folder));
    assertEquals(
        "[[ArraySeq(Red, Green, Red),ArraySeq(ArraySeq(0, 0), ArraySeq(0, 65534)),ArraySeq(, )], "
            + "[ArraySeq(Red, Red, Red),ArraySeq(ArraySeq(0, 0), ArraySeq(0, 0)),ArraySeq(z, )]]",
        Local.rows(Local.read(folder)).toString());
    // Appended rows take the folder's lengths, cases and sizes.
    var more =
        Local.SPARK.range(1).selectExpr(
            "array('Green', 'Red', 'Green') kinds", "array(array(1, 2), array(3, 4)) chars", "array('ab', 'c') texts");
    write(more).option("layout", "rows").mode("append").save(folder.toString());
    assertEquals(3, Local.read(folder).count());
    Local.assertSays(
        "column kinds.element is Blue in a row, but the enum that it was read from has only Red, Green",
        () ->
            write(more.withColumn("kinds", org.apache.spark.sql.functions.expr("array('Red', 'Red', 'Blue')")))
                .mode("append").save(folder.toString()));
    assertEquals(3, Local.read(folder).count());
  }

  @Test
  public void anArrayWithoutALengthIsRefusedBeforeAJob() {
    var data = Local.SPARK.range(3).selectExpr("array(array(1, 2)) xs");
    Local.assertSays(
        "column xs.element is an array: its length must be set by option(\"arrayLength.xs.element\", n) or"
            + " option(\"arrayLength\", n), from 1 to 268435456 elements of 4 bytes",
        () -> write(data).save(folder.toString()));
    Local.assertSays(
        "column xs is an array: its length must be set by",
        () -> write(data).option("arrayLength.xs.element", 2).save(folder.toString()));
    Local.assertSays(
        "from 1 to 134217728 elements of 8 bytes",
        () -> write(data).option("arrayLength.xs.element", 2).option("arrayLength.xs", 134217729).save(folder.toString()));
    Local.assertSays(
        "option arrayLength.ys: there is no column ys, only xs, xs.element, xs.element.element",
        () -> write(data).option("arrayLength", 2).option("arrayLength.ys", 2).save(folder.toString()));
    Local.assertSays(
        "option arrayLength must be an integer of at least 1, but is -1",
        () -> write(data).option("arrayLength", -1).save(folder.toString()));
    Local.assertSays(
        "column m is of type MAP<INT, INT>",
        () -> write(Local.SPARK.range(1).selectExpr("map(1, 2) m")).save(folder.toString()));
    assertTrue(!java.nio.file.Files.exists(folder));
  }

  @Test
  public void anArrayOfAnotherLengthFailsTheJobWithItsRow() throws Exception {
    var data = Local.SPARK.range(0, 100, 1, 1).selectExpr("if(id = 37, array(1, 2, 3), array(4, 5)) xs");
    Local.assertSays(
        "row 37 of partition 0: column xs is an array of 3 elements, but must have 2: its length is fixed by"
            + " option(\"arrayLength.xs\", n) or by its file",
        () -> write(data).option("arrayLength", 2).save(folder.toString()));
    var nulls = Local.SPARK.range(0, 100, 1, 1).selectExpr("array(1, if(id = 41, null, 2)) xs");
    Local.assertSays(
        "row 41 of partition 0: column xs is an array of 2 elements, and element 1 is null",
        () -> write(nulls).option("arrayLength", 2).save(folder.toString()));
    var empty = Local.SPARK.range(0, 1, 1, 1).selectExpr("array(array(1), cast(array() as array<int>)) xs");
    Local.assertSays(
        "row 0 of partition 0: column xs.element is an array of 0 elements, but must have 1",
        () -> write(empty).option("arrayLength.xs", 2).option("arrayLength.xs.element", 1).save(folder.toString()));
    Local.assertSays("there are no struct files", () -> Local.read(folder));
    write(data.limit(30)).option("arrayLength", 2).mode("append").save(folder.toString());
    Local.assertSays(
        "row 37 of partition 0: column xs is an array of 3 elements",
        () -> write(data).mode("append").save(folder.toString()));
    assertEquals(30, Local.read(folder).count());
  }

  @Test
  public void filesWithArraysOfOtherLengthsAreOneTable() throws Exception {
    write(Local.SPARK.range(1).selectExpr("array(1, 2) xs")).option("arrayLength", 2).save(folder.toString());
    write(Local.SPARK.range(1).selectExpr("array(3, 4, 5) xs")).option("arrayLength", 3).mode("append")
        .save(folder.toString());
    assertEquals(List.of("[ArraySeq(1, 2)]", "[ArraySeq(3, 4, 5)]"), Local.rows(Local.read(folder)));
    Local.assertSays(
        "column xs is an array: its length must be set by",
        () -> write(Local.read(folder)).save(folder.resolveSibling("other").toString()));
  }
}
