package outside.spark;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.Test;
import undercroft.tools.ChildJvm;
import undercroft.tools.Requirement;

/** The PySpark program of the module's README, run by Python with the PySpark of the same version. */
public class PySparkTest {
  private static final long TIMEOUT_SECONDS = 300;

  /** Lines of Python after the README's, which use the operations next to them. */
  private static final String MORE =
      """
      from datetime import timedelta

      print("venue", sorted((row.ticket, row.prices) for row in read.where(read.venue == "XLON").collect()))
      print("all", read.count(), sorted(row.venue for row in read.select("venue").collect()))
      try:
          spark.sql("select 'one' ticket, 'XLON' venue, array(1, 2) prices").write.format("undercroft").option(
              "textBytes", 8
          ).mode("append").save(folder)
      except Exception as error:
          print("mismatch", "schema mismatch: column 0 is ticket of type STRING" in str(error))
      try:
          trades.write.format("undercroft").option("arrayLenght", 2).mode("append").save(folder)
      except Exception as error:
          print("unknown", "option arrayLenght is unknown" in str(error))
      print("kept", spark.read.format("undercroft").load(folder).count())
      shifts = spark.createDataFrame([(1, timedelta(hours=36, microseconds=1)), (2, None)], "id int, took interval day to second")
      shifts.write.format("undercroft").save(folder + "-shifts")
      again = spark.read.format("undercroft").load(folder + "-shifts")
      print("took", [row.took for row in again.orderBy("id").collect()])
      spark.stop()
      """;

  /** The program of the README. */
  private static String readme() throws IOException {
    var parts =
        Files.readString(Path.of(System.getenv("UNDERCROFT"), "spark", "README.md")).split("```python\n");
    assertEquals(2, parts.length);
    return parts[1].substring(0, parts[1].indexOf("```"));
  }

  private static String replaced(String text, String part, String other) {
    assertTrue(part + " is not in\n" + text, text.contains(part));
    return text.replace(part, other);
  }

  /** The lines of a process, which ends with 0 within the limit; null otherwise, or if there is no such
   * program.
   */
  private static List<String> lines(Path folder, List<String> command, StringBuilder log) throws Exception {
    var out = folder.resolve("out.txt");
    var builder = ChildJvm.withoutOptions(new ProcessBuilder(command)).redirectErrorStream(true).redirectOutput(out.toFile());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().remove("SPARK_HOME");
    builder.environment().put(
        "PYSPARK_SUBMIT_ARGS",
        "--master local[2] --conf spark.ui.enabled=false --conf spark.driver.bindAddress=127.0.0.1"
            + " --conf spark.driver.host=127.0.0.1 pyspark-shell");
    Process process;
    try {
      process = builder.start();
    } catch (IOException e) {
      log.append(e.getMessage());
      return null;
    }
    try {
      boolean isEnded = process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS);
      log.append(Files.readString(out));
      if (!isEnded) throw new AssertionError("it did not end\n" + log);
      return process.exitValue() == 0 ? log.toString().lines().toList() : null;
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  /** A Python that has the PySpark of this Spark; null if there is none. */
  private static String python(Path folder, String version) throws Exception {
    var home = Path.of(System.getenv("UNDERCROFT_PYTHON_HOME"));
    for (var python : List.of(home.resolve("bin/python").toString(), "python3")) {
      var lines = lines(folder, List.of(python, "-c", "import pyspark; print(pyspark.__version__)"), new StringBuilder());
      if (lines != null && lines.contains(version)) return python;
    }
    return null;
  }

  @Test
  public void theProgramOfTheReadmeWritesAndReadsAFolder() throws Exception {
    var folder = Files.createTempDirectory("undercroft-pyspark-");
    try {
      var version = org.apache.spark.package$.MODULE$.SPARK_VERSION();
      var python = python(folder, version);
      Requirement.PYSPARK.require(python != null);
      var target = folder.resolve("trades").toString();
      var program = replaced(readme(), "/data/trades", target);
      program = replaced(program, "undercroft-spark.jar", System.getenv("UNDERCROFT_SPARK_JAR"));
      program = replaced(program, "undercroft-file-format.jar", System.getenv("UNDERCROFT_FORMAT_JAR"));
      var script = folder.resolve("program.py");
      Files.writeString(
          script, "from pyspark.sql import SparkSession\n" + program + "folder = \"" + target + "\"\n" + MORE);
      var log = new StringBuilder();
      var lines = lines(folder, List.of(python, script.toString()), log);
      assertTrue(log.toString(), lines != null);
      for (var line :
          List.of(
              "|     1|[10, 20]| XLON|", "venue [(1, [10, 20])]", "all 2 ['XLON', 'XPAR']", "mismatch True",
              "unknown True", "kept 2", "took [datetime.timedelta(days=1, seconds=43200, microseconds=1), None]"))
        assertTrue(line + " is not in\n" + log, lines.contains(line));
    } finally {
      try (var paths = Files.walk(folder)) {
        for (var path : paths.sorted(Comparator.reverseOrder()).toList()) Files.deleteIfExists(path);
      }
    }
  }
}
