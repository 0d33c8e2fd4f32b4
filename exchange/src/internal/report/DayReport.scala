package undercroft.exchange
package internal.report

import internal.run.{Day, StorageRow}
import internal.storage.Storage
import internal.text.{Formatting, Json, TextTable}
import undercroft.exchange.internal.text.Json.{Exact, Writer}

/** The results of a run over storages, as lines for readers and as JSON for programs.
  *
  * @param planned
  *   number of storages that the run has if it is not interrupted
  */
final class DayReport(
    val trades: Long,
    val heap: String,
    planned: Int,
    val rows: Seq[StorageRow]
):
  private val measured = rows.filter(_.measured.isDefined)

  def isInterrupted: Boolean = rows.size < planned

  /** Whether every balance is right, and there is one. */
  def agree: Boolean =
    measured.nonEmpty && measured.forall(row => row.dayBalance.contains(Day.balance(row.trades)))

  /** Whether a storage recorded fewer trades than the day has. */
  def isFewer(row: StorageRow): Boolean = row.trades < trades

  /** Which storages recorded fewer trades, and why. */
  def fewer: Seq[String] = rows.filter(isFewer).map: row =>
    s"* ${row.storage.name}: ${Formatting.spaced(row.trades)} trades a day, because with " +
      s"${Formatting.spaced(trades)} it takes longer than all others together; --trades $trades " +
      "measures that"

  /** Explains the figures. */
  def notes: Seq[String] =
    if measured.isEmpty then Seq.empty
    else
      Seq(
        "start: part of the first day; one trade recorded and balanced in the fresh JVM, which loads " +
          "classes and links its first native call",
        "record and balance: parts of the second day"
      ) ++ measured.flatMap(_.measured).map(_.hugePages).distinct.map("Huge pages: " + _)

  /** The lines below the table. */
  def remarks: Seq[String] = fewer ++ notes ++ interruption :+ verdict

  /** States how much of an interrupted run was measured. */
  def interruption: Option[String] =
    Option.when(isInterrupted)(s"Interrupted: ${rows.size} of $planned storages were measured.")

  /** States whether the storages agree. */
  def verdict: String =
    // The balance of the whole day first.
    val balances = measured.map(_.trades).distinct.sortBy(-_).map: count =>
      val balance = Formatting.spaced(Day.balance(count))
      if count < trades then s"$balance for ${Formatting.spaced(count)} trades" else balance
    if rows.isEmpty then "No storage was measured."
    else if measured.isEmpty then "No storage could do it."
    else if !agree then "Balances are WRONG:\n" + differences
    else if measured.size == 1 then s"The day's balance is ${balances.mkString}."
    else s"All ${measured.size} balances agree: ${balances.mkString(", ")}."

  private def differences: String =
    val lines =
      for
        row <- measured
        balance <- row.dayBalance
        right = Day.balance(row.trades)
        if balance != right
      yield s"  ${row.storage.name}: ${Formatting.spaced(balance)} instead of ${Formatting.spaced(right)}"
    lines.mkString("\n")

  def json: String =
    Json.text(DayJson(
      trades,
      heap,
      System.getProperty("java.version").nn,
      isInterrupted,
      rows.map(DayReport.json)
    ))
end DayReport

object DayReport:
  /** The titles of the columns; the first ones are of words, the others of figures. */
  val header: Seq[String] = Seq(
    "storage",
    "layout",
    "start",
    "first day",
    "second day",
    "record",
    "balance",
    "B/trade",
    "peak heap",
    "resident",
    "GC pauses",
    "longest",
    "sum"
  )

  val leftColumns = 2

  /** Wide enough for the figures of the default day. */
  private val leastWidths = Seq(13, 7, 8, 9, 9, 9, 7, 7, 9, 9, 9, 7, 9)

  val table = TextTable(header, leftColumns, leastWidths)

  /** The first cells of a storage's row. An asterisk says that it has fewer trades, see the notes.
    */
  def names(storage: Storage, isFewer: Boolean): Seq[String] =
    Seq(if isFewer then s"${storage.name} *" else storage.name, storage.layout)

  /** A row's cells; of a storage that could not do it, its name, its layout and the reason. */
  def cells(row: StorageRow, isFewer: Boolean): Seq[String] =
    names(row.storage, isFewer) ++ (row.outcome match
      case Left(reason) => Seq(reason)
      case Right(done) =>
        Seq(
          millis(done.startNanos),
          millis(done.firstDayNanos),
          millis(done.second.totalNanos),
          millis(done.second.recordNanos),
          millis(done.second.balanceNanos),
          Formatting.fixed(done.bytesPerTrade, 1),
          Formatting.bytes(row.peakHeapBytes),
          done.peakResidentBytes.fold("?")(Formatting.bytes),
          row.pauses.count.toString,
          s"${Formatting.fixed(row.pauses.maxMillis, 0)} ms",
          s"${Formatting.fixed(row.pauses.totalMillis, 0)} ms"
        ))

  private def millis(nanos: Long): String =
    s"${Formatting.spaced(BigInt(math.round(nanos / 1e6)))} ms"

  private def json(row: StorageRow): RowJson =
    val done = row.measured
    RowJson(
      storage = row.storage.name,
      layout = row.storage.layout,
      trades = row.trades,
      outcome = row.reason.getOrElse("ok"),
      dayBalance = row.dayBalance.map(Exact(_)),
      startMillis = done.map(m => Formatting.millis(m.startNanos)),
      firstDayMillis = done.map(m => Formatting.millis(m.firstDayNanos)),
      recordMillis = done.map(m => Formatting.millis(m.second.recordNanos)),
      balanceMillis = done.map(m => Formatting.millis(m.second.balanceNanos)),
      totalMillis = done.map(m => Formatting.millis(m.second.totalNanos)),
      bytesPerTrade = done.map(_.bytesPerTrade),
      peakHeapBytes = done.map(_ => row.peakHeapBytes),
      peakResidentBytes = done.flatMap(_.peakResidentBytes),
      hugePages = done.map(_.hugePages),
      gcPauses = row.pauses.count,
      gcMaxMillis = row.pauses.maxMillis,
      gcTotalMillis = Formatting.millis((row.pauses.totalMillis * 1e6).toLong)
    )
  end json
end DayReport

/** The shape of `--json`, in the order of its keys. A value that was not measured is null. */
private[exchange] final case class DayJson(
    trades: Long,
    heap: String,
    jdk: String,
    interrupted: Boolean,
    storages: Seq[RowJson]
) derives Writer

private[exchange] final case class RowJson(
    storage: String,
    layout: String,
    trades: Long,
    outcome: String,
    dayBalance: Option[Exact],
    startMillis: Option[Double],
    firstDayMillis: Option[Double],
    recordMillis: Option[Double],
    balanceMillis: Option[Double],
    totalMillis: Option[Double],
    bytesPerTrade: Option[Double],
    peakHeapBytes: Option[Long],
    peakResidentBytes: Option[Long],
    hugePages: Option[String],
    gcPauses: Int,
    gcMaxMillis: Double,
    gcTotalMillis: Double
) derives Writer
