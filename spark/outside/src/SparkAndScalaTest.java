package outside.spark;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.DataTypes;
import org.junit.ClassRule;
import org.junit.Test;

/** Folders that Spark and a Scala program write in turn. */
public class SparkAndScalaTest {
  @ClassRule public static final OutsideSpark SPARK = new OutsideSpark();

  /** The rows that the Scala program has for these ids. */
  private static Dataset<Row> sales(int from, int until) {
    return SPARK.session.range(from, until, 1, 2).selectExpr(
        "id", "array(cast(id as int), cast(id as int) + 1, -cast(id as int)) parts",
        "case when id % 3 > 0 then cast(id as int) end note",
        "date_add(date'2026-11-23', cast(id % 2 as int)) day", "case when id % 2 > 0 then 'a/b' end shop");
  }

  /** The lines that the Scala program prints for the ids `[0, until)`. */
  private static List<String> sums(int until) {
    var lines = new ArrayList<String>();
    for (int day = 0; day < 2; day++) {
      long rows = 0, ids = 0, parts = 0, notes = 0;
      for (int id = day; id < until; id += 2) {
        rows++;
        ids += id;
        parts += 2L * id + 1;
        notes += id % 3 > 0 ? id : 0;
      }
      lines.add("2026-11-" + (23 + day) + (day == 0 ? " none " : " a/b ") + rows + " " + ids + " " + parts + " " + notes);
    }
    return lines;
  }

  private static void append(String folder, int from, int until) {
    sales(from, until).write().format("undercroft").option("arrayLength", 3).partitionBy("day", "shop").mode("append")
        .save(folder);
  }

  @Test
  public void aScalaProgramReadsThePartitionsThatSparkWrites() throws Exception {
    var folder = SPARK.target();
    append(folder, 0, 1000);
    assertEquals(sums(1000), OutsideSpark.scala("sums", folder));
    OutsideSpark.scala("add", folder, "1000", "1500");
    append(folder, 1500, 1700);
    assertEquals(sums(1700), OutsideSpark.scala("sums", folder));
    assertEquals(OutsideSpark.rows(sales(0, 1700)), OutsideSpark.rows(SPARK.read(folder)));
    OutsideSpark.scala("compact", folder);
    assertEquals(OutsideSpark.rows(sales(0, 1700)), OutsideSpark.rows(SPARK.read(folder)));
  }

  @Test
  public void sparkAppendsToTheFolderOfAScalaProgram() throws Exception {
    var folder = SPARK.target();
    OutsideSpark.scala("add", folder, "0", "100");
    // The folder has the partitions and the length of the array.
    sales(100, 200).write().format("undercroft").mode("append").save(folder);
    assertEquals(sums(200), OutsideSpark.scala("sums", folder));
    SPARK.read(folder).where("id >= 0").write().format("undercroft").partitionBy("day", "shop").mode("overwrite")
        .save(folder);
    assertEquals(sums(200), OutsideSpark.scala("sums", folder));
  }

  private static Dataset<Row> bookings(int from, int until) {
    return SPARK.session.range(from, until, 1, 1).selectExpr(
        "cast(id as int) id", "date_add(date'1970-01-01', cast(id as int)) day", "timestamp_micros(id) at",
        "cast(123456789012345678.25 * id as decimal(20,2)) price",
        "case when id > 0 then cast(date_add(date'1970-01-01', cast(id as int)) as timestamp_ntz)"
            + " + interval '01:02' hour to minute end left");
  }

  private static void append(Dataset<Row> bookings, String folder) {
    var fields = bookings.schema().fields();
    for (int i = 0; i < 4; i++)
      fields[i] = DataTypes.createStructField(fields[i].name(), fields[i].dataType(), false);
    SPARK.session.createDataFrame(bookings.toJavaRDD(), DataTypes.createStructType(fields)).write()
        .format("undercroft").mode("append").save(folder);
  }

  private static final List<String> BOOKINGS =
      List.of(
          "-2 1969-12-30 1969-12-31T23:59:59.999998Z -246913578024691356.50 none",
          "-1 1969-12-31 1969-12-31T23:59:59.999999Z -123456789012345678.25 none",
          "0 1970-01-01 1970-01-01T00:00:00Z 0.00 none",
          "1 1970-01-02 1970-01-01T00:00:00.000001Z 123456789012345678.25 1970-01-02T01:02");

  @Test
  public void datesTimestampsAndDecimalsAreTheSameForBoth() throws Exception {
    var folder = SPARK.target();
    append(bookings(-2, 0), folder);
    assertEquals(BOOKINGS.subList(0, 2), OutsideSpark.scala("bookings", folder));
    OutsideSpark.scala("book", folder, "0", "1");
    append(bookings(1, 2), folder);
    assertEquals(BOOKINGS, OutsideSpark.scala("bookings", folder));
    assertEquals(OutsideSpark.rows(bookings(-2, 2)), OutsideSpark.rows(SPARK.read(folder)));
  }

