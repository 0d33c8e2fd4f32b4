package undercroft.spark;

import static java.lang.foreign.ValueLayout.*;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.Test;
import undercroft.file.format.Field;
import undercroft.file.format.Holes;
import undercroft.file.format.FileLayout;
import undercroft.file.format.Durability;
import undercroft.file.format.Schema;
import undercroft.file.format.StructWriter;
import undercroft.file.format.Type;
import undercroft.file.format.Type.Primitive;
import undercroft.spark.internal.columns.ColumnNames;
import undercroft.spark.internal.columns.NullableField;
import undercroft.spark.internal.folder.LocalFile;
import undercroft.spark.internal.folder.SourceFile;
import undercroft.spark.internal.scan.FileSplit;
import undercroft.spark.internal.scan.SplitReader;

public class ShapesTest {
  private static final int ROWS = 200;

  private interface Put {
    void row(MemorySegment data, long at, int row);
  }

  private static Path file(long stride, List<Field> fields, Put put) {
    var file = Local.folder().resolve("shapes.rows");
    var schema = new Schema("Shapes", FileLayout.ALIGNED, ByteOrder.nativeOrder(), stride, fields);
    try (var writer = StructWriter.create(file, schema, ROWS, Durability.VOLATILE)) {
      writer.ensureCapacity(ROWS);
      for (int row = 0; row < ROWS; row++) put.row(writer.data(), row * stride, row);
      writer.seal(ROWS);
    }
    return file;
  }

  private static Field leaf(String name, int offset, Type type) {
    return new Field.Leaf(name, offset, type);
  }

