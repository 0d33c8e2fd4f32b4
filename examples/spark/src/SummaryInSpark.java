package undercroft.examples.spark;

import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** Reads the files of an old and a new program as one table, and stores a summary as another. */
public final class SummaryInSpark {
  private SummaryInSpark() {}

  /** The turnover of each venue; null is the venue of the trades before there were venues. */
  public static List<Row> run(SparkSession spark, Path old, Path recent) {
    spark.sql("select 1 ticket, 250 price union all select 2, 260")
        .write()
        .format("undercroft")
        .save(old.toString());
    spark.sql("select 3 ticket, 270 price, 'XLON' venue union all select 4, 280, 'XPAR'")
        .write()
        .format("undercroft")
        .option("textBytes.venue", 4)
        .save(recent.toString());

    spark.read()
        .format("undercroft")
        .option("mergeSchema", true) // a column that a file does not have is null
        .load(old.toString(), recent.toString())
        .createOrReplaceTempView("trades");
    spark.sql(
        """
        create table turnover using undercroft as
        select venue, sum(price) total from trades group by venue
        """);
    return spark.table("turnover").orderBy("venue").collectAsList();
  }
}
