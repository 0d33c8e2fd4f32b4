package undercroft.lab.spark;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.launcher.JavaModuleOptions;

/** A cluster of Spark on this machine: a master and two workers, each a process, on free ports of the
 * loopback interface. Its folder has the layout of a Spark distribution, with the jars of the class
 * path, so that executors and jobs load their classes from there and from the job's jar.
 *
 * Confined to one thread. Every wait is limited to {@link #PATIENCE_SECONDS}; then it throws an
 * IllegalStateException with the end of the process's log. Closing the cluster, or the end of this
 * JVM, ends all processes, each by its id, and deletes the folder.
 */
final class Cluster implements AutoCloseable {

  /** For machines with other load. */
  static final int PATIENCE_SECONDS = 300;

  private static final int WORKERS = 2;

  /** Lines of a log in an error message. */
  private static final int LINES_TOLD = 20;

  /** For JVMs that live for seconds. */
  private static final List<String> SHORT_LIVED = List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  private static final Pattern MASTER =
      Pattern.compile("Starting Spark master at (spark://\\S+)(?s:.*)elected leader");
  private static final Pattern WORKER = Pattern.compile("(Successfully registered with master)");

  /** A process, the file of its output, and its log. */
  private record Daemon(String name, Process process, Path output, Path log) {}

  private final Path home;
  private final String url;
  private final List<Daemon> workers = new ArrayList<>();
  private final List<Daemon> daemons = new ArrayList<>();
  private boolean closed;

