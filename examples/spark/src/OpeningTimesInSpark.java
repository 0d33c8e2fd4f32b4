package undercroft.examples.spark;

import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** Writes and reads times of day, in a session that has Spark's type TIME. */
public final class OpeningTimesInSpark {
  private OpeningTimesInSpark() {}

  /** The shops that open before nine, with their times as java.time.LocalTime. */
  public static List<Row> run(SparkSession spark, Path folder) {
    spark.conf().set("spark.sql.timeType.enabled", true); // Spark's default is false
    spark.sql("select 1 shop, time'08:30:00' opens union all select 2, time'09:15:00.25'")
        .write()
        .format("undercroft")
        .save(folder.toString()); // opens is a LocalTime in Scala

    return spark.read()
        .format("undercroft")
        .load(folder.toString()) // opens is a time(6)
        .where("opens < time'09:00:00'")
        .collectAsList();
  }
}
