package undercroft.examples.spark;

import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** Writes trades to a folder of struct files and reads them as a table. */
public final class TradesInSpark {
  private TradesInSpark() {}

  /** The balance per ticket of all trades with an amount of at least 400. */
  public static List<Row> run(SparkSession spark, Path folder) {
    var made =
        spark.range(1_000_000).selectExpr(
            "cast(id % 10 as int) ticket", "cast(id % 500 as int) amount",
            "cast(1000 + id % 7 as int) price", "id % 2 = 0 buy");
    made.write()
        .format("undercroft")
        .option("layout", "rows") // or packed, or columns
        .option("name", "Trade")
        .save(folder.toString());

    var trades =
        spark.read()
            .format("undercroft")
            .option("checksums", true) // compare blocks at their first read; or false
            .load(folder.toString());
    trades.createOrReplaceTempView("trades");
    return spark.sql(
            """
            select ticket, sum(amount * cast(price as bigint) * if(buy, 1, -1)) balance
            from trades
            where amount >= 400
            group by ticket
            order by ticket
            """)
        .collectAsList();
  }
}
