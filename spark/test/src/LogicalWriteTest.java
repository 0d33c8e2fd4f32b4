package undercroft.spark;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.math.BigDecimal;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.streaming.Trigger;
import org.apache.spark.sql.types.StructType;
import org.junit.After;
import org.junit.AfterClass;
import org.junit.BeforeClass;
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

/** Dates, timestamps and decimals that Spark writes. */
public class LogicalWriteTest {
  private static final StructType COLUMNS =
      StructType.fromDDL(
          "id int not null, day date, at timestamp, local timestamp_ntz, price decimal(18,2), wide decimal(38,10),"
              + " whole decimal(5,0), `all` decimal(38,38)");

  @BeforeClass
  public static void inUtc() {
    Local.SPARK.conf().set("spark.sql.session.timeZone", "UTC");
    Local.SPARK.conf().set("spark.sql.datetime.java8API.enabled", "true");
  }

  @AfterClass
  public static void inDefaultZone() {
    Local.SPARK.conf().unset("spark.sql.session.timeZone");
    Local.SPARK.conf().unset("spark.sql.datetime.java8API.enabled");
  }

  @After
  public void dropTables() {
    for (var row : Local.SPARK.sql("show tables").collectAsList())
      if (!row.getBoolean(2)) Local.SPARK.sql("drop table " + row.getString(1));
  }

  private static BigDecimal decimal(String text, int scale) {
    return new BigDecimal(text).setScale(scale);
  }

  /** Values at the ends of their ranges, a row of nulls, and random values. */
  private static List<Row> values(long seed) {
    var rows = new ArrayList<Row>();
    var nines = "9".repeat(28) + "." + "9".repeat(10);
    var ends = List.of("0001-01-01", "1582-10-04", "1969-12-31", "1970-01-01", "9999-12-31");
    for (var day : ends) {
      var sign = rows.size() % 2 == 0 ? "-" : "";
      rows.add(
          RowFactory.create(
              rows.size(), LocalDate.parse(day), Instant.parse(day + "T23:59:59.999999Z"),
              LocalDateTime.parse(day + "T00:00:00.000001"), decimal(sign + "9999999999999999.99", 2),
              decimal(sign + nines, 10), decimal(sign + "99999", 0), decimal(sign + "0." + "9".repeat(38), 38)));
    }
    rows.add(RowFactory.create(rows.size(), null, null, null, null, null, null, null));
    var random = new Random(seed);
    for (int i = 0; i < 200; i++)
      rows.add(
          RowFactory.create(
              rows.size(), LocalDate.ofEpochDay(random.nextInt(200_000) - 100_000),
              Instant.ofEpochSecond(random.nextInt(), random.nextInt(1_000_000) * 1000),
              LocalDate.ofEpochDay(random.nextInt(200_000) - 100_000).atStartOfDay()
                  .plusNanos(random.nextInt(86_400) * 1000L),
              BigDecimal.valueOf(random.nextLong() / 10, 2), decimal(random.nextLong() + ".1234567891", 10),
              BigDecimal.valueOf(random.nextInt(199_999) - 99_999), BigDecimal.valueOf(random.nextLong(), 38)));
    return rows;
  }

  private static Dataset<Row> data(List<Row> rows) {
    return Local.SPARK.createDataFrame(rows, COLUMNS);
  }

  private static Path target() {
    return Local.folder().resolve("target");
  }

  private static Schema schema(Path folder) throws Exception {
    try (var files = Files.walk(folder)) {
      var path = files.filter(file -> file.toString().endsWith(".rows")).sorted().findFirst().orElseThrow();
      try (var file = StructFile.open(path)) {
        return file.schema();
      }
    }
  }

  private static Optional<LogicalKind> kind(Field field) {
    return switch (field) {
      case Field.Leaf leaf when leaf.type() instanceof Type.Logical logical -> Optional.of(logical.kind());
      case Field.Leaf _ -> Optional.empty();
      case Field.Record record when record.typeName().equals("Option") -> kind(record.fields().get(1));
      case Field.Record record -> record.kind();
      case Field.Union _ -> Optional.empty();
    };
  }

