package outside.spark;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.ClassRule;
import org.junit.Test;
import undercroft.tools.ChildJvm;

/** A long test: a stream whose process ends at any step of a batch, while a Scala program appends to the folder. */
public class KilledStreamTest {
  @ClassRule public static final OutsideSpark SPARK = new OutsideSpark();

  private static final int BATCHES = 4;
  private static final int ROWS = 50;

  /** Runs the stream in a process of its own; returns its exit value.
   *
   * @param halt the ending of the name at whose creation the process ends
   */
  private static int run(Path base, String halt) throws Exception {
    var command = new ArrayList<String>();
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    for (var argument : ManagementFactory.getRuntimeMXBean().getInputArguments())
      if (argument.startsWith("--")) command.add(argument);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), "-Doutside.halt=" + halt, StreamJob.class.getName()));
    for (var name : List.of("input", "sales", "checkpoint")) command.add(base.resolve(name).toString());
    var log = base.resolve("log");
    var process = ChildJvm.builder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      assertTrue(process.waitFor(300, TimeUnit.SECONDS));
      if (process.exitValue() != 0 && process.exitValue() != StreamJob.HALTED)
        throw new AssertionError(Files.readString(log));
      return process.exitValue();
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  public void noRowIsLostOrDoubled() throws Exception {
    assumeTrue("A long test: ./mill spark.outside.testLong", System.getenv("UNDERCROFT_LONG") != null);
    var base = Files.createTempDirectory(SPARK.folders, "stream");
    Files.createDirectory(base.resolve("input"));
    for (int batch = 0; batch < BATCHES; batch++) {
      var lines = new StringBuilder();
      for (int row = 0; row < ROWS; row++) lines.append("{\"id\": ").append(batch * ROWS + row).append("}\n");
      Files.writeString(base.resolve("input").resolve(batch + ".json"), lines);
    }
    var folder = base.resolve("sales").toString();
    var appender = OutsideSpark.start("each", folder, "1000", "1030");
    try {
      // Between the commit to the folder and that to the checkpoint.
      assertEquals(StreamJob.HALTED, run(base, "/commits/1"));
      assertTrue(Files.exists(base.resolve("checkpoint/commits/0")));
      // Before any file of the next batch has its name, and then before its manifest has one.
      assertEquals(StreamJob.HALTED, run(base, "-0.rows"));
      OutsideSpark.lines(appender);
      var current = numbers(base.resolve("sales")).stream().max(Long::compare).orElseThrow();
      assertEquals(StreamJob.HALTED, run(base, "/_undercroft." + (current + 1)));
      assertEquals(StreamJob.HALTED, run(base, "/commits/3"));
      assertEquals(0, run(base, ""));
    } finally {
      appender.destroyForcibly();
    }
    int streamed = BATCHES * ROWS;
    var ids = SPARK.read(folder).select("id").collectAsList().stream().map(row -> row.getLong(0)).sorted().toList();
    var expected = new ArrayList<Long>();
    for (long id = 0; id < streamed; id++) expected.add(id);
    for (long id = 1000; id < 1030; id++) expected.add(id);
    assertEquals(expected, ids);
    long sum = ids.stream().mapToLong(id -> id).sum();
    assertEquals(List.of(ids.size() + " " + sum), OutsideSpark.scala("count", folder));
    try (var paths = Files.list(base.resolve("sales"))) {
      assertTrue(paths.noneMatch(path -> path.getFileName().toString().startsWith("_writing-")));
    }
  }

  private static List<Long> numbers(Path folder) throws Exception {
    try (var paths = Files.list(folder)) {
      return paths.map(path -> path.getFileName().toString())
          .filter(name -> name.matches("_undercroft\\.[0-9]+"))
          .map(name -> Long.parseLong(name.substring(12)))
          .toList();
    }
  }
}
