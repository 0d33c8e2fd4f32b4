package undercroft.lab.spark;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.SparkSession;
import undercroft.exchange.spark.DayBalance;
import undercroft.file.format.FileLayout;

/** The day's balance on a {@link Cluster}: once while an executor is killed that has done some of the
 * tasks, and once as a submitted job. Exits with 1 if a result is wrong, or if no task was lost with
 * the executor.
 *
 * The other executor is suspended with its first task until then, so that the job cannot end before
 * the kill, however slow or fast the machine is.
 *
 * `./mill lab.spark.cluster [TRADES]`; the default is fifty million.
 */
public final class ClusterDay {

  /** Tasks that must have ended before an executor is killed. */
  private static final int TASKS_BEFORE = 3;

  private ClusterDay() {}

  public static void main(String[] args) throws Exception {
    long trades = args.length == 0 ? 50_000_000 : Long.parseLong(args[0]);
    var jar = System.getenv("UNDERCROFT_DAY_JAR");
    if (jar == null) throw new IllegalStateException("UNDERCROFT_DAY_JAR is not set: the build sets it");
    boolean right;
    try (var cluster = new Cluster()) {
      System.out.println(cluster.words());
      var day = Day.write(cluster.home().resolve("day.rows"), FileLayout.ALIGNED, trades);
      right = withADeath(cluster, day, Path.of(jar)) & submitted(cluster, day, Path.of(jar));
    }
    System.exit(right ? 0 : 1);
  }

  /** What happens to tasks and executors while a job runs. */
  private static final class Events extends SparkListener {

    /** Completes with the id of an executor that has done a task, once enough tasks have ended. */
    final CompletableFuture<String> executorId = new CompletableFuture<>();

    final AtomicInteger done = new AtomicInteger();
    final AtomicInteger lostTasks = new AtomicInteger();
    final AtomicInteger lostExecutors = new AtomicInteger();

    @Override
    public void onExecutorRemoved(SparkListenerExecutorRemoved event) {
      lostExecutors.incrementAndGet();
    }

    @Override
    public void onTaskEnd(SparkListenerTaskEnd event) {
      if (!event.reason().toString().equals("Success")) lostTasks.incrementAndGet();
      else if (done.incrementAndGet() == TASKS_BEFORE) executorId.complete(event.taskInfo().executorId());
    }
  }

  private static boolean withADeath(Cluster cluster, Day day, Path jar) throws Exception {
    var events = new Events();
    var goOn = new AtomicReference<Runnable>();
    var killed =
        events.executorId.thenApplyAsync(cluster::kill).whenComplete((_, _) -> goOn.get().run());
    var builder =
        SparkSession.builder()
            .master(cluster.url())
            .appName("the day's balance, with a death")
            .config("spark.jars", jar.toString())
            .config("spark.local.dir", cluster.home().resolve("local").toString())
            .config("spark.sql.warehouse.dir", cluster.home().resolve("warehouse").toString())
            .config("spark.log.level", "WARN")
            // As many tasks as there are splits.
            .config("spark.sql.adaptive.enabled", "false");
    cluster.settings().forEach(builder::config);
    DayBalance.Day result;
    long millis;
    try (var spark = builder.getOrCreate()) {
      spark.sparkContext().addSparkListener(events);
      goOn.set(cluster.halt());
      long start = System.nanoTime();
      // Splits of a batch each: more than the executor does before it dies.
      result = DayBalance.of(spark, Map.of("splitBytes", "1"), day.file().toString());
      millis = (System.nanoTime() - start) / 1_000_000;
    }
    // The session has ended, and with it the events.
    long process = killed.get(Cluster.PATIENCE_SECONDS, TimeUnit.SECONDS);
    System.out.println(
        "process %d, executor %s, was killed after %d tasks: %d executors lost, %d tasks done anew"
            .formatted(
                process, events.executorId.get(), TASKS_BEFORE, events.lostExecutors.get(), events.lostTasks.get()));
    System.out.println(
        "%,d trades balanced in %,d ms: %,d; it is %,d"
            .formatted(result.trades(), millis, result.balance(), day.balance()));
    boolean right = result.trades() == day.trades() && result.balance().longValueExact() == day.balance();
    if (!right) System.out.println("the answer is wrong");
    if (events.lostTasks.get() == 0) System.out.println("no task was lost");
    return right && events.lostTasks.get() > 0;
  }

  private static boolean submitted(Cluster cluster, Day day, Path jar) throws Exception {
    var main = DayBalance.class.getName();
    var output =
        cluster.submit("--master", cluster.url(), "--class", main, jar.toString(), day.file().toString());
    var lines = output.lines().filter(line -> line.startsWith(day.file().toString())).toList();
    System.out.println("submitted: " + String.join("\n", lines));
    var trades = "%,d trades".formatted(day.trades());
    boolean right =
        lines.size() == 1 && lines.getFirst().contains(trades)
            && lines.getFirst().endsWith(": %,d".formatted(day.balance()));
    if (!right) System.out.println("the answer is wrong, it is " + List.of(trades, day.balance()));
    return right;
  }
}
