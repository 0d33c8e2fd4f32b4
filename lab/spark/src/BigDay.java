package undercroft.lab.spark;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.spark.sql.SparkSession;
import undercroft.file.format.FileLayout;

/** Days of up to a billion trades: written, written as Parquet, and balanced by Spark. Runs in a JVM
 * of its own that prints the balance, the time of the first call and the best time of the following
 * calls, in nanoseconds.
 */
public final class BigDay {
  private static final int CALLS = 4;

  private BigDay() {}

  public static void main(String[] args) throws IOException {
    switch (args[0]) {
      case "write" -> {
        long start = System.nanoTime();
        var day = Day.write(Path.of(args[1]), FileLayout.ALIGNED, Long.parseLong(args[2]));
        long nanos = System.nanoTime() - start;
        System.out.println(day.balance() + " " + nanos + " " + nanos);
      }
      case "parquet" -> {
        try (var spark = SparkDay.session()) {
          long start = System.nanoTime();
          spark.read().format("undercroft").load(args[1]).write().parquet(args[2]);
          long nanos = System.nanoTime() - start;
          System.out.println("0 " + nanos + " " + nanos);
        }
      }
      default -> {
        try (var spark = SparkDay.session()) {
          balance(spark, args[1], args[2]);
        }
      }
    }
  }

  private static void balance(SparkSession spark, String format, String path) {
    long first = 0;
    long best = Long.MAX_VALUE;
    long balance = 0;
    for (int call = 0; call < CALLS; call++) {
      long start = System.nanoTime();
      balance = spark.read().format(format).load(path).selectExpr(Day.BALANCE).first().getLong(0);
      long nanos = System.nanoTime() - start;
      if (call == 0) first = nanos;
      else best = Math.min(best, nanos);
    }
    System.out.println(balance + " " + first + " " + best);
  }
}
