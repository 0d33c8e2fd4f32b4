package undercroft.exchange

import java.io.PrintStream
import java.lang.management.ManagementFactory

/** The main job: the same made-up day in each storage, one JVM after another, then one table. */
final class TradingDay(
    trades: Long,
    storages: Seq[Storage],
    heap: String,
    giveUpAfterSeconds: Int,
    jvmFlags: Seq[String],
    aot: Option[AotCaches],
    json: Option[JsonTarget],
    page: Option[PageTarget]
):

  /** Prints progress to `err` and the table to `out`, or to `err` where `out` is JSON's. Returns
    * the exit code: 1 if the balances differ or no storage could do it.
    */
  def run(out: PrintStream, err: PrintStream): Int =
    val people = if json.exists(_.isOutput) then err else out
    val runner = StorageRunner(trades, heap, giveUpAfterSeconds, jvmFlags, aot)
    try
      people.println(
        s"${Formatting.spaced(trades)} trades a day, two days, each storage in a JVM of its own"
      )
      people.println(s"JDK ${System.getProperty("java.version")}: ${runner.flags.mkString(" ")}")
      if aot.isDefined then people.println("Every JVM uses an AOT cache of an earlier run")
      people.println()
      val rows = storages.map(measure(runner, _, err))
      val report = DayReport(trades, heap, rows)
      people.println()
      people.println(report.text)
      json.foreach(_.write(report.json, out))
      page.foreach(_.write(DayPage.of(report, runner.flags, jvmFlags).html))
      if report.agree then 0 else 1
    finally runner.close()
  end run

  private def measure(runner: StorageRunner, storage: Storage, err: PrintStream): StorageRow =
    val failed = runner.missingCache(storage).flatMap: cache =>
      shown(s"${storage.name}, AOT cache", err)(runner.train(storage, cache, _))(identity)
    failed.getOrElse(shown(storage.name, err)(runner.run(storage, _))(Some(_)))

  /** Shows the progress of a run, and the reason of its failure. */
  private def shown[A](name: String, err: PrintStream)(run: (Long => Unit) => A)(
      row: A => Option[StorageRow]
  ): A =
    val bar = Bar(err).of(name.padTo(TradingDay.NameWidth, ' '), 2 * trades, (" M", 1_000_000L))
    try
      val result = run(recorded => bar.stepTo(recorded): Unit)
      row(result).map(_.outcome) match
        case Some(Left(reason)) => bar.setExtraMessage(s" $reason"): Unit
        case _                  => bar.stepTo(2 * trades): Unit
      result
    finally bar.close()
end TradingDay

object TradingDay:
  private val DefaultTrades = 50_000_000L
  private val DefaultGiveUpAfterSeconds = 120
  private val DefaultHeapBytes = 4L << 30
  private val MostTrades = 1L << 40
  private val NameWidth = Storage.values.map(_.name.length).max

  /** Throws BadInput for options that contradict each other. */
  def of(options: ExchangeOptions): TradingDay =
    if options.rejects.isDefined then
      throw BadInput("--rejects is for the malformed lines of --from, which is not given")
    val trades = options.trades.getOrElse(DefaultTrades)
    checkTrades(trades)
    val seconds = options.giveUpAfter.getOrElse(DefaultGiveUpAfterSeconds)
    if seconds < 1 then throw BadInput(s"--give-up-after $seconds: must be at least 1 second")
    TradingDay(
      trades,
      options.storage.fold(Storage.values.toSeq)(storages),
      options.heap.fold(defaultHeap)(heap),
      seconds,
      options.pages.map(pages).toSeq ++ options.jvm,
      options.aot.map(folder => AotCaches(NamedFiles.path("--aot", folder))),
      options.json.map(JsonTarget(_)),
      options.report.map(PageTarget(_))
    )
  end of

  def checkTrades(trades: Long): Unit =
    if trades < 1 || trades > MostTrades then
      throw BadInput(s"--trades $trades: must be from 1 to $MostTrades")

  private def storages(list: String): Seq[Storage] =
    list.split(",", -1).nn.toSeq.map(_.nn.strip.nn).distinct.map: name =>
      Storage
        .named(name)
        .getOrElse:
          val names = Storage.values.map(_.name).mkString(", ")
          throw BadInput(s"--storage $name: there is no such storage; there are $names")

  /** Undercroft's own setting; the rivals have none. */
  private def pages(kind: String): String =
    if Seq("small", "huge").contains(kind) then s"-Dundercroft.pages=$kind"
    else throw BadInput(s"--pages $kind: pages are small or huge")

  private def heap(size: String): String =
    if size.matches("[1-9][0-9]*[kKmMgG]") then size
    else throw BadInput(s"--heap $size: a heap is a number with k, m or g, like 512m or 4g")

  /** 4 GiB, in which all storages hold the default day, or half of a machine that has less. */
  private def defaultHeap: String = ManagementFactory.getOperatingSystemMXBean match
    case system: com.sun.management.OperatingSystemMXBean =>
      s"${math.min(DefaultHeapBytes, system.getTotalMemorySize / 2) >> 20}m"
    case _ => s"${DefaultHeapBytes >> 20}m"
end TradingDay