  Cluster() throws IOException, InterruptedException {
    home = Files.createTempDirectory("undercroft-cluster-");
    Runtime.getRuntime().addShutdownHook(new Thread(this::close, "end of the cluster"));
    try {
      layOut();
      var master =
          start(
              "master", "256m", "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1",
              "--port", "0", "--webui-port", "0");
      url = await(master, MASTER);
      for (int i = 0; i < WORKERS; i++)
        workers.add(
            start(
                "worker-" + i, "256m", "org.apache.spark.deploy.worker.Worker", "--host",
                "127.0.0.1", "--cores", "1", "--memory", "2g", "--webui-port", "0", "--work-dir", work(i).toString(), url));
      for (var worker : workers) await(worker, WORKER);
    } catch (IOException | InterruptedException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /** The folder of its files; callers may put their own files there. */
  Path home() {
    return home;
  }

  String url() {
    return url;
  }

  /** The settings of jobs: executors of one processor on each worker, and a driver on loopback. */
  Map<String, String> settings() {
    var settings = new TreeMap<String, String>();
    settings.put("spark.cores.max", "" + WORKERS);
    settings.put("spark.executor.cores", "1");
    settings.put("spark.executor.memory", "512m");
    settings.put("spark.executor.extraJavaOptions", String.join(" ", SHORT_LIVED));
    // Both executors are there before the first task.
    settings.put("spark.scheduler.minRegisteredResourcesRatio", "1");
    settings.put("spark.scheduler.maxRegisteredResourcesWaitingTime", PATIENCE_SECONDS + "s");
    settings.put("spark.network.timeout", PATIENCE_SECONDS + "s");
    settings.put("spark.worker.timeout", "" + PATIENCE_SECONDS);
    settings.put("spark.driver.host", "127.0.0.1");
    settings.put("spark.driver.bindAddress", "127.0.0.1");
    settings.put("spark.ui.enabled", "false");
    return settings;
  }

  /** The processes by name, with their ids. */
  String words() {
    var words = new StringBuilder(url);
    for (var daemon : daemons)
      words.append(", ").append(daemon.name).append(" is process ").append(daemon.process.pid());
    return words.toString();
  }

  private Path work(int worker) {
    return home.resolve("work-" + worker);
  }

  private void layOut() throws IOException {
    for (var name : new String[] {"jars", "conf", "logs", "local"}) Files.createDirectory(home.resolve(name));
    int jars = 0;
    for (var entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      var jar = Path.of(entry).toAbsolutePath();
      // By number, because two of them may have one name.
      if (entry.endsWith(".jar") && Files.isRegularFile(jar))
        Files.createSymbolicLink(home.resolve("jars/%03d-%s".formatted(jars++, jar.getFileName())), jar);
    }
    // The daemons log when they are ready.
    Files.writeString(
        home.resolve("conf/log4j2.properties"),
        """
        appender.console.type = Console
        appender.console.name = console
        appender.console.target = SYSTEM_ERR
        appender.console.layout.type = PatternLayout
        appender.console.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n%ex
        rootLogger.level = info
        rootLogger.appenderRef.console.ref = console
        """);
    var settings = new StringBuilder();
    settings().forEach((name, value) -> settings.append(name).append(' ').append(value).append('\n'));
    Files.writeString(home.resolve("conf/spark-defaults.conf"), settings);
  }

  private synchronized Daemon start(String name, String heap, String main, String... args) throws IOException {
    if (closed) throw new IllegalStateException("the cluster was closed");
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(Arrays.asList(JavaModuleOptions.defaultModuleOptionArray()));
    command.addAll(SHORT_LIVED);
    command.add("-Xmx" + heap);
    command.addAll(List.of("-cp", home.resolve("conf") + File.pathSeparator + home.resolve("jars") + "/*", main));
    command.addAll(List.of(args));
    var output = home.resolve("logs").resolve(name + ".out");
    var log = home.resolve("logs").resolve(name + ".log");
    var builder = new ProcessBuilder(command).directory(home.toFile());
    builder.redirectOutput(output.toFile()).redirectError(log.toFile());
    var environment = builder.environment();
    environment.put("SPARK_HOME", home.toString());
    environment.put("SPARK_CONF_DIR", home.resolve("conf").toString());
    // A worker requires it to start an executor.
    environment.put("SPARK_SCALA_VERSION", "2.13");
    environment.put("SPARK_LOCAL_IP", "127.0.0.1");
    environment.put("SPARK_LOCAL_HOSTNAME", "127.0.0.1");
    environment.put("SPARK_LOCAL_DIRS", home.resolve("local").toString());
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    var daemon = new Daemon(name, builder.start(), output, log);
    daemons.add(daemon);
    return daemon;
  }

  /** Waits until the log of a process matches `words`; returns the match. */
  private static String await(Daemon daemon, Pattern words) throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (System.nanoTime() < end) {
      boolean isFinished = daemon.process.waitFor(100, TimeUnit.MILLISECONDS);
      Matcher matcher = words.matcher(Files.readString(daemon.log));
      if (matcher.find()) return matcher.group(1);
      if (isFinished) throw failed(daemon, "ended with " + daemon.process.exitValue());
    }
    throw failed(daemon, "was not ready in " + PATIENCE_SECONDS + " seconds");
  }

  private static IllegalStateException failed(Daemon daemon, String how) throws IOException {
    var lines = Files.readAllLines(daemon.log);
    var last = lines.subList(Math.max(0, lines.size() - LINES_TOLD), lines.size());
    return new IllegalStateException("the " + daemon.name + " " + how + ":\n" + String.join("\n", last));
  }

  /** Suspends the executor of the last worker: it keeps its tasks and does not run them.
   *
   * @return an action that resumes it
   */
  Runnable halt() throws IOException, InterruptedException {
    var process =
        executor(workers.getLast()).orElseThrow(() -> new IllegalStateException("there is no executor"));
    signal("STOP", process);
    return () -> {
      try {
        signal("CONT", process);
      } catch (IOException | InterruptedException e) {
        throw new IllegalStateException("process " + process.pid() + " was not resumed", e);
      }
    };
  }

  /** As a shell does it. */
  private static void signal(String name, ProcessHandle to) throws IOException, InterruptedException {
    var kill = new ProcessBuilder("kill", "-" + name, "" + to.pid()).inheritIO().start();
    if (!kill.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || kill.exitValue() != 0)
      throw new IllegalStateException("process " + to.pid() + " did not get " + name);
  }

  /** A worker runs one executor at a time. */
  private static Optional<ProcessHandle> executor(Daemon worker) {
    return worker.process.children().findFirst();
  }

  /** Kills an executor, and returns its process's id when the process is gone.
   *
   * @param executor
   *     its number, as Spark calls it
   */
  long kill(String executor) {
    try {
      for (int i = 0; i < WORKERS; i++) {
        // It is in APPLICATION/EXECUTOR of the worker's folder.
        try (var folders = Files.find(work(i), 2, (path, _) -> path.getFileName().toString().equals(executor))) {
          if (folders.findAny().isEmpty()) continue;
        }
        var process = executor(workers.get(i));
        if (process.isEmpty()) break;
        process.get().destroyForcibly();
        process.get().onExit().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        return process.get().pid();
      }
    } catch (Exception e) {
      throw new IllegalStateException("executor " + executor + " was not killed", e);
    }
    throw new IllegalStateException("executor " + executor + " is not a process of any worker");
  }

  /** Submits a job by the JVM command that the script `spark-submit` runs; returns its output. */
  String submit(String... args) throws IOException, InterruptedException {
    var job = start("job", "512m", "org.apache.spark.deploy.SparkSubmit", args);
    if (!job.process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS))
      throw failed(job, "did not end in " + PATIENCE_SECONDS + " seconds");
    if (job.process.exitValue() != 0) throw failed(job, "ended with " + job.process.exitValue());
    return Files.readString(job.output);
  }

  @Override
  public synchronized void close() {
    if (closed) return;
    closed = true;
    for (var daemon : daemons) {
      var below = daemon.process.descendants().toList();
      daemon.process.destroyForcibly();
      below.forEach(ProcessHandle::destroyForcibly);
      daemon.process.onExit().join();
      for (var process : below) process.onExit().join();
    }
    try (var files = Files.walk(home)) {
      for (var path : files.sorted(Comparator.reverseOrder()).toList()) Files.deleteIfExists(path);
    } catch (IOException e) {
      System.err.println(home + " was not deleted: " + e);
    }
  }
}
