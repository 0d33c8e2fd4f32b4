package undercroft.spark;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.StructType;
import org.junit.After;
import org.junit.Before;
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

/** Times of day as Spark's TIME, which a session has if `spark.sql.timeType.enabled` is true, and as
 * their stored numbers otherwise.
 */
public class TimeOfDayTest {
  private static final String SETTING = "spark.sql.timeType.enabled";
  private static final long DAY = 86_400_000_000L;

  @Before
  public void withTimes() {
    Local.SPARK.conf().set(SETTING, "true");
  }

  @After
  public void withoutTimes() {
    for (var row : Local.SPARK.sql("show tables").collectAsList())
      if (!row.getBoolean(2)) Local.SPARK.sql("drop table " + row.getString(1));
    Local.SPARK.conf().unset(SETTING);
  }

  private static LocalTime micros(long count) {
    return LocalTime.ofNanoOfDay(count * 1000);
  }

  private static List<Row> values(long seed) {
    var random = new Random(seed);
    var rows = new ArrayList<Row>();
    for (long end : List.of(0L, 1L, DAY - 1, DAY / 2))
      rows.add(
          RowFactory.create(
              rows.size(), micros(end), RowFactory.create(micros(DAY - 1 - end)), List.of(micros(end), micros(7))));
    rows.add(RowFactory.create(rows.size(), null, RowFactory.create((Object) null), List.of(micros(1), micros(2))));
    for (int i = 0; i < 200; i++)
      rows.add(
          RowFactory.create(
              rows.size(), micros(random.nextLong(DAY)), RowFactory.create(micros(random.nextLong(DAY))),
              List.of(micros(random.nextLong(DAY)), micros(random.nextLong(DAY)))));
    return rows;
  }

  private static Path target() {
    return Local.folder().resolve("target");
  }

  private static List<Field> fields(Path folder) throws Exception {
    try (var files = Files.list(folder)) {
      var path =
          files.filter(file -> file.getFileName().toString().startsWith("part-")).sorted().findFirst().orElseThrow();
      try (var file = StructFile.open(path)) {
        return file.schema().fields();
      }
    }
  }

  /** A file whose column `at` has a unit, with these numbers, in blocks of ten rows. */
  private static Path folder(Unit unit, Type of, long... numbers) {
    var folder = Local.folder();
    var type = new Type.Logical(of, new LogicalKind.Time(unit));
    var schema =
        new Schema("Opening", FileLayout.ALIGNED, ByteOrder.nativeOrder(), 8, List.of(new Field.Leaf("at", 0, type)));
    var writer = StructWriter.create(folder.resolve("a.rows"), schema, numbers.length, Durability.VOLATILE);
    writer.ensureCapacity(numbers.length);
    var order = of instanceof Type.BigEndian ? ByteOrder.BIG_ENDIAN : ByteOrder.nativeOrder();
    for (int i = 0; i < numbers.length; i++) writer.data().set(JAVA_LONG.withOrder(order), 8L * i, numbers[i]);
    SmallBlocks.seal(writer, numbers.length, 10);
    return folder;
  }

  private static Type stored(Unit unit) {
    return new Type.Logical(Primitive.LONG, new LogicalKind.Time(unit));
  }

  @Test
  public void everyTimeIsReadAsItWasWrittenInEveryLayout() throws Exception {
    long seed = new Random().nextLong();
    var columns =
        StructType.fromDDL("id int not null, at time(6), inner struct<at: time(6)>, stages array<time(6)>");
    var data = Local.SPARK.createDataFrame(values(seed), columns);
    var condition = "at < time'12:00' and inner.at > time'06:00'";
    var extremes = new String[] {"max(at)", "min(at)", "count(at)", "max(inner.at)", "min(stages[1])"};
    var rows = Local.rows(data);
    var selected = Local.rows(data.where(condition));
    var expectedExtremes = data.selectExpr(extremes).first();
    var groups = Local.rows(data.groupBy("at").count());
    var fourfold = Stream.generate(() -> rows).limit(4).flatMap(List::stream).sorted().toList();
    for (var layout : List.of("rows", "packed", "columns")) {
      var folder = target();
      data.write().format("undercroft").option("layout", layout).option("arrayLength", 2).save(folder.toString());
      var read = Local.read(folder);
      assertEquals(
          "struct<id:int,at:time(6),inner:struct<at:time(6)>,stages:array<time(6)>>", read.schema().catalogString());
      assertEquals("seed " + seed, rows, Local.rows(read));
      assertEquals(1, read.where("at is null and inner.at is null").count());
      var at = (Field.Leaf) ((Field.Record) fields(folder).get(1)).fields().get(1);
      assertEquals(stored(Unit.MICROS), at.type());
      assertEquals(selected, Local.rows(read.where(condition)));
      assertEquals(expectedExtremes, read.selectExpr(extremes).first());
      assertEquals(groups, Local.rows(read.groupBy("at").count()));
      // The same columns, read and appended without an option, with and without the setting.
      read.write().format("undercroft").mode("append").save(folder.toString());
      withoutTimes();
      var numbers = Local.read(folder);
      assertEquals(
          "struct<id:int,at:bigint,inner:struct<at:bigint>,stages:array<bigint>>", numbers.schema().catalogString());
      assertEquals("[0,0,[" + (DAY - 1) + "],ArraySeq(0, 7)]", numbers.where("id = 0").first().toString());
      numbers.write().format("undercroft").mode("append").save(folder.toString());
      withTimes();
      assertEquals(fourfold, Local.rows(Local.read(folder)));
    }
  }

