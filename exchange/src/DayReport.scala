package undercroft.exchange

import undercroft.exchange.Json.{Exact, Writer}

/** The results of a run over storages, as a table for readers and as JSON for programs. */
final class DayReport(val trades: Long, val heap: String, val rows: Seq[StorageRow]):

  /** The balances that the storages came to, each once: one if all agree. */
  val balances: Seq[BigInt] = rows.flatMap(_.dayBalance).distinct

  def agree: Boolean = balances.size == 1

  def text: String =
    val table = TextTable(DayReport.header, DayReport.leftColumns).render(rows.map(DayReport.cells))
    val pages = rows.flatMap(_.measured).map(_.hugePages).distinct.map("Huge pages: " + _)
    (Seq(table, "") ++ pages :+ verdict).mkString("\n")

  /** States whether the storages agree. */
  def verdict: String =
    val measured = rows.count(_.measured.isDefined)
    balances match
      case Seq(balance) if measured == 1 => s"The day's balance is ${Formatting.spaced(balance)}."
      case Seq(balance) =>
        s"All $measured balances agree: ${Formatting.spaced(balance)}."
      case Seq() => "No storage could do it."
      case _     => "The balances DIFFER:\n" + differences

  private def differences: String =
    rows
      .flatMap(row => row.dayBalance.map(b => s"  ${row.storage.name}: ${Formatting.spaced(b)}"))
      .mkString("\n")

  def json: String =
    Json.text(DayJson(
      trades,
      heap,
      System.getProperty("java.version").nn,
      rows.map(DayReport.json)
    ))
end DayReport

object DayReport:
  /** The titles of the columns; the first ones are of words, the others of figures. */
  val header: Seq[String] = Seq(
    "storage",
    "layout",
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

  /** A row's cells; of a storage that could not do it, its name, its layout and the reason. */
  def cells(row: StorageRow): Seq[String] = row.outcome match
    case Left(reason) => Seq(row.storage.name, row.storage.layout, reason)
    case Right(done) =>
      Seq(
        row.storage.name,
        row.storage.layout,
        millis(done.first.totalNanos),
        millis(done.second.totalNanos),
        millis(done.second.recordNanos),
        millis(done.second.balanceNanos),
        Formatting.fixed(done.bytesPerTrade, 1),
        Formatting.bytes(row.peakHeapBytes),
        done.peakResidentBytes.fold("?")(Formatting.bytes),
        row.pauses.count.toString,
        s"${Formatting.fixed(row.pauses.maxMillis, 0)} ms",
        s"${Formatting.fixed(row.pauses.totalMillis, 0)} ms"
      )

  private def millis(nanos: Long): String =
    s"${Formatting.spaced(BigInt(math.round(nanos / 1e6)))} ms"

  private def json(row: StorageRow): RowJson =
    val done = row.measured
    RowJson(
      storage = row.storage.name,
      layout = row.storage.layout,
      outcome = row.reason.getOrElse("ok"),
      dayBalance = row.dayBalance.map(Exact(_)),
      firstDayMillis = done.map(m => Formatting.millis(m.first.totalNanos)),
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
end DayReport

/** The shape of `--json`, in the order of its keys. A value that was not measured is null. */
private[exchange] final case class DayJson(
    trades: Long,
    heap: String,
    jdk: String,
    storages: Seq[RowJson]
) derives Writer

private[exchange] final case class RowJson(
    storage: String,
    layout: String,
    outcome: String,
    dayBalance: Option[Exact],
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
