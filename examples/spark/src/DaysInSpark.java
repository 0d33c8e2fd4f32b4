package undercroft.examples.spark;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQueryException;
import org.apache.spark.sql.streaming.Trigger;

/** Writes days of trades to partitions, by a job, a stream and SQL. */
public final class DaysInSpark {
  private DaysInSpark() {}

  /** The number of trades and the sum of both prices for each day. */
  public static List<Row> run(SparkSession spark, Path folder, Path checkpoint)
      throws TimeoutException, StreamingQueryException {
    var morning =
        spark.range(1000).selectExpr(
            "cast(id as int) ticket", "array(cast(id as decimal(9, 2)), 7.00) prices", "date'2026-11-24' day");
    morning.write()
        .format("undercroft")
        .option("arrayLength", 2) // every array has two elements
        .partitionBy("day")
        .save(folder.toString());

    var trades =
        spark.readStream().format("rate-micro-batch").option("rowsPerBatch", 100).load().selectExpr(
            "cast(value as int) ticket", "array(cast(value as decimal(9, 2)), 8.00) prices", "date'2026-11-25' day");
    trades.writeStream()
        .format("undercroft")
        .option("checkpointLocation", checkpoint.toString())
        .trigger(Trigger.AvailableNow()) // or every second, without an end
        .start(folder.toString()) // in the folder's partitions, each row exactly once
        .awaitTermination();

    spark.sql("create table days using undercroft location '" + folder + "'");
    spark.sql("insert into days values (1, array(2.25, 3), date'2026-11-26')");
    return spark.sql(
            """
            select day, count(*), sum(prices[0] + prices[1])
            from days
            group by day
            order by day
            """)
        .collectAsList();
  }
}
