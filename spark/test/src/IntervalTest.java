package undercroft.spark;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.StructType;
import org.junit.After;
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

/** Durations as intervals of days to seconds, read and written. */
public class IntervalTest {
  private static final StructType COLUMNS =
      StructType.fromDDL(
          "id int not null, took interval day to second, inner struct<took: interval day to second>,"
              + " stages array<interval day to second>");

  @After
  public void dropTables() {
    for (var row : Local.SPARK.sql("show tables").collectAsList())
      if (!row.getBoolean(2)) Local.SPARK.sql("drop table " + row.getString(1));
  }

  private static Duration micros(long count) {
    return Duration.ofSeconds(Math.floorDiv(count, 1_000_000), Math.floorMod(count, 1_000_000) * 1000);
  }

  private static List<Row> values(long seed) {
    var random = new Random(seed);
    var rows = new ArrayList<Row>();
    for (long end : List.of(0L, 1L, -1L, 86_400_000_000L, Long.MAX_VALUE, -Long.MAX_VALUE, Long.MIN_VALUE))
      rows.add(
          RowFactory.create(
              rows.size(), micros(end), RowFactory.create(micros(-(end / 2))), List.of(micros(end), micros(7))));
    rows.add(RowFactory.create(rows.size(), null, RowFactory.create((Object) null), List.of(micros(1), micros(2))));
    for (int i = 0; i < 200; i++)
      rows.add(
          RowFactory.create(
              rows.size(), micros(random.nextLong()), RowFactory.create(micros(random.nextInt())),
              List.of(micros(random.nextLong()), micros(random.nextInt()))));
    return rows;
  }

  private static Path target() {
    return Local.folder().resolve("target");
  }

  private static Type type(Path folder, int field) throws Exception {
    try (var files = Files.list(folder)) {
      var path =
          files.filter(file -> file.getFileName().toString().startsWith("part-")).sorted().findFirst().orElseThrow();
      try (var file = StructFile.open(path)) {
        return ((Field.Leaf) file.schema().fields().get(field)).type();
      }
    }
  }

  @Test
  public void everyIntervalIsReadAsItWasWrittenInEveryLayout() throws Exception {
    long seed = new Random().nextLong();
    var data = Local.SPARK.createDataFrame(values(seed), COLUMNS);
    var expected = Local.rows(data);
    for (var layout : List.of("rows", "packed", "columns")) {
      var folder = target();
      data.write().format("undercroft").option("layout", layout).option("arrayLength", 2).save(folder.toString());
      var read = Local.read(folder);
      assertEquals(
          "struct<id:int,took:interval day to second,inner:struct<took:interval day to second>,"
              + "stages:array<interval day to second>>",
          read.schema().catalogString());
      assertEquals("seed " + seed, expected, Local.rows(read));
      assertEquals(1, read.where("took is null and inner.took is null").count());
      assertEquals(
          new Type.Elements(new Type.Logical(Primitive.LONG, new LogicalKind.Duration(Unit.MICROS)), 2),
          ((Field.Leaf) ((Field.Record) field(folder, 3)).fields().get(1)).type());
      // The same columns, read and appended without an option.
      read.write().format("undercroft").mode("append").save(folder.toString());
      assertEquals(2L * expected.size(), Local.read(folder).count());
    }
  }

  private static Field field(Path folder, int index) throws Exception {
    try (var files = Files.list(folder)) {
      var path = files.filter(file -> file.toString().endsWith(".rows")).sorted().findFirst().orElseThrow();
      try (var file = StructFile.open(path)) {
        return file.schema().fields().get(index);
      }
    }
  }

  /** A folder with one file of one row, whose column `took` has a unit. */
  private static Path folder(Unit unit, Type of, long number) {
    var folder = Local.folder();
    var type = new Type.Logical(of, new LogicalKind.Duration(unit));
    var schema =
        new Schema(
            "Timing", FileLayout.ALIGNED, ByteOrder.nativeOrder(), 8, List.of(new Field.Leaf("took", 0, type)));
    var writer = StructWriter.create(folder.resolve("a.rows"), schema, 1, Durability.VOLATILE);
    writer.ensureCapacity(1);
    writer.data().set(
        java.lang.foreign.ValueLayout.JAVA_LONG.withOrder(
            of instanceof Type.BigEndian ? ByteOrder.BIG_ENDIAN : ByteOrder.nativeOrder()),
        0, number);
    SmallBlocks.seal(writer, 1, 10);
    return folder;
  }

