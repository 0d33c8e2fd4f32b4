package undercroft.exchange

import internal.options.{ExchangeOptions, Interruption, JsonTarget, NamedFiles, PageTarget}
import internal.report.{Bar, DayPage, DayReport}
import internal.run.{AotCaches, StorageRow, StorageRunner}
import internal.storage.Storage
import internal.text.Formatting
import java.io.PrintStream
import java.lang.management.ManagementFactory

/** The main job: the same generated day in each storage, one JVM after another, as one table.
  *
  * @param trades
  *   trades a day
  * @param fewerTrades
  *   trades a day of the storages that record fewer
  */
final class TradingDay(
    trades: Long,
    fewerTrades: Map[Storage, Long],
    storages: Seq[Storage],
    heap: String,
    giveUpAfterSeconds: Int,
    jvmFlags: Seq[String],
    aot: Option[AotCaches],
    json: Option[JsonTarget],
    page: Option[PageTarget]
):

  /** Prints the table to `out`, or to `err` if `out` is JSON's, a row as soon as it is measured,
    * and progress to `err`. Returns the exit code: 1 if a balance is wrong or no storage could do
    * it. A signal that ends the JVM ends the run: the rows measured before it are the result.
    */
  def run(out: PrintStream, err: PrintStream): Int =
    val people = if json.exists(_.isOutput) then err else out
    val runner = StorageRunner(heap, giveUpAfterSeconds, jvmFlags, aot)
    val interruption = Interruption(() => runner.interrupt())
    try
      people.println(
        s"${Formatting.spaced(trades)} trades a day, two days, each storage in a JVM of its own"
      )
      people.println(s"JDK ${System.getProperty("java.version")}: ${runner.flags.mkString(" ")}")
      if aot.isDefined then people.println("Every JVM uses an AOT cache of an earlier run")
      people.println(s"\n${DayReport.table.head}")
      val rows = storages.flatMap: storage =>
        Option.unless(runner.isInterrupted)(measure(runner, storage, people, Bar(err))).flatten
      val report = DayReport(trades, heap, storages.size, rows)
      people.println(report.remarks.mkString("\n", "\n", ""))
      if !report.isInterrupted || rows.nonEmpty then
        json.foreach(_.write(report.json, out))
        page.foreach(_.write(DayPage.of(report, runner.flags, jvmFlags).html))
      if report.agree && !report.isInterrupted then 0 else 1
    finally
      runner.close()
      interruption.close()
    end try
  end run

  /** Prints the row of a storage, and returns it, unless the run is interrupted meanwhile. */
  private def measure(
      runner: StorageRunner,
      storage: Storage,
      people: PrintStream,
      bar: Bar
  ): Option[StorageRow] =
    val count = fewerTrades.getOrElse(storage, trades)
    val left = DayReport.table.left(DayReport.names(storage, count < trades))
    val failed = runner.missingCache(storage).flatMap: cache =>
      val name = s"${storage.name}, AOT cache"
      if !bar.isTerminal then people.println(s"$name ...")
      shown(name, count, bar)(runner.train(storage, count, cache, _))
    // The names show which storage runs. On a terminal the bar does, and they are drawn after it.
    def showNames() =
      people.print(left)
      people.flush()
    if !bar.isTerminal then showNames()
    val row = failed.getOrElse(shown(storage.name, count, bar)(runner.run(storage, count, _)))
    if bar.isTerminal then showNames()
    val isKept = row.measured.isDefined || !runner.isInterrupted
    val line = DayReport.table.line(DayReport.cells(row, isFewer = count < trades))
    people.println(if isKept then line.stripPrefix(left) else "interrupted")
    Option.when(isKept)(row)
  end measure

  /** Shows the progress of a step on a terminal. */
  private def shown[A](step: String, count: Long, bar: Bar)(run: (Long => Unit) => A): A =
    if bar.isTerminal then
      val progress = bar.of(step.padTo(TradingDay.NameWidth, ' '), 2 * count, (" M", 1_000_000L))
      try run(recorded => progress.stepTo(recorded): Unit)
      finally progress.close()
    else run(_ => ())
end TradingDay

object TradingDay:
  private val DefaultTrades = 50_000_000L
  private val DefaultGiveUpAfterSeconds = 120
  private val DefaultHeapBytes = 4L << 30
  private val MostTrades = 1L << 40
  private val NameWidth = Storage.values.map(_.name.length).max

  /** Storages that take longer for the default day than all others together. If neither trades nor
    * storages are chosen, they record this many trades.
    */
  private val DefaultFewerTrades = Map(Storage.Lists -> 5_000_000L)

  /** Throws BadInput for options that contradict each other. */
  def of(options: ExchangeOptions): TradingDay =
    if options.rejects.isDefined then
      throw BadInput("--rejects is for the malformed lines of --from, which is not given")
    val trades = options.trades.getOrElse(DefaultTrades)
    checkTrades(trades)
    val seconds = options.giveUpAfter.getOrElse(DefaultGiveUpAfterSeconds)
    if seconds < 1 then throw BadInput(s"--give-up-after $seconds: must be at least 1 second")
    val isDefault = options.trades.isEmpty && options.storage.isEmpty
    TradingDay(
      trades,
      if isDefault then DefaultFewerTrades else Map.empty,
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