  @Test
  public void everyValueIsReadAsItWasWrittenInEveryLayout() throws Exception {
    long seed = new Random().nextLong();
    var data = data(values(seed));
    for (var layout : List.of("rows", "packed", "columns"))
      for (var nulls : List.of("option", "fail")) {
        var folder = target();
        var written = nulls.equals("fail") ? data.where("day is not null") : data;
        written.write().format("undercroft").option("layout", layout).option("nulls", nulls).save(folder.toString());
        var read = Local.read(folder);
        assertEquals(
            "struct<id:int,day:date,at:timestamp,local:timestamp_ntz,price:decimal(18,2),wide:decimal(38,10),"
                + "whole:decimal(5,0),all:decimal(38,38)>",
            read.schema().catalogString());
        assertEquals("seed " + seed, Local.rows(written), Local.rows(read));
        assertEquals(nulls.equals("option") ? 1 : 0, read.where("wide is null and at is null").count());
        assertEquals(
            List.of(
                Optional.empty(), Optional.of(new LogicalKind.Date()),
                Optional.of(new LogicalKind.Timestamp(Unit.MICROS, true)),
                Optional.of(new LogicalKind.Timestamp(Unit.MICROS, false)),
                Optional.of(new LogicalKind.Decimal(18, 2)), Optional.of(new LogicalKind.Decimal(38, 10)),
                Optional.of(new LogicalKind.Decimal(5, 0)), Optional.of(new LogicalKind.Decimal(38, 38))),
            schema(folder).fields().stream().map(LogicalWriteTest::kind).toList());
      }
  }

  @Test
  public void structsAndArraysHaveLogicalTypes() {
    var query =
        "named_struct('day', date'1969-12-31', 'sum', cast(-1.5 as decimal(38,3))) pair,"
            + " array(date'1970-01-02', date'0001-01-01') days, array(1.25BD, -1.25BD) prices,"
            + " array(cast(-7 as decimal(30,1))) wide, array(named_struct('at', timestamp'2026-11-24 00:00:00.000001',"
            + " 'sum', cast(-8 as decimal(20,0)))) visits";
    for (var layout : List.of("rows", "packed", "columns")) {
      var folder = target();
      var data = Local.SPARK.sql("select " + query);
      data.write().format("undercroft").option("layout", layout).option("arrayLength.days", 2)
          .option("arrayLength.prices", 2).option("arrayLength.wide", 1).option("arrayLength.visits", 1)
          .save(folder.toString());
      assertEquals(Local.rows(data), Local.rows(Local.read(folder)));
      // The same columns, read and appended without an option.
      Local.read(folder).write().format("undercroft").mode("append").save(folder.toString());
      assertEquals(2, Local.read(folder).where("pair.sum = -1.5 and days[0] = date'1970-01-02'").count());
    }
  }

  @Test
  public void partitionsAppendsAndPredicatesWorkOnLogicalColumns() {
    var folder = target();
    var rows = values(7);
    data(rows).repartition(1).write().format("undercroft").partitionBy("day").save(folder.toString());
    data(rows).write().format("undercroft").mode("append").save(folder.toString());
    var read = Local.read(folder);
    assertEquals(2L * rows.size(), read.count());
    assertEquals(2, read.where("at = timestamp'1969-12-31 23:59:59.999999'").count());
    assertEquals(2, read.where("day = date'9999-12-31' and price < 0").count());
    assertEquals(6, read.where("wide <= -9999999999999999999999999999.9999999999").count());
    Local.assertSays(
        "price",
        () -> data(rows).withColumn("price", org.apache.spark.sql.functions.expr("cast(price as decimal(18,3))"))
            .write().format("undercroft").mode("append").save(folder.toString()));
    assertEquals(2L * rows.size(), Local.read(folder).count());
  }

  /** A folder whose files a Scala program wrote: milliseconds, nanoseconds, and a decimal of two Longs. */
  private static Path scalaFolder() throws Exception {
    var folder = Local.folder();
    var halves =
        List.<Field>of(new Field.Leaf("high", 16, Primitive.LONG), new Field.Leaf("low", 24, Primitive.LONG));
    var schema =
        new Schema(
            "Visit", FileLayout.ALIGNED, ByteOrder.nativeOrder(), 32,
            List.of(
                new Field.Leaf(
                    "millis", 0, new Type.Logical(Primitive.LONG, new LogicalKind.Timestamp(Unit.MILLIS, true))),
                new Field.Leaf(
                    "nanos", 8, new Type.Logical(Primitive.LONG, new LogicalKind.Timestamp(Unit.NANOS, false))),
                new Field.Record("price", "Bits128", halves, Optional.of(new LogicalKind.Decimal(10, 2)))));
    var writer = StructWriter.create(folder.resolve("a.rows"), schema, 1, Durability.VOLATILE);
    writer.ensureCapacity(1);
    SmallBlocks.seal(writer, 1, 10);
    return folder;
  }