  private static void append(Path folder, String column) {
    Local.SPARK.sql("select " + column).write().format("undercroft").option("nulls", "fail").mode("append")
        .save(folder.toString());
  }

  @Test
  public void appendsKeepTheUnitOfTheFolder() throws Exception {
    for (var unit : Unit.values()) {
      var folder = folder(unit, unit == Unit.MILLIS ? new Type.BigEndian(Primitive.LONG) : Primitive.LONG, -2);
      append(folder, "interval '3' hour took");
      assertEquals(new Type.Logical(Primitive.LONG, new LogicalKind.Duration(unit)), type(folder, 0));
      if (unit == Unit.NANOS) continue;
      var read = Local.read(folder);
      assertEquals(
          RowFactory.create(Duration.ofHours(3), Duration.ofNanos(-2 * (1_000_000_000L / unit.perSecond()))),
          read.selectExpr("max(took)", "min(took)").first());
      assertEquals(1, read.where("took > interval '0' day").count());
    }
  }

  @Test
  public void anIntervalThatTheUnitCannotHaveFailsTheJobAndKeepsTheFolder() throws Exception {
    var millis = folder(Unit.MILLIS, Primitive.LONG, 0);
    var before = Local.names(millis);
    Local.assertSays(
        "row 0 of partition 0: column took must be a whole number of milliseconds of 64 bits, as its files store it,"
            + " but is 1 microseconds in a row",
        () -> append(millis, "interval '0.000001' second took"));
    assertEquals(before, Local.names(millis));
    var nanos = folder(Unit.NANOS, Primitive.LONG, 0);
    Local.assertSays(
        "column took must be a whole number of nanoseconds of 64 bits",
        () -> append(nanos, "interval '106752' day took"));
    // A number is not an interval, and a year is no number of seconds.
    Local.assertSays(
        "the data: schema mismatch: column 0 is took of type BIGINT, but took of type INTERVAL DAY TO SECOND in ",
        () -> append(nanos, "7L took"));
    Local.assertSays("took", () -> append(nanos, "interval '1' year took"));
    assertEquals(1, Local.read(nanos).count());
  }

  @Test
  public void numbersThatSparkDoesNotHaveAreErrorsWithTheRowAndReadableAsNumbers() {
    var nanos = folder(Unit.NANOS, Primitive.LONG, 1500);
    Local.assertSays(
        "row 0 of column took is stored as 1500 nanoseconds, which Spark's intervals, of microseconds, do not have:"
            + " request the stored number by schema(...), as BIGINT",
        () -> Local.read(nanos).collectAsList());
    var seconds = folder(Unit.SECONDS, Primitive.LONG, Long.MAX_VALUE);
    Local.assertSays("is stored as 9223372036854775807 seconds", () -> Local.read(seconds).collectAsList());
    var read = Local.SPARK.read().format("undercroft").schema("took bigint").load(nanos.toString());
    assertEquals("[1500]", read.first().toString());
  }

  @Test
  public void otherFieldsOfIntervalsAreReadIfTheValueIsAWholeNumberOfThem() {
    Local.SPARK.sql("create table t (took interval hour) using undercroft");
    Local.SPARK.sql("insert into t values (interval '36' hour), (null)");
    assertEquals(
        List.of("[PT36H]", "[null]"), Local.rows(Local.SPARK.table("t")));
    assertEquals("interval hour", Local.SPARK.table("t").schema().apply("took").dataType().catalogString());
    var millis = folder(Unit.MILLIS, Primitive.LONG, 1);
    Local.assertSays(
        "row 0 of column took is stored as 1 milliseconds, which the type INTERVAL MINUTE does not have: read it as"
            + " INTERVAL DAY TO SECOND",
        () -> Local.SPARK.read().format("undercroft").schema("took interval minute").load(millis.toString())
            .collectAsList());
  }

  @Test
  public void intervalsAreNoPartitionsAndYearsAreRefused() {
    var data = Local.SPARK.sql("select 1 id, interval '1' day took");
    Local.assertSays(
        "took", () -> data.write().format("undercroft").partitionBy("took").save(target().toString()));
    var failure =
        Local.failure(
            () -> Local.SPARK.sql("select interval '1' month took").write().format("undercroft")
                .save(target().toString()));
    assertTrue(failure, failure.contains("INTERVAL MONTH"));
  }
}