  @Test
  public void appendsKeepTheUnitOfTheFolder() throws Exception {
    for (var unit : Unit.values()) {
      var of = unit == Unit.MILLIS ? new Type.BigEndian(Primitive.LONG) : Primitive.LONG;
      var folder = folder(unit, of, 2 * unit.perSecond());
      append(folder, "time'03:00' at");
      assertEquals(stored(unit), ((Field.Leaf) fields(folder).getFirst()).type());
      var read = Local.read(folder);
      assertEquals("struct<at:time(6)>", read.schema().catalogString());
      assertEquals(
          RowFactory.create(LocalTime.of(3, 0), LocalTime.of(0, 0, 2)), read.selectExpr("max(at)", "min(at)").first());
      assertEquals(1, read.where("at > time'00:00:02'").count());
      assertEquals(1, read.where("at = time'00:00:02.000000'").count());
      assertEquals(0, read.where("at = time'00:00:02.000001'").count());
      assertEquals(2, read.where("at <> time'00:00:02.000001'").count());
      // A number in the unit of the folder.
      append(folder, unit.perSecond() + "L at");
      assertEquals(LocalTime.of(0, 0, 1), Local.read(folder).selectExpr("min(at)").first().get(0));
    }
  }

  private static void append(Path folder, String column) {
    Local.SPARK.sql("select " + column).write().format("undercroft").option("nulls", "fail").mode("append")
        .save(folder.toString());
  }

  @Test
  public void blocksAreSkippedByTimes() throws Exception {
    var numbers = new long[200];
    for (int i = 0; i < numbers.length; i++) numbers[i] = 60_000L * i;
    var folder = folder(Unit.MILLIS, Primitive.LONG, numbers);
    // A task fails if it reads the changed block.
    try (var file = java.nio.channels.FileChannel.open(
        folder.resolve("a.rows"), java.nio.file.StandardOpenOption.READ, java.nio.file.StandardOpenOption.WRITE)) {
      long last = 60_000L * 199;
      var bytes = java.nio.ByteBuffer.allocate((int) file.size()).order(ByteOrder.nativeOrder());
      file.read(bytes, 0);
      int at = 0;
      for (int i = 0; i + 8 <= bytes.capacity() && at == 0; i += 8)
        if (bytes.getLong(i) == last && bytes.getLong(i - 8) == last - 60_000) at = i;
      assertTrue(at > 0);
      file.write(java.nio.ByteBuffer.wrap(new byte[] {1}), at + 1);
    }
    var read = Local.read(folder);
    Local.assertSays("a.rows", () -> read.selectExpr("sum(hour(at))").first());
    assertEquals(60, read.where("at < time'01:00'").selectExpr("count(at)", "max(at)").first().getLong(0));
    assertEquals(1, read.where("at = time'00:01'").collectAsList().size());
    assertEquals(2, read.where("at in (time'00:01', time'00:02')").collectAsList().size());
  }

  @Test
  public void aTimeThatTheUnitCannotHaveFailsTheJobAndKeepsTheFolder() throws Exception {
    var millis = folder(Unit.MILLIS, Primitive.LONG, 0);
    var before = Local.names(millis);
    Local.assertSays(
        "row 0 of partition 0: column at must be a whole number of milliseconds, as its files store it, but is"
            + " 03:00:00.000001 in a row",
        () -> append(millis, "time'03:00:00.000001' at"));
    Local.assertSays(
        "column at must be a time of day from 0 to 86399999 milliseconds, as its files store it, but is 86400000 in"
            + " a row",
        () -> append(millis, "86400000L at"));
    Local.assertSays(
        "column 0 is at of type TIMESTAMP, but at of type TIME(6)", () -> append(millis, "timestamp'2026-01-01' at"));
    assertEquals(before, Local.names(millis));
    assertEquals(1, Local.read(millis).count());
    // A column of numbers is not one of times.
    var numbers = target();
    Local.SPARK.sql("select 7L at").write().format("undercroft").option("nulls", "fail").save(numbers.toString());
    Local.assertSays("column 0 is at of type TIME(6), but at of type BIGINT", () -> append(numbers, "time'03:00' at"));
  }

