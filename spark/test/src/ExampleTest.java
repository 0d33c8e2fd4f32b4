package undercroft.spark;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalTime;
import java.util.List;
import org.apache.spark.sql.RowFactory;
import org.junit.Test;
import undercroft.examples.spark.DaysInSpark;
import undercroft.examples.spark.OpeningTimesInSpark;
import undercroft.examples.spark.SummaryInSpark;
import undercroft.examples.spark.TradesInSpark;

public class ExampleTest {

  @Test
  public void theExampleComputesBalances() {
    var rows = TradesInSpark.run(Local.SPARK, Local.folder().resolve("trades"));
    assertEquals(10, rows.size());
    for (var row : rows) {
      long balance = 0;
      for (int i = row.getInt(0); i < 1_000_000; i += 10)
        if (i % 500 >= 400) balance += (i % 500) * (1000L + i % 7) * (i % 2 == 0 ? 1 : -1);
      assertEquals(balance, row.getLong(1));
    }
  }

  @Test
  public void theExampleWritesDays() throws Exception {
    var folder = Local.folder();
    try {
      var rows = DaysInSpark.run(Local.SPARK, folder.resolve("days"), folder.resolve("checkpoint"));
      assertEquals(
          "[[2026-11-24,1000,506500.00], [2026-11-25,100,5750.00], [2026-11-26,1,5.25]]", rows.toString());
    } finally {
      Local.SPARK.sql("drop table if exists days");
    }
  }

  @Test
  public void theExampleReadsTimesOfDay() {
    try {
      var rows = OpeningTimesInSpark.run(Local.SPARK, Local.folder().resolve("shops"));
      assertEquals(List.of(RowFactory.create(1, LocalTime.of(8, 30))), rows);
    } finally {
      Local.SPARK.conf().unset("spark.sql.timeType.enabled");
    }
  }

  @Test
  public void theExampleMergesColumnsAndStoresASummary() {
    try {
      var folder = Local.folder();
      var rows = SummaryInSpark.run(Local.SPARK, folder.resolve("old"), folder.resolve("recent"));
      assertEquals("[[null,510], [XLON,270], [XPAR,280]]", rows.toString());
    } finally {
      Local.SPARK.catalog().dropTempView("trades");
      Local.SPARK.sql("drop table if exists turnover");
    }
  }

  @Test
  public void theSnippetsOfTheReadmeArePartOfTheExample() throws Exception {
    var repository = Path.of(System.getenv("UNDERCROFT"));
    var readme = Files.readString(repository.resolve("spark/README.md"));
    var folder = repository.resolve("examples/spark/src");
    var example = "";
    for (var name : List.of("TradesInSpark", "DaysInSpark", "OpeningTimesInSpark", "SummaryInSpark"))
      example += Files.readString(folder.resolve(name + ".java"));
    var parts = readme.split("```java\n");
    assertEquals(7, parts.length);
    for (int i = 1; i < parts.length; i++) {
      var snippet = parts[i].substring(0, parts[i].indexOf("```"));
      assertTrue(snippet, example.contains(snippet));
    }
  }
}
