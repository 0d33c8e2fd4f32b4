package undercroft.spark;

import static org.junit.Assert.assertEquals;

import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.Test;
import undercroft.file.format.Durability;
import undercroft.file.format.Field;
import undercroft.file.format.FileLayout;
import undercroft.file.format.LogicalKind;
import undercroft.file.format.LogicalKind.Unit;
import undercroft.file.format.Schema;
import undercroft.file.format.SmallBlocks;
import undercroft.file.format.StructFile;
import undercroft.file.format.StructWriter;
import undercroft.file.format.Type;
import undercroft.file.format.Type.Primitive;

/** Appends keep the stored types of a folder that Spark's own types do not tell. */
public class AppendStoredTypesTest {
  private static final String ID = "00112233-4455-6677-8899-aabbccddeeff";

  private static List<Field> halves(int offset) {
    return List.of(
        new Field.Leaf("high", offset, Primitive.LONG), new Field.Leaf("low", offset + 8, Primitive.LONG));
  }

  private static Field number(String name, int offset, LogicalKind kind) {
    return new Field.Leaf(name, offset, new Type.Logical(Primitive.LONG, kind));
  }

  private static Field id(String name, int offset) {
    return new Field.Record(name, "Bits128", halves(offset), Optional.of(new LogicalKind.Uuid()));
  }

  private static final List<Field> PARCEL =
      List.of(
          id("id", 0),
          number("opens", 16, new LogicalKind.Time(Unit.NANOS)),
          new Field.Leaf("code", 24, new Type.Logical(Primitive.INT, new LogicalKind.Named("code"))),
          new Field.Record(
              "spot", "Spot",
              List.of(new Field.Leaf("x", 28, Primitive.INT), new Field.Leaf("y", 32, Primitive.INT)),
              Optional.of(new LogicalKind.Named("spot"))),
          new Field.Record(
              "ref", "Option", List.of(new Field.Leaf("isDefined", 40, Primitive.BOOLEAN), id("get", 48))),
          new Field.Leaf(
              "ids", 64,
              new Type.Elements(
                  new Type.Logical(new Type.Struct("Bits128", 16, halves(0)), new LogicalKind.Uuid()), 2)));

  private static final String COLUMNS =
      "'" + ID + "' id, 86399999999999L opens, 7 code, named_struct('x', 1, 'y', 2) spot,"
          + " cast(null as string) ref, array('" + ID + "', '" + ID.toUpperCase(java.util.Locale.ROOT) + "') ids";

  /** A folder with one file of one row of zeros. */
  private static Path folder(FileLayout layout, List<Field> fields, int stride) {
    var folder = Local.folder();
    var schema = new Schema("Parcel", layout, ByteOrder.nativeOrder(), stride, fields);
    var writer = StructWriter.create(folder.resolve("a.rows"), schema, 1, Durability.VOLATILE);
    writer.ensureCapacity(1);
    SmallBlocks.seal(writer, 1, 10);
    return folder;
  }

  private static Path parcels() {
    return folder(FileLayout.ALIGNED, PARCEL, 96);
  }

  private static void append(Path folder, String columns) {
    Local.SPARK.sql("select " + columns).write().format("undercroft").mode("append").save(folder.toString());
  }

  /** The fields of the files that were added to a folder, with offsets of their own. */
  private static List<Field> added(Path folder) throws Exception {
    try (var files = Files.list(folder)) {
      var path = files.filter(file -> file.getFileName().toString().startsWith("part-")).findFirst().orElseThrow();
      try (var file = StructFile.open(path)) {
        return file.schema().fields();
      }
    }
  }

  private static void assertUnchanged(Path folder, String words, Local.Body body) throws Exception {
    var before = Local.names(folder);
    Local.assertSays(words, body);
    assertEquals(before, Local.names(folder));
    assertEquals(1, Local.read(folder).count());
  }

  @Test
  public void appendedStringsAndLongsTakeTheLogicalTypesOfTheFolder() throws Exception {
    var folder = parcels();
    append(folder, COLUMNS);
    var row = "[" + ID + ",86399999999999,7,[1,2],null,ArraySeq(" + ID + ", " + ID + ")]";
    assertEquals(row, Local.rows(Local.read(folder).where("code = 7")).getFirst());
    try (var file = StructFile.open(folder.resolve("a.rows"))) {
      var kinds = file.schema().fields().stream().map(AppendStoredTypesTest::kind).toList();
      assertEquals(kinds, added(folder).stream().map(AppendStoredTypesTest::kind).toList());
    }
    // The layout is that of the folder, too.
    append(folder, COLUMNS.replace("7 code", "8 code"));
    assertEquals(3, Local.read(folder).count());
  }

  private static Optional<LogicalKind> kind(Field field) {
    return switch (field) {
      case Field.Leaf leaf when leaf.type() instanceof Type.Elements array && array.of() instanceof Type.Logical of ->
          Optional.of(of.kind());
      case Field.Leaf leaf when leaf.type() instanceof Type.Logical logical -> Optional.of(logical.kind());
      case Field.Record record when record.typeName().equals("Option") -> kind(record.fields().get(1));
      case Field.Record record -> record.kind();
      default -> Optional.empty();
    };
  }