  private static void appendVisit(Path folder, String values) {
    Local.SPARK.sql("select " + values).write().format("undercroft").option("layout", "rows").mode("append")
        .save(folder.toString());
  }

  @Test
  public void appendsKeepTheUnitsAndTheWidthOfTheFolder() throws Exception {
    var folder = scalaFolder();
    appendVisit(
        folder, "timestamp'1969-12-31 23:59:59.999' millis, timestamp_ntz'1677-10-01 00:00:00.000001' nanos,"
            + " cast(-12345678.99 as decimal(10,2)) price");
    assertEquals(
        List.of(
            "[1969-12-31T23:59:59.999Z,1677-10-01T00:00:00.000001,-12345678.99]",
            "[1970-01-01T00:00:00Z,1970-01-01T00:00,0.00]"),
        Local.rows(Local.read(folder)));
    try (var files = Files.list(folder)) {
      for (var path : files.filter(file -> file.toString().endsWith(".rows")).toList())
        try (var file = StructFile.open(path)) {
          var kinds = file.schema().fields().stream().map(LogicalWriteTest::kind).toList();
          assertEquals(Optional.of(new LogicalKind.Timestamp(Unit.MILLIS, true)), kinds.get(0));
          assertEquals(Optional.of(new LogicalKind.Timestamp(Unit.NANOS, false)), kinds.get(1));
          assertTrue(file.schema().fields().get(2) instanceof Field.Record);
        }
    }
  }

  @Test
  public void aTimeThatTheUnitOfTheFolderCannotHaveFailsTheJobWithItsRow() throws Exception {
    var folder = scalaFolder();
    Local.assertSays(
        "row 0 of partition 0: column millis must be a whole number of milliseconds of 64 bits, as its files store"
            + " it, but is 1 microseconds since 1970 in a row",
        () -> appendVisit(
            folder, "timestamp'1970-01-01 00:00:00.000001' millis, timestamp_ntz'1970-01-01' nanos,"
                + " cast(0 as decimal(10,2)) price"));
    Local.assertSays(
        "column nanos must be a whole number of nanoseconds of 64 bits",
        () -> appendVisit(
            folder, "timestamp'1970-01-01' millis, timestamp_ntz'9999-01-01' nanos, cast(0 as decimal(10,2)) price"));
    assertEquals(1, Local.read(folder).count());
  }

  @Test
  public void tablesOfTheCatalogStoreLogicalTypes() {
    Local.SPARK.sql("create table t (day date, at timestamp, sum decimal(20,3)) using undercroft");
    Local.SPARK.sql("insert into t values (date'2026-11-24', timestamp'1900-01-01', -1.5), (null, null, null)");
    assertEquals(
        List.of("[2026-11-24,1900-01-01T00:00:00Z,-1.500]", "[null,null,null]"),
        Local.rows(Local.SPARK.table("t")));
    Local.SPARK.sql("create table u using undercroft partitioned by (day) as select * from t");
    assertEquals(
        List.of("[1900-01-01T00:00:00Z,-1.500]"),
        Local.rows(Local.SPARK.sql("select at, sum from u where day = date'2026-11-24'")));
    // Spark itself fails values beyond the digits of the table's column.
    Local.assertSays(
        "CAST_OVERFLOW_IN_TABLE_INSERT",
        () -> Local.SPARK.sql("insert into t values (null, null, 123456789012345678901234.5)"));
    assertEquals(2, Local.SPARK.table("t").count());
  }

  @Test
  public void streamsWriteLogicalTypes() throws Exception {
    var source = Local.folder();
    var folder = target();
    var rows = values(8);
    data(rows).write().format("parquet").mode("append").save(source.toString());
    Local.SPARK.readStream().schema(data(rows).schema()).parquet(source.toString()).writeStream()
        .format("undercroft").option("checkpointLocation", Local.folder().toString()).trigger(Trigger.AvailableNow())
        .start(folder.toString()).awaitTermination();
    assertEquals(Local.rows(data(rows)), Local.rows(Local.read(folder)));
  }
}