  @Test
  public void numbersThatSparkDoesNotHaveAreErrorsWithTheRowAndReadableAsNumbers() {
    var nanos = folder(Unit.NANOS, Primitive.LONG, 1500);
    Local.assertSays(
        "row 0 of column at is stored as 1500 nanoseconds, which the type TIME(6) does not have: read it as its stored"
            + " number by schema(...), as BIGINT",
        () -> Local.read(nanos).collectAsList());
    for (long number : List.of(-1L, 86_400L, Long.MAX_VALUE))
      Local.assertSays(
          "row 0 of column at is stored as " + number + " seconds, but a time of day is from 0 to 86399: request the"
              + " stored number by schema(...), as BIGINT",
          () -> Local.read(folder(Unit.SECONDS, Primitive.LONG, number)).collectAsList());
    var read = Local.SPARK.read().format("undercroft").schema("at bigint").load(nanos.toString());
    assertEquals("[1500]", read.first().toString());
    Local.assertSays(
        "column at is of type TIME(6), but INT was requested",
        () -> Local.SPARK.read().format("undercroft").schema("at int").load(nanos.toString()).first());
  }

  @Test
  public void fewerDigitsAreReadIfTheValueIsAWholeNumberOfThem() {
    Local.SPARK.sql("create table t (id int, at time(0)) using undercroft");
    Local.SPARK.sql("insert into t values (1, time'23:59:59'), (2, null)");
    assertEquals(List.of("[1,23:59:59]", "[2,null]"), Local.rows(Local.SPARK.table("t")));
    assertEquals("time(0)", Local.SPARK.table("t").schema().apply("at").dataType().catalogString());
    var millis = folder(Unit.MILLIS, Primitive.LONG, 1);
    Local.assertSays(
        "row 0 of column at is stored as 1 milliseconds, which the type TIME(0) does not have: read it as TIME(6)",
        () -> Local.SPARK.read().format("undercroft").schema("at time(0)").load(millis.toString()).collectAsList());
  }

  @Test
  public void filesWithDifferentUnitsAreOneTable() throws Exception {
    var folder = folder(Unit.SECONDS, Primitive.LONG, 3600);
    Files.copy(folder(Unit.NANOS, Primitive.LONG, 7200_000_000_000L).resolve("a.rows"), folder.resolve("b.rows"));
    assertEquals(List.of("[01:00]", "[02:00]"), Local.rows(Local.read(folder)));
    withoutTimes();
    Local.assertSays(
        "column at is a time of day in different units in several files, so its stored numbers are not comparable: set"
            + " spark.sql.timeType.enabled to true to read TIME(6), or request the numbers by schema(...), as BIGINT",
        () -> Local.read(folder));
    var requested = Local.SPARK.read().format("undercroft").schema("at bigint").load(folder.toString());
    assertEquals(List.of("[3600]", "[7200000000000]"), Local.rows(requested));
  }

  @Test
  public void aFileOfAnotherUnitThatIsAddedLaterIsAnErrorForItsNumbers() throws Exception {
    withoutTimes();
    var folder = folder(Unit.SECONDS, Primitive.LONG, 3600);
    var numbers = Local.read(folder);
    Local.SPARK.sql("create table openings using undercroft location '" + folder + "'");
    assertEquals(List.of("[3600]"), Local.rows(Local.SPARK.table("openings")));
    Files.copy(folder(Unit.NANOS, Primitive.LONG, 7200_000_000_000L).resolve("a.rows"), folder.resolve("b.rows"));
    Local.assertSays(
        "b.rows: column at is a time of day in nanoseconds, but its stored numbers were requested in another unit, that"
            + " of other files: set spark.sql.timeType.enabled to true to read TIME(6), or request the numbers by"
            + " schema(...), as BIGINT",
        () -> numbers.where("at > 50000").collectAsList());
    Local.assertSays(
        "column at is a time of day in",
        () -> Local.SPARK.sql("select max(at), count(*) from openings").collectAsList());
    var requested = Local.SPARK.read().format("undercroft").schema("at bigint").load(folder.toString());
    assertEquals(List.of("[3600]", "[7200000000000]"), Local.rows(requested));
  }

  @Test
  public void arraysOfDifferentLengthsInOneUnitAreReadAsNumbers() {
    var folder = target();
    for (int length = 1; length <= 2; length++)
      Local.SPARK.sql("select array_repeat(time'00:00:01', " + length + ") times").write().format("undercroft")
          .option("arrayLength", length).save(folder.resolve("length" + length).toString());
    withoutTimes();
    for (boolean merges : List.of(false, true)) {
      var read = Local.SPARK.read().format("undercroft").option("mergeSchema", merges)
          .load(folder.resolve("length1").toString(), folder.resolve("length2").toString());
      var rows = Local.rows(read).stream().sorted().toList();
      assertEquals(List.of("[ArraySeq(1000000)]", "[ArraySeq(1000000, 1000000)]"), rows);
    }
  }

  @Test
  public void timesAreNoPartitions() {
    Local.assertSays(
        "at",
        () -> Local.SPARK.sql("select 1 id, time'03:00' at").write().format("undercroft").partitionBy("at")
            .save(target().toString()));
  }
}