  @Test
  public void numbersOfEveryTypeAreRead() {
    var big = new Type.BigEndian(Primitive.INT);
    var file =
        file(
            64,
            List.of(
                leaf("b", 0, Primitive.BYTE), leaf("s", 2, Primitive.SHORT), leaf("c", 4, Primitive.CHAR),
                leaf("i", 8, Primitive.INT), leaf("l", 16, Primitive.LONG), leaf("f", 24, Primitive.FLOAT),
                leaf("d", 32, Primitive.DOUBLE), leaf("z", 40, Primitive.BOOLEAN), leaf("big", 44, big),
                leaf("kind", 48, new Type.Ordinal(Primitive.BYTE, List.of())),
                leaf("bigLong", 56, new Type.BigEndian(Primitive.LONG))),
            (data, at, row) -> {
              data.set(JAVA_BYTE, at, (byte) -row);
              data.set(JAVA_SHORT, at + 2, (short) (row * -300));
              data.set(JAVA_SHORT, at + 4, (short) (row + 65_000));
              data.set(JAVA_INT, at + 8, row * -70_000);
              data.set(JAVA_LONG, at + 16, row * -5_000_000_000L);
              data.set(JAVA_FLOAT, at + 24, row / -4f);
              data.set(JAVA_DOUBLE, at + 32, row / 8d);
              data.set(JAVA_BYTE, at + 40, (byte) (row % 3)); // 2 is true, too
              data.set(JAVA_INT.withOrder(ByteOrder.BIG_ENDIAN), at + 44, row * 77_777);
              data.set(JAVA_BYTE, at + 48, (byte) row);
              data.set(JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN), at + 56, ~(long) row);
            });
    var rows = Local.read(file).collectAsList();
    assertEquals(ROWS, rows.size());
    for (int row = 0; row < ROWS; row++) {
      var expected =
          List.of(
              (byte) -row, (short) (row * -300), (row + 65_000) & 0xffff, row * -70_000,
              row * -5_000_000_000L, row / -4f, row / 8d, row % 3 != 0, row * 77_777, row & 0xff,
              ~(long) row);
      for (int i = 0; i < expected.size(); i++) {
        assertEquals("column " + i + " of row " + row, expected.get(i), rows.get(row).get(i));
      }
    }
    var extremes = Local.read(file).selectExpr("min(b)", "max(c)", "min(big)", "max(bigLong)", "min(z)", "max(z)");
    assertEquals("[-128,65199,0,-1,false,true]", extremes.first().toString());
  }

  @Test
  public void aClassWithTheFieldsOfAnOptionIsAStruct() {
    var flag =
        new Field.Record(
            "flag", "Flag", List.of(leaf("isDefined", 0, Primitive.BOOLEAN), leaf("get", 4, Primitive.INT)));
    var data = Local.read(file(8, List.of(flag), (bytes, at, row) -> bytes.set(JAVA_INT, at + 4, row)));
    assertEquals("struct<flag:struct<isDefined:boolean,get:int>>", data.schema().catalogString());
    assertEquals("[[false,7]]", data.where("flag.get = 7").first().toString());
    assertEquals(ROWS, data.where("not flag.isDefined").count());
  }

  @Test
  public void recordsOptionsTextAndArraysAreRead() {
    var at = new Field.Record("at", "Point", List.of(leaf("x", 0, Primitive.INT), leaf("y", 4, Primitive.INT)));
    var price =
        new Field.Record("price", "Option", List.of(leaf("isDefined", 8, Primitive.BOOLEAN), leaf("get", 12, Primitive.INT)));
    var inner = new Type.Struct("Pair", 4, List.of(leaf("a", 0, Primitive.SHORT), leaf("b", 2, Primitive.BYTE)));
    var file =
        file(
            64,
            List.of(
                at, price, leaf("name", 16, new Type.Text(9)),
                leaf("three", 28, new Type.Elements(Primitive.INT, 3)),
                leaf("grid", 40, new Type.Elements(new Type.Elements(Primitive.BYTE, 2), 3)),
                leaf("pairs", 48, new Type.Elements(inner, 2))),
            (data, start, row) -> {
              data.set(JAVA_INT, start, row);
              data.set(JAVA_INT, start + 4, -row);
              data.set(JAVA_BYTE, start + 8, (byte) (row % 2));
              data.set(JAVA_INT, start + 12, row * 10);
              var text = ("né" + row).getBytes(StandardCharsets.UTF_8);
              MemorySegment.copy(text, 0, data, JAVA_BYTE, start + 16, text.length);
              for (int i = 0; i < 3; i++) data.set(JAVA_INT, start + 28 + 4 * i, row + i);
              for (int i = 0; i < 6; i++) data.set(JAVA_BYTE, start + 40 + i, (byte) (10 * i + row % 10));
              for (int i = 0; i < 2; i++) {
                data.set(JAVA_SHORT, start + 48 + 4 * i, (short) (row + 100 * i));
                data.set(JAVA_BYTE, start + 50 + 4 * i, (byte) i);
              }
            });
    var data = Local.read(file);
    assertEquals(
        "struct<at:struct<x:int,y:int>,price:int,name:string,three:array<int>,grid:array<array<tinyint>>,"
            + "pairs:array<struct<a:smallint,b:tinyint>>>",
        data.schema().catalogString());
    var selection =
        data.selectExpr(
            "at.y", "price", "name", "three[2]", "grid[1][1]", "grid[2][0]", "pairs[1].a", "pairs[1].b",
            "aggregate(three, 0, (s, x) -> s + x)", "to_json(pairs)");
    var rows = selection.collectAsList();
    for (int row = 0; row < ROWS; row++) {
      var expected =
          "[" + -row + "," + (row % 2 == 1 ? row * 10 : null) + ",né" + row + "," + (row + 2) + ","
              + (30 + row % 10) + "," + (40 + row % 10) + "," + (row + 100) + ",1," + (3 * row + 3)
              + ",[{\"a\":" + row + ",\"b\":0},{\"a\":" + (row + 100) + ",\"b\":1}]]";
      assertEquals(expected, rows.get(row).toString());
    }
    assertEquals(ROWS / 2, data.where("price is null").count());
    assertEquals(1, data.where("price = 70").count());
    assertEquals(0, data.where("price = 60").count()); // that row has no price
    assertEquals(1, data.where("at.x = 3").count());
    assertEquals(1, data.where("name = 'né7'").count());
    assertEquals(1990, data.selectExpr("max(price)").first().getInt(0));
    assertEquals(100, data.selectExpr("count(price)").first().getLong(0));
  }

  @Test
  public void fieldsOfAnEnumCaseAreNullUnlessTheTagSelectsTheCase() {
    var traded =
        new Field.Record("Traded", "Traded", List.of(leaf("price", 4, Primitive.INT), leaf("amount", 8, Primitive.INT)));
    var renamed = new Field.Record("Renamed", "Renamed", List.of(leaf("name", 4, new Type.Text(8))));
    var closed = new Field.Record("Closed", "Closed", List.of());
    var change =
        new Field.Record(
            "change", "Change",
            List.of(
                leaf("tag", 0, new Type.Ordinal(Primitive.BYTE, List.of())),
                new Field.Union("", "", List.of(closed, traded, renamed))));
    var file =
        file(
            12, List.of(change),
            (data, at, row) -> {
              data.set(JAVA_BYTE, at, (byte) (row % 3));
              data.set(JAVA_INT_UNALIGNED, at + 4, row % 3 == 1 ? row : 0x41424344);
              data.set(JAVA_INT_UNALIGNED, at + 8, row % 3 == 1 ? 7 : 0);
            });
    var data = Local.read(file);
    assertEquals(
        "struct<change:struct<tag:string,Traded:struct<price:int,amount:int>,Renamed:struct<name:string>>>",
        data.schema().catalogString());
    var rows = data.selectExpr("change.tag", "change.Traded", "change.Renamed.name").collectAsList();
    for (int row = 0; row < ROWS; row++) {
      var expected = switch (row % 3) {
        case 0 -> "[Closed,null,null]";
        case 1 -> "[Traded,[" + row + ",7],null]";
        default -> "[Renamed,null,DCBA]";
      };
      assertEquals(expected, rows.get(row).toString());
    }
    assertEquals((ROWS + 1) / 3 * 7L, data.selectExpr("sum(change.Traded.amount)").first().getLong(0));
    assertTrue(data.where("change.Traded.price = 4").count() == 1);
    assertEquals(ROWS / 3, data.where("change.tag = 'Renamed'").count());
  }

  @Test
  public void arraysMayHaveMoreElementsThanAnIntCanCount() throws Exception {
    int count = 1 << 20;
    int rows = (1 << 12) + 1;
    var file = Local.folder().resolve("long.rows");
    var fields = List.of(leaf("many", 0, new Type.Elements(Primitive.BYTE, count)));
    var schema = new Schema("Long", FileLayout.ALIGNED, ByteOrder.nativeOrder(), count, fields);
    var marked = Set.of(0, 2046, 2047, 2048, 4095, 4096);
    try (var writer = Holes.writer(file, schema, rows)) {
      writer.ensureCapacity(rows);
      for (int row : marked) writer.data().set(JAVA_BYTE, (long) row * count + 5, (byte) (1 + row % 100));
      writer.commit(rows);
    }
    var path = new org.apache.hadoop.fs.Path("file:" + file);
    SourceFile source;
    try (var opened = new LocalFile(path)) {
      source = SourceFile.of(path, "", opened);
    }
    int row = 0;
    var split = new FileSplit.Split(List.of(new FileSplit(source, 0, rows)));
    try (var reader = new SplitReader(split, NullableField.columns(fields), new ColumnNames(true), null, true)) {
      while (reader.next()) {
        var vector = reader.get().column(0);
        for (int i = 0; i < reader.get().numRows(); i++, row++)
          if (marked.contains(row)) {
            assertEquals(1 + row % 100, vector.getArray(i).getByte(5));
            assertEquals(0, vector.getArray(i).getByte(count - 1));
          }
      }
    }
    assertEquals(rows, row);
  }

  @Test
  public void aTextEndsBeforeItsFirstZeroByte() {
    var texts = List.of("abcd", "ab\0c", "\0abc", "a\0\0\0");
    var file =
        file(
            4, List.of(leaf("t", 0, new Type.Text(4))),
            (data, at, row) -> {
              var bytes = texts.get(row % texts.size()).getBytes(StandardCharsets.UTF_8);
              MemorySegment.copy(bytes, 0, data, JAVA_BYTE, at, bytes.length);
            });
    assertEquals(List.of("[]", "[a]", "[ab]", "[abcd]"), Local.rows(Local.read(file).distinct()));
    assertEquals(ROWS / 4, Local.read(file).where("t = 'ab'").count());
  }

  @Test
  public void numbersOfUnnamedCasesAreSigned() {
    var kind = new Type.Ordinal(Primitive.INT, List.of());
    var file = file(4, List.of(leaf("kind", 0, kind)), (data, at, row) -> data.set(JAVA_INT, at, row - 100));
    var data = Local.read(file);
    assertEquals("[-100,99]", data.selectExpr("min(kind)", "max(kind)").first().toString());
    assertEquals(1, data.where("kind = -100").count());
    assertEquals(100, data.where("kind < 0").count());
  }
}
