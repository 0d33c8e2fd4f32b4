package undercroft.spark;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.spark.launcher.JavaModuleOptions;
import org.junit.Test;

public class ClusterTest {

  /** What a cluster waits for, one after the other, comes or fails in less. */
  private static final int PATIENCE_SECONDS = 1800;

  @Test
  public void anExecutorDiesAndTheBalanceIsRight() throws Exception {
    var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    var command = new ArrayList<>(List.of(java, "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(Arrays.asList(JavaModuleOptions.defaultModuleOptionArray()));
    command.addAll(
        List.of("-cp", System.getenv("UNDERCROFT_LAB_SPARK"), "undercroft.lab.spark.ClusterDay", "8000000"));
    var folder = Local.folder();
    var log = folder.resolve("log");
    var process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    boolean ended = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
    if (!ended) process.destroy();
    var said = Files.readString(log);
    assertTrue(said, ended);
    assertEquals(said, 0, process.exitValue());
    assertTrue(said, said.contains("was killed after"));
    assertTrue(said, said.contains("submitted: "));
  }
}
