package undercroft.lab.spark;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorAdded;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.SparkSession;
import scala.Tuple2;
import undercroft.exchange.spark.DayBalance;
import undercroft.file.Layout;

/** A cluster of Spark on this machine: a master and two workers, each a process, and an executor of
 * each worker's. While the day's balance is computed one executor is killed; the answer has to be
 * right nevertheless. Ends with 1 where it is not, or where nobody died in time.
 *
 * `./mill lab.spark.cluster [TRADES]`; fifty million unless said otherwise.
 */
public final class Cluster implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 120;

  /** Tasks that have to have ended before an executor is killed. */
  private static final int TASKS_BEFORE = 3;

  private final Path home;
  private final List<Process> processes = new ArrayList<>();
  private final String master;

  private Cluster(Path home) throws IOException {
    this.home = home;
    int port = freePort();
    this.master = "spark://127.0.0.1:" + port;
    // Where Spark looks for its jars; they come by the class path.
    Files.createDirectories(home.resolve("jars"));
    start("master", "Master", "--host", "127.0.0.1", "--port", "" + port, "--webui-port", "0");
    for (int i = 1; i <= 2; i++)
      start(
          "worker-" + i, "Worker", "--host", "127.0.0.1", "--webui-port", "0", "--cores", "1", "--memory",
          "1g", "--work-dir", home.resolve("work-" + i).toString(), master);
  }

  public static void main(String[] args) throws Exception {
    long trades = args.length == 0 ? 50_000_000 : Long.parseLong(args[0]);
    var home = Files.createTempDirectory("undercroft-cluster-");
    boolean right;
    try (var cluster = new Cluster(home)) {
      var day = Day.write(home.resolve("day.rows"), Layout.ALIGNED, trades);
      right = cluster.run(day);
    } finally {
      delete(home);
    }
    System.exit(right ? 0 : 1);
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private void start(String name, String kind, String... args) throws IOException {
    var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    var main = "org.apache.spark.deploy." + kind.toLowerCase(Locale.ROOT) + "." + kind;
    var command = new ArrayList<>(List.of(java, "-Xmx256m", "-cp", System.getProperty("java.class.path"), main));
    command.addAll(List.of(args));
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.redirectOutput(home.resolve(name + ".log").toFile());
    builder.environment().put("SPARK_HOME", home.toString());
    builder.environment().put("SPARK_LOCAL_IP", "127.0.0.1");
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    processes.add(builder.start());
  }

  /** What happened to the executors while a job ran. */
  private static final class Events extends SparkListener {
    final CountDownLatch two = new CountDownLatch(2);
    final CountDownLatch begun = new CountDownLatch(TASKS_BEFORE);
    final AtomicInteger lostTasks = new AtomicInteger();
    final AtomicInteger lostExecutors = new AtomicInteger();
    final AtomicBoolean watching = new AtomicBoolean();

    @Override
    public void onExecutorAdded(SparkListenerExecutorAdded event) {
      two.countDown();
    }

    @Override
    public void onExecutorRemoved(SparkListenerExecutorRemoved event) {
      lostExecutors.incrementAndGet();
    }

    @Override
    public void onTaskEnd(SparkListenerTaskEnd event) {
      if (!watching.get()) return;
      if (event.reason().toString().equals("Success")) begun.countDown();
      else lostTasks.incrementAndGet();
    }
  }

  private boolean run(Day day) throws Exception {
    var events = new Events();
    try (var spark =
        SparkSession.builder()
            .master(master)
            .appName("the day's balance, with a death")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.executor.cores", "1")
            .config("spark.executor.memory", "512m")
            .config("spark.executor.extraClassPath", System.getProperty("java.class.path"))
            .getOrCreate()) {
      spark.sparkContext().addSparkListener(events);
      var executors = executors(spark, events);
      System.out.println("executors and their processes: " + executors);
      var killer = new Thread(() -> kill(events, executors.values().iterator().next()), "killer");
      events.watching.set(true);
      killer.start();
      long start = System.nanoTime();
      // Splits of a batch each: many tasks, of which some are still to come when the executor dies.
      spark.conf().set("spark.sql.adaptive.enabled", "false");
      var found = DayBalance.of(spark, Map.of("splitBytes", "1"), day.file().toString());
      long millis = (System.nanoTime() - start) / 1_000_000;
      killer.join();
      System.out.printf(
          "%,d trades balanced in %,d ms: %,d; it is %,d%n",
          found.trades(), millis, found.balance(), day.balance());
      System.out.printf(
          "%d executor lost, %d of its tasks done anew%n", events.lostExecutors.get(), events.lostTasks.get());
      boolean right =
          found.trades() == day.trades() && found.balance().longValueExact() == day.balance();
      if (!right) System.out.println("the answer is wrong");
      if (events.lostTasks.get() == 0) System.out.println("no task was lost: take more trades");
      return right && events.lostTasks.get() > 0;
    }
  }

  /** The process of each executor, by the executor's number. */
  private static Map<String, Long> executors(SparkSession spark, Events events) throws Exception {
    var context = JavaSparkContext.fromSparkContext(spark.sparkContext());
    for (int attempt = 0; attempt < PATIENCE_SECONDS; attempt++) {
      var found =
          context
              .parallelize(List.of(1, 2, 3, 4, 5, 6, 7, 8), 8)
              .map(_ -> new Tuple2<>(SparkEnv.get().executorId(), ProcessHandle.current().pid()))
              .collect();
      var executors = new TreeMap<String, Long>();
      for (var one : found) executors.put(one._1(), one._2());
      if (executors.size() == 2) return executors;
      // One of the two is still on its way.
      boolean both = events.two.await(1, TimeUnit.SECONDS);
      if (both && attempt > PATIENCE_SECONDS / 2) break;
    }
    throw new IllegalStateException("two executors did not come in " + PATIENCE_SECONDS + " seconds");
  }

  /** Kills a process that the workers started, once the job is under way. */
  private static void kill(Events events, long pid) {
    try {
      if (!events.begun.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) return;
      var ours = ProcessHandle.current().descendants().filter(one -> one.pid() == pid).findFirst();
      ours.ifPresent(ProcessHandle::destroyForcibly);
      System.out.println("process " + pid + (ours.isPresent() ? " was killed" : " is none of ours"));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends all processes, and those that they started. */
  @Override
  public void close() throws IOException {
    for (var process : processes) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
      process.onExit().join();
    }
  }

  private static void delete(Path home) throws IOException {
    try (var all = Files.walk(home)) {
      for (var path : all.sorted(Comparator.reverseOrder()).map(Path::toFile).toArray(File[]::new))
        Files.deleteIfExists(path.toPath());
    }
  }
}
