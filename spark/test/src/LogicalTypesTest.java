package undercroft.spark;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
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
import undercroft.file.format.StructWriter;
import undercroft.file.format.Type;
import undercroft.file.format.Type.Primitive;
import undercroft.file.format.internal.schema.TypeConversion;

/** Logical types as types of Spark. Row `i` has the number `i - 100`, in blocks of ten rows. */
public class LogicalTypesTest {
  private static final int ROWS = 200;
  private static final int STRIDE = 136;

  private static Field leaf(String name, int offset, Type of, LogicalKind kind) {
    return new Field.Leaf(name, offset, new Type.Logical(of, kind));
  }

  private static Field pair(String name, int offset, LogicalKind kind) {
    var halves =
        List.<Field>of(
            new Field.Leaf("high", offset, Primitive.LONG), new Field.Leaf("low", offset + 8, Primitive.LONG));
    return new Field.Record(name, "Pair", halves, Optional.of(kind));
  }

  private static Schema schema() {
    var date = new LogicalKind.Date();
    var back = List.of(new Field.Leaf("isDefined", 84, Primitive.BOOLEAN), leaf("get", 88, Primitive.INT, date));
    return new Schema(
        "Visit", FileLayout.ALIGNED, ByteOrder.nativeOrder(), STRIDE,
        List.of(
            leaf("day", 0, Primitive.INT, date),
            leaf("nanos", 8, Primitive.LONG, new LogicalKind.Timestamp(Unit.NANOS, true)),
            leaf("millis", 16, new Type.BigEndian(Primitive.LONG), new LogicalKind.Timestamp(Unit.MILLIS, true)),
            leaf("local", 24, Primitive.LONG, new LogicalKind.Timestamp(Unit.SECONDS, false)),
            leaf("price", 32, Primitive.LONG, new LogicalKind.Decimal(18, 2)),
            pair("wide", 40, new LogicalKind.Decimal(38, 10)),
            pair("id", 56, new LogicalKind.Uuid()),
            leaf("length", 72, Primitive.LONG, new LogicalKind.Duration(Unit.NANOS)),
            leaf("code", 80, Primitive.INT, new LogicalKind.Named("code")),
            new Field.Record("back", "Option", back),
            new Field.Leaf("days", 92, new Type.Elements(new Type.Logical(Primitive.INT, date), 2)),
            new Field.Leaf(
                "ids", 104,
                new Type.Elements(
                    new Type.Logical(
                        new Type.Struct(
                            "Pair", 16,
                            List.of(
                                new Field.Leaf("high", 0, Primitive.LONG),
                                new Field.Leaf("low", 8, Primitive.LONG))),
                        new LogicalKind.Uuid()),
                    2))));
  }

