package undercroft.spark;

import static org.junit.Assert.assertEquals;

import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.Test;
import org.openjdk.jmh.annotations.Benchmark;
import undercroft.exchange.spark.DayBalance;
import undercroft.file.format.FileLayout;
import undercroft.lab.spark.Day;
import undercroft.lab.spark.SparkDay;

/** The Spark jobs of the exchange and the lab, run in the session of the tests. */
public class LabTest {

  @Test
  public void dayBalanceReturnsTheBalanceOfADay() {
    Path file = Local.folder().resolve("day.rows");
    var day = Day.write(file, FileLayout.ALIGNED, 20_000);
    var result = DayBalance.of(Local.SPARK, Map.of(), file.toString());
    assertEquals(20_000, result.trades());
    assertEquals(day.balance(), result.balance().longValueExact());
    var empty = Day.write(Local.folder().resolve("none.rows"), FileLayout.COLUMNS, 0);
    assertEquals(
        new DayBalance.Day(0, java.math.BigInteger.ZERO),
        DayBalance.of(Local.SPARK, Map.of(), empty.file().toString()));
  }

  @Test
  public void negativeBalancesAreExact() {
    var folder = Local.folder().resolve("day").toString();
    Local.SPARK.range(5)
        .selectExpr("cast(id as int) ticket", "2147483647 amount", "2147483647 price", "id = 3 buy")
        .write().format("undercroft").save(folder);
    var balance = java.math.BigInteger.valueOf(2147483647).pow(2).multiply(java.math.BigInteger.valueOf(-3));
    assertEquals(balance, DayBalance.of(Local.SPARK, Map.of(), folder).balance());
  }

  @Test
  public void benchmarksReturnTheExpectedResults() throws Exception {
    assertEquals("local[2]", Local.SPARK.sparkContext().master());
    var state = new SparkDay();
    state.trades = 10_000;
    state.open();
    var answers = new TreeMap<String, Object>();
    try {
      for (Method method : SparkDay.class.getMethods())
        if (method.isAnnotationPresent(Benchmark.class)) answers.put(method.getName(), method.invoke(state));
    } finally {
      state.close();
    }
    var day = Day.write(Local.folder().resolve("day.rows"), FileLayout.COLUMNS, 10_000);
    assertEquals(6, answers.size());
    for (var of : new String[] {"Rows", "Columns", "Parquet"}) {
      assertEquals(day.balance(), answers.get("balanceOf" + of));
      assertEquals(answers.get("groupsOfParquet"), answers.get("groupsOf" + of));
    }
  }
}