  @Test
  public void sparkAppendsDecimalsOf64Bits() throws Exception {
    var folder = SPARK.target();
    SPARK.session.sql("select 1 id, cast(-0.05 as decimal(18,2)) amount union all select 2, 9999999999999999.99")
        .coalesce(1).write().format("undercroft").option("nulls", "fail").save(folder);
    assertEquals(List.of("-0.05 9999999999999999.99"), OutsideSpark.scala("fees", folder));
  }

  private static final String FIRST = "00000000-0000-0001-0000-000000000002";
  private static final String SECOND = "f0000000-0000-4001-8000-00000000000a";

  /** Appends parcels as strings and numbers, which take the stored types of the folder. */
  private static void appendParcel(String folder, String opens, String id) {
    SPARK.session.sql(
            "select '" + id + "' id, " + opens + " opens, '" + FIRST + "' parent, array('" + id + "', '" + id
                + "') stops, interval '-1.000001' second took, array(interval '2' day, interval '-3' day) stages")
        .write().format("undercroft").mode("append").save(folder);
  }

  @Test
  public void aScalaProgramReadsTheIdsAndTimesThatSparkAppends() throws Exception {
    var folder = SPARK.target();
    OutsideSpark.scala("parcel", folder, FIRST);
    appendParcel(folder, "86399999999999L", SECOND);
    assertEquals(
        List.of(
            FIRST + " 12:00 none 00000000-0000-0000-0000-000000000000 PT36H0.000001S PT-36H-0.000001S PT0S",
            SECOND + " 23:59:59.999999999 " + FIRST + " " + SECOND + " PT-1.000001S PT48H PT-72H"),
        OutsideSpark.scala("parcels", folder));
    // A text, an Int for a Long, and a value that is no time of day leave the folder as it was.
    for (var append :
        List.<Runnable>of(
            () -> appendParcel(folder, "0L", "no id"), () -> appendParcel(folder, "7", SECOND),
            () -> appendParcel(folder, "-1L", SECOND),
            () -> SPARK.read(folder).write().format("undercroft").option("textBytes.id", 36).mode("append")
                .save(folder)))
      OutsideSpark.failure(append);
    assertEquals(2, OutsideSpark.scala("parcels", folder).size());
    SPARK.read(folder).repartition(1).write().format("undercroft").mode("append").save(folder);
    assertEquals(4, OutsideSpark.scala("parcels", folder).size());
  }

  @Test
  public void aSessionWithTheTimeTypeHasTheTimesOfTheScalaProgram() throws Exception {
    var setting = "spark.sql.timeType.enabled";
    var folder = SPARK.target();
    OutsideSpark.scala("parcel", folder, FIRST);
    assertEquals(
        "bigint", SPARK.read(folder).schema().apply("opens").dataType().catalogString());
    SPARK.session.conf().set(setting, "true");
    try {
      appendParcel(folder, "time'23:59:59.999999'", SECOND);
      assertEquals(
          List.of("[12:00]", "[23:59:59.999999]"), OutsideSpark.rows(SPARK.read(folder).select("opens")));
      assertEquals(
          SECOND, SPARK.read(folder).where("opens > time'12:00' and hour(opens) = 23").first().getAs("id"));
      assertTrue(
          OutsideSpark.scala("parcels", folder).get(1).startsWith(SECOND + " 23:59:59.999999 " + FIRST));
      SPARK.read(folder).repartition(1).write().format("undercroft").mode("append").save(folder);
      assertEquals(4, OutsideSpark.scala("parcels", folder).size());
      // A digit that Spark's times do not have fails the query, and not silently.
      SPARK.session.conf().unset(setting);
      appendParcel(folder, "1L", FIRST);
      SPARK.session.conf().set(setting, "true");
      var failure = OutsideSpark.failure(() -> SPARK.read(folder).select("opens").collectAsList());
      assertTrue(failure, failure.contains("of column opens is stored as 1 nanoseconds"));
    } finally {
      SPARK.session.conf().unset(setting);
    }
  }

  @Test
  public void theErrorOfAnotherStoredTypeNamesTheColumnAndBothTypes() throws Exception {
    var folder = SPARK.target();
    OutsideSpark.scala("parcel", folder, FIRST);
    var failure =
        OutsideSpark.failure(
            () -> SPARK.read(folder).write().format("undercroft").option("textBytes.id", 36).mode("append")
                .save(folder));
    assertTrue(
        failure,
        failure.contains("the data: column id would be stored as a text, but is stored as a UUID in "));
  }
}