  @Test
  public void columnsThatAreReadAndWrittenKeepTheirLogicalTypes() throws Exception {
    var target = Local.folder().resolve("copy");
    Local.read(parcels()).write().format("undercroft").save(target.toString());
    assertEquals(PARCEL.stream().map(AppendStoredTypesTest::kind).toList(),
        added(target).stream().map(AppendStoredTypesTest::kind).toList());
    assertEquals(Local.rows(Local.read(parcels())), Local.rows(Local.read(target)));
    var texts = Local.folder().resolve("texts");
    Local.read(parcels()).select("id").write().format("undercroft").option("textBytes.id", 36).save(texts.toString());
    assertEquals(new Type.Text(36), ((Field.Leaf) added(texts).getFirst()).type());
  }

  @Test
  public void appendsHaveTheLayoutOfTheFolderUnlessTheyStateOne() throws Exception {
    for (var layout : FileLayout.values()) {
      var folder = folder(layout, List.of(new Field.Leaf("x", 0, Primitive.INT)), 4);
      append(folder, "1 x");
      try (var files = Files.list(folder)) {
        for (var path : files.filter(file -> file.toString().endsWith(".rows")).toList())
          try (var file = StructFile.open(path)) {
            assertEquals(layout, file.schema().layout());
          }
      }
    }
  }

  @Test
  public void aTextWithALogicalTypeIsAlignedAsAText() throws Exception {
    var code = new Type.Logical(new Type.Text(5), new LogicalKind.Named("code"));
    var fields = List.<Field>of(new Field.Leaf("b", 0, Primitive.BYTE), new Field.Leaf("code", 1, code));
    var folder = folder(FileLayout.ALIGNED, fields, 6);
    append(folder, "cast(1 as byte) b, 'ab' code");
    assertEquals(fields, added(folder));
  }

  @Test
  public void valuesThatTheLogicalTypeExcludesFailTheJobAndKeepTheFolder() throws Exception {
    var folder = parcels();
    for (var text : List.of("1-1-1-1-1", "", ID + "0", ID.replace('0', '\u0660'), "x".repeat(36)))
      assertUnchanged(
          folder, "row 0 of partition 0: column id must be a UUID of hexadecimal digits in the form 8-4-4-4-12,"
              + " as its files store it, but is " + text + " in a row",
          () -> append(folder, COLUMNS.replace("'" + ID + "' id", "'" + text + "' id")));
    for (var time : List.of("-1", "86400000000000"))
      assertUnchanged(
          folder, "column opens must be a time of day from 0 to 86399999999999 nanoseconds, as its files store it,"
              + " but is " + time + " in a row",
          () -> append(folder, COLUMNS.replace("86399999999999L", time + "L")));
  }

  @Test
  public void anotherStoredTypeIsAnErrorThatNamesTheColumnAndBothTypes() throws Exception {
    var ids = folder(FileLayout.ALIGNED, List.of(id("id", 0)), 16);
    assertUnchanged(
        ids, "the data: column id would be stored as a text, but is stored as a UUID in ",
        () -> Local.SPARK.sql("select '" + ID + "' id").write().format("undercroft").option("textBytes.id", 36)
            .mode("append").save(ids.toString()));
    var mood = new Field.Leaf("mood", 0, new Type.Ordinal(Primitive.BYTE, List.of("Calm", "Bright")));
    var moods = folder(FileLayout.ALIGNED, List.of(mood), 1);
    assertUnchanged(
        moods, "the data: column mood would be stored as a text, but is stored as an enum in ",
        () -> Local.SPARK.sql("select 'Calm' mood").write().format("undercroft").option("enums", "text")
            .option("nulls", "fail").mode("append").save(moods.toString()));
    var event =
        new Field.Record(
            "event", "Event",
            List.of(
                new Field.Leaf("tag", 0, new Type.Ordinal(Primitive.BYTE, List.of("On", "Off"))),
                new Field.Union(
                    "", "",
                    List.of(
                        new Field.Record("On", "On", List.of(new Field.Leaf("x", 4, Primitive.INT))),
                        new Field.Record("Off", "Off", List.of(new Field.Leaf("y", 4, Primitive.INT)))))));
    var events = folder(FileLayout.ALIGNED, List.of(event), 8);
    assertUnchanged(
        events, "the data: column event would be stored as a struct, but is stored as an enum with fields in ",
        () -> Local.read(events).write().format("undercroft").mode("append").save(events.toString()));
    var rows = folder(FileLayout.ALIGNED, event.fields(), 8);
    assertUnchanged(
        rows, "the data: column tag would be stored as an enum, but is stored as a part of an enum with fields in ",
        () -> Local.read(rows).write().format("undercroft").mode("append").save(rows.toString()));
    var pair =
        new Field.Leaf(
            "ids", 0,
            new Type.Elements(new Type.Logical(new Type.Struct("Bits128", 16, halves(0)), new LogicalKind.Uuid()), 1));
    var arrays = folder(FileLayout.ALIGNED, List.of(pair), 16);
    assertUnchanged(
        arrays, "the data: column ids.element would be stored as a text, but is stored as a UUID in ",
        () -> Local.SPARK.sql("select array('" + ID + "') ids").write().format("undercroft")
            .option("textBytes.ids.element", 36).mode("append").save(arrays.toString()));
  }
}
