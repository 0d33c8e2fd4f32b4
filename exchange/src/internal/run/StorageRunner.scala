package undercroft.exchange
package internal.run

import internal.storage.Storage
import java.io.{BufferedReader, IOException, InputStreamReader}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import java.util.concurrent.atomic.AtomicBoolean
import java.util.concurrent.{Executors, ScheduledFuture, TimeUnit}
import scala.collection.mutable.ListBuffer

/** Runs storages, one after another, each in a JVM of its own with the same flags.
  *
  * @param heap
  *   initial and largest heap of each JVM, as `-Xmx` takes it
  * @param giveUpAfterSeconds
  *   the longest that one day may take
  * @param jvmFlags
  *   further flags for each JVM; they come last, so they win
  * @param aot
  *   the caches that the JVMs use; the first run of a storage creates its cache
  */
final class StorageRunner(
    heap: String,
    giveUpAfterSeconds: Int,
    jvmFlags: Seq[String],
    aot: Option[AotCaches] = None
) extends AutoCloseable:

  @volatile private var interrupted = false
  @volatile private var current = Option.empty[Process]

  private val clock = Executors
    .newSingleThreadScheduledExecutor: task =>
      val thread = Thread(task, "exchange-clock")
      thread.setDaemon(true)
      thread
    .nn

  /** The storage's AOT cache, if it must be created first: see [[train]]. */
  def missingCache(storage: Storage): Option[Path] =
    aot.map(_.fileOf(storage, flags)).filterNot(Files.exists(_))

  /** Runs a storage whose JVM writes its classes and profiles to `cache`. Returns the row of its
    * failure, if it fails.
    */
  def train(
      storage: Storage,
      trades: Long,
      cache: Path,
      progress: Long => Unit
  ): Option[StorageRow] =
    val row = start(storage, trades, Seq(s"-XX:AOTCacheOutput=$cache")).fold(
      failure(storage, trades, _),
      follow(
        _,
        storage,
        trades,
        progress,
        giveUpAfterSeconds.toLong + StorageRunner.MostSecondsToWriteCache
      )
    )
    if row.outcome.isLeft then Some(row)
    else if Files.exists(cache) then None
    else Some(failure(storage, trades, s"its JVM wrote no AOT cache to $cache"))

  /** Runs one storage to its end, with `trades` trades a day; `progress` receives the number of
    * trades recorded over both days. Returns a row however the JVM ends, and also if it does not
    * start.
    */
  def run(storage: Storage, trades: Long, progress: Long => Unit): StorageRow =
    val cache = aot.toSeq.flatMap: caches =>
      Seq(s"-XX:AOTCache=${caches.fileOf(storage, flags)}", "-XX:AOTMode=on")
    start(storage, trades, cache).fold(
      failure(storage, trades, _),
      follow(
        _,
        storage,
        trades,
        progress,
        giveUpAfterSeconds.toLong,
        aot.map(_.fileOf(storage, flags))
      )
    )

  /** Ends the storage's JVM that runs, whose row is then a failure, and those that start later. */
  def interrupt(): Unit =
    interrupted = true
    current.foreach(destroy)

  def isInterrupted: Boolean = interrupted

  private def failure(storage: Storage, trades: Long, reason: String): StorageRow =
    StorageRow(storage, trades, Left(reason), Pauses.empty)

  /** The storage's JVM, or why it did not start. */
  private def start(
      storage: Storage,
      trades: Long,
      aotFlags: Seq[String]
  ): Either[String, Process] =
    try
      val process = ProcessBuilder(command(storage, trades, aotFlags)*).start().nn
      current = Some(process)
      // The interruption may have come before the process was there to be ended.
      if interrupted then destroy(process)
      Right(process)
    catch case error: IOException => Left(s"its JVM did not start: ${error.getMessage}")

  private def follow(
      process: Process,
      storage: Storage,
      trades: Long,
      progress: Long => Unit,
      mostSeconds: Long,
      cache: Option[Path] = None
  ): StorageRow =
    try
      val errors = Errors(process)
      val tooLate = AtomicBoolean(false)
      var deadline = giveUp(process, tooLate, StorageRunner.MostSecondsToStart)
      var pauses = Pauses.empty
      var started = false
      var weighing = false
      var outcome = Option.empty[Either[String, Measurement]]
      val beforeStart = ListBuffer.empty[String]

      for line <- lines(process) do
        ChildMessage.of(line) match
          case Some(ChildMessage.Opened(_)) =>
            deadline.cancel(false)
            started = true
            deadline = giveUp(process, tooLate, mostSeconds)
          case Some(ChildMessage.Recorded(trades))  => progress(trades)
          case Some(ChildMessage.Weighing)          => weighing = true
          case Some(ChildMessage.Done(measurement)) => outcome = Some(Right(measurement))
          case Some(ChildMessage.Failed(reason))    => outcome = Some(Left(reason))
          case None =>
            val isReason = !started && !line.contains("GC(") && !line.startsWith("Using ")
            if isReason && beforeStart.size < StorageRunner.MostLinesKept then beforeStart += line
            if !weighing then pauses = pauses.and(line)
      val status = process.waitFor()
      deadline.cancel(false)
      val result = outcome.getOrElse:
        Left(
          if tooLate.get && started then s"gave up after $mostSeconds s"
          else if tooLate.get then
            s"its JVM did not start within ${StorageRunner.MostSecondsToStart} s"
          else
            val hint = if started || status > 128 then "" else cache.fold("")(StorageRunner.hint)
            StorageRunner.ending(status, errors.words ++ beforeStart) + hint
        )
      StorageRow(storage, trades, result, pauses)
    finally
      destroy(process)
      current = None
    end try
  end follow

  private def command(storage: Storage, trades: Long, aotFlags: Seq[String]): Seq[String] =
    val java = Path.of(System.getProperty("java.home"), "bin", "java").toString
    val classes = aot.fold(System.getProperty("java.class.path").nn)(_.classPath)
    (java +: (flags ++ aotFlags)) ++ Seq(
      "-cp",
      classes,
      "undercroft.exchange.internal.run.StorageProcess"
    ) ++
      Seq(storage.toString, trades.toString)

  /** The same for every storage: nothing here favours one. */
  def flags: Seq[String] = Seq(
    s"-Xms$heap",
    s"-Xmx$heap",
    "-XX:+UseG1GC",
    "--enable-native-access=ALL-UNNAMED",
    "--sun-misc-unsafe-memory-access=allow",
    Pauses.LogFlag
  ) ++ jvmFlags

  private def lines(process: Process): Iterator[String] =
    val reader = BufferedReader(InputStreamReader(process.getInputStream, UTF_8))
    def next() =
      try reader.readLine()
      catch case _: IOException => null // its end, where the process was destroyed meanwhile
    Iterator.continually(next()).takeWhile(_ != null).map(_.nn)

  private def giveUp(
      process: Process,
      tooLate: AtomicBoolean,
      seconds: Long
  ): ScheduledFuture[?] =
    val task: Runnable = () =>
      tooLate.set(true)
      destroy(process)
    clock.schedule(task, seconds.toLong, TimeUnit.SECONDS).nn

  private def destroy(process: Process): Unit = process.destroyForcibly(): Unit

  def close(): Unit = clock.shutdownNow(): Unit
end StorageRunner

object StorageRunner:

  /** The longest that a JVM may take to begin its first day. */
  private val MostSecondsToStart = 60

  /** What a JVM may take in addition to a day to write its AOT cache, at its end. */
  private val MostSecondsToWriteCache = 60

  /** Lines of standard output that are kept until a JVM has started: it writes there why it cannot
    * use an AOT cache.
    */
  private val MostLinesKept = 20

  private def hint(cache: Path): String =
    s"; if the AOT cache $cache is damaged, delete it: the next run writes it again"

  /** Why a JVM ended without a result: a signal, or the exit code and the first line that names a
    * reason.
    */
  private[exchange] def ending(status: Int, lines: Seq[String]): String =
    if status == 128 + 9 then "killed, as a system does that has run out of memory"
    else if status > 128 then s"killed by signal ${status - 128}"
    else s"its JVM ended with exit code $status${lines.headOption.fold("")(": " + _)}"
end StorageRunner
