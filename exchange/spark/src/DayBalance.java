package undercroft.exchange.spark;

import java.io.IOException;
import java.math.BigInteger;
import java.util.Locale;
import java.util.Map;
import org.apache.spark.sql.SparkSession;

/** The balance of a day of trades that `exchange.run --save` or Spark has written, as a job of Spark.
 *
 * Its arguments are the paths of a day, files or folders. It ends with 2 where there is none.
 */
public final class DayBalance {
  private DayBalance() {}

  /** The result of a day. The balance is exact, whatever its size. */
  public record Day(long trades, BigInteger balance) {}

  public static void main(String[] paths) throws IOException {
    if (paths.length == 0) {
      System.err.println("DayBalance PATH...: files of trades, or folders of them");
      System.exit(2);
    }
    try (var spark = SparkSession.builder().appName("the day's balance").getOrCreate()) {
      long start = System.nanoTime();
      var day = of(spark, Map.of(), paths);
      long millis = (System.nanoTime() - start) / 1_000_000;
      // Whole, because Spark's threads print as well.
      System.out.println(
          String.format(
              Locale.ROOT,
              "%s: %,d trades, balanced in %,d ms: %,d",
              String.join(", ", paths),
              day.trades,
              millis,
              day.balance));
    }
  }

  /** The day in some files. Each trade's balance is a Long; their sum is taken in three parts of 21
   * bits, whose sums do not overflow with fewer than 2^42 trades.
   *
   * @param options
   *     of the reader
   */
  public static Day of(SparkSession spark, Map<String, String> options, String... paths) {
    var balance = "cast(amount as bigint) * price * (case when buy then 1 else -1 end)";
    var sums =
        spark.read().format("undercroft").options(options).load(paths)
            .selectExpr(balance + " as balance")
            .selectExpr(
                "count(*)", "coalesce(sum(shiftright(balance, 42)), 0)",
                "coalesce(sum(shiftright(balance, 21) & 2097151), 0)",
                "coalesce(sum(balance & 2097151), 0)")
            .first();
    var sum = BigInteger.ZERO;
    for (int part = 1; part <= 3; part++)
      sum = sum.shiftLeft(21).add(BigInteger.valueOf(sums.getLong(part)));
    return new Day(sums.getLong(0), sum);
  }
}