  private static Path file(Schema schema, long lastNanos) {
    var file = Local.folder().resolve("visits.rows");
    var writer = StructWriter.create(file, schema, ROWS, Durability.VOLATILE);
    writer.ensureCapacity(ROWS);
    var data = writer.data();
    for (int row = 0; row < ROWS; row++) {
      long at = (long) row * STRIDE;
      long number = row - 100;
      data.set(JAVA_INT, at, (int) number);
      data.set(JAVA_LONG, at + 8, row == ROWS - 1 ? lastNanos : number * 1000);
      data.set(JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN), at + 16, number);
      data.set(JAVA_LONG, at + 24, number);
      data.set(JAVA_LONG, at + 32, number);
      var wide = BigInteger.TEN.pow(30).multiply(BigInteger.valueOf(number));
      data.set(JAVA_LONG, at + 40, wide.shiftRight(64).longValue());
      data.set(JAVA_LONG, at + 48, wide.longValue());
      data.set(JAVA_LONG, at + 56, number);
      data.set(JAVA_LONG, at + 64, -number);
      data.set(JAVA_LONG, at + 72, row == ROWS - 1 ? lastNanos : number * 1000);
      data.set(JAVA_INT, at + 80, row);
      data.set(JAVA_BYTE, at + 84, (byte) (row % 2));
      data.set(JAVA_INT, at + 88, (int) number);
      data.set(JAVA_INT, at + 92, (int) number);
      data.set(JAVA_INT, at + 96, row);
      data.set(JAVA_LONG, at + 104, number);
      data.set(JAVA_LONG, at + 128, number);
    }
    SmallBlocks.seal(writer, ROWS, 10);
    return file;
  }

  private static Path file() {
    return file(schema(), 99_000);
  }

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

  private static void assertPlan(String words, Dataset<Row> data) {
    var plan = data.queryExecution().executedPlan().toString();
    assertTrue(plan, plan.contains(words));
  }

  @Test
  public void columnsHaveTheTypesOfSparkAndTheirValues() {
    var data = Local.read(file());
    assertEquals(
        "struct<day:date,nanos:timestamp,millis:timestamp,local:timestamp_ntz,price:decimal(18,2),"
            + "wide:decimal(38,10),id:string,length:interval day to second,code:int,back:date,days:array<date>,"
            + "ids:array<string>>",
        data.schema().catalogString());
    var rows = data.collectAsList();
    assertEquals(ROWS, rows.size());
    for (int i = 0; i < ROWS; i++) {
      var row = rows.get(i);
      long number = i - 100;
      assertEquals(LocalDate.ofEpochDay(number), row.get(0));
      assertEquals(Instant.ofEpochSecond(0, number * 1000), row.get(1));
      assertEquals(Instant.ofEpochMilli(number), row.get(2));
      assertEquals(LocalDateTime.ofEpochSecond(number, 0, ZoneOffset.UTC), row.get(3));
      assertEquals(BigDecimal.valueOf(number, 2), row.get(4));
      assertEquals(BigDecimal.TEN.pow(20).multiply(BigDecimal.valueOf(number)).setScale(10), row.get(5));
      assertEquals(new UUID(number, -number).toString(), row.get(6));
      assertEquals(Duration.ofNanos(number * 1000), row.get(7));
      assertEquals(i, row.get(8));
      assertEquals(i % 2 == 0 ? null : LocalDate.ofEpochDay(number), row.get(9));
      assertEquals(List.of(LocalDate.ofEpochDay(number), LocalDate.ofEpochDay(i)), row.getList(10));
      assertEquals(
          List.of(new UUID(number, 0).toString(), new UUID(0, number).toString()), row.getList(11));
    }
  }

  @Test
  public void blocksWithoutAMatchingValueAreSkippedInEveryUnit() {
    var data = Local.read(file());
    assertPlan("10 of 200 rows", data.where("day = date '1970-01-05'"));
    assertPlan("100 of 200 rows", data.where("day < date '1970-01-01'"));
    assertPlan("10 of 200 rows", data.where("nanos = timestamp '1970-01-01 00:00:00.000005Z'"));
    assertPlan("10 of 200 rows", data.where("millis = timestamp '1970-01-01 00:00:00.005Z'"));
    assertPlan("10 of 200 rows", data.where("local = timestamp_ntz '1970-01-01 00:00:05'"));
    assertPlan("10 of 200 rows", data.where("price in (0.05, 0.07)"));
    assertPlan("10 of 200 rows", data.where("back = date '1970-01-05'"));
    assertPlan("10 of 200 rows", data.where("length = interval '0.000005' second"));
    assertPlan("100 of 200 rows", data.where("length < interval '0' day"));
    // Between two milliseconds, which no stored number is.
    assertEquals(100, data.where("millis < timestamp '1969-12-31 23:59:59.9995Z'").count());
    assertEquals(1, data.where("id = '" + new UUID(7, -7) + "'").count());
    assertEquals(99, data.where("wide > 0").count());
  }

  @Test
  public void predicatesSelectTheRowsThatSparkSelects() {
    long seed = new Random().nextLong();
    System.out.println("seed " + seed);
    var random = new Random(seed);
    var files = Local.read(file());
    var here = Local.SPARK.createDataFrame(files.collectAsList(), files.schema());
    var operators = List.of("=", "<=>", "<>", "<", "<=", ">", ">=");
    var predicates = new ArrayList<String>();
    for (int i = 0; i < 40; i++) {
      int number = random.nextInt(300) - 150;
      var day = LocalDate.ofEpochDay(number);
      var second = LocalDateTime.ofEpochSecond(number, 0, ZoneOffset.UTC);
      var left =
          switch (random.nextInt(7)) {
            case 0 -> List.of("day", "date '" + day + "'");
            case 1 -> List.of("back", "date '" + day + "'");
            case 2 -> List.of("nanos", "timestamp '" + Instant.ofEpochSecond(0, number * 1000L) + "'");
            case 3 -> List.of("millis", "timestamp '" + Instant.ofEpochSecond(0, number * 500_000L) + "'");
            case 5 -> List.of("length", "interval '" + (number < 0 ? "-" : "") + "0." + "%06d".formatted(Math.abs(number)) + "' second");
            case 4 -> List.of("local", "timestamp_ntz '" + second + ":00'".substring(second.getSecond() == 0 ? 0 : 3));
            default -> List.of("price", BigDecimal.valueOf(number * 5L, 3).toPlainString());
          };
      var operator = operators.get(random.nextInt(operators.size()));
      var predicate = left.get(0) + " " + operator + " " + left.get(1);
      predicates.add(random.nextBoolean() ? "not (" + predicate + ")" : predicate);
    }
    var expected = Local.rowsWhere(here, predicates, "*");
    for (int i = 0; i < predicates.size(); i++)
      assertEquals(predicates.get(i), expected.get(i), Local.rows(files.where(predicates.get(i))));
  }

  @Test
  public void extremesOfLogicalTypesAreThoseOfTheRows() {
    var extremes = Local.read(file()).selectExpr("min(day)", "max(millis)", "min(price)", "max(back)", "max(length)").first();
    assertEquals(LocalDate.ofEpochDay(-100), extremes.get(0));
    assertEquals(Instant.ofEpochMilli(99), extremes.get(1));
    assertEquals(new BigDecimal("-1.00"), extremes.get(2));
    assertEquals(LocalDate.ofEpochDay(99), extremes.get(3));
    assertEquals(Duration.ofNanos(99_000), extremes.get(4));
  }

  @Test
  public void nanosecondsAreAnErrorAndAreReadAsStoredNumbers() {
    var file = file(schema(), 99_001);
    var failure = assertThrows(Exception.class, () -> Local.read(file).selectExpr("nanos").collectAsList());
    var words = "row 199 of column nanos is stored as 99001 nanoseconds";
    assertTrue(failure.toString(), (failure + "" + failure.getCause()).contains(words));
    var interval = assertThrows(Exception.class, () -> Local.read(file).selectExpr("length").collectAsList());
    words = "row 199 of column length is stored as 99001 nanoseconds, which Spark's intervals, of microseconds,";
    assertTrue(interval.toString(), (interval + "" + interval.getCause()).contains(words));
    // Other rows and columns are readable.
    assertEquals(ROWS, Local.read(file).selectExpr("day").collectAsList().size());
    assertEquals(1, Local.read(file).where("nanos = timestamp '1970-01-01 00:00:00.000005Z'").limit(1).count());
    var numbers =
        Local.SPARK.read().format("undercroft").schema("nanos bigint, day int, price bigint, length bigint").load(file.toString());
    assertEquals("[99001,99,99,99001]", numbers.where("nanos = 99001").first().toString());
    assertPlan("10 of 200 rows", numbers.where("nanos = 99001"));
    assertPlan("10 of 200 rows", numbers.where("day = 99"));
    assertEquals(1, numbers.where("price = 99").count());
  }

  @Test
  public void aFileWithoutLogicalTypesIsReadAsBefore() {
    var data = Local.read(file(TypeConversion.withoutKinds(schema()), 99_001));
    assertEquals("bigint", data.schema().apply("nanos").dataType().catalogString());
    assertEquals("[99001,-100]", data.selectExpr("max(nanos)", "min(day)").first().toString());
  }
}
