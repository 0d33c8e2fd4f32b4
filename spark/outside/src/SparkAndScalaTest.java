package outside.spark;

import static org.junit.Assert.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
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
}
