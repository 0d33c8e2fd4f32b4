package undercroft.spark;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.spark.launcher.JavaModuleOptions;
import org.junit.Test;
import undercroft.tools.ChildJvm;
import undercroft.tools.Requirement;

/** A long test: see {@code UNDERCROFT_LONG} in the suites of the other modules. */
public class ClusterTest {

  /** Limit for the whole test; each wait of the cluster has a shorter limit of its own. */
  private static final int PATIENCE_SECONDS = 1800;

  @Test
  public void theBalanceIsCorrectAfterAnExecutorIsKilled() throws Exception {
    assumeTrue("A long test: ./mill spark.test.testLong", System.getenv("UNDERCROFT_LONG") != null);
    Requirement.KILL.require();
    var command = new ArrayList<>(List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(Arrays.asList(JavaModuleOptions.defaultModuleOptionArray()));
    command.addAll(
        List.of("-cp", System.getenv("UNDERCROFT_LAB_SPARK"), "undercroft.lab.spark.ClusterDay", "8000000"));
    var folder = Local.folder();
    var log = folder.resolve("log");
    var process =
        ChildJvm.builder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    boolean isFinished = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
    if (!isFinished) process.destroy();
    var output = Files.readString(log);
    assertTrue(output, isFinished);
    assertEquals(output, 0, process.exitValue());
    assertTrue(output, output.contains("was killed after"));
    assertTrue(output, output.contains("submitted: "));
  }
}
