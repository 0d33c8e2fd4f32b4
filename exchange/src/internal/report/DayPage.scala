package undercroft.exchange
package internal.report

import internal.run.{Measurement, StorageRow}
import internal.storage.Storage
import internal.text.Formatting
import undercroft.report.*

/** The results of a run over storages, as an HTML page. */
object DayPage:

  def of(report: DayReport, flags: Seq[String], jvmFlags: Seq[String] = Seq.empty): Report =
    Report(
      "Undercroft: the trading day",
      Seq(
        s"${Formatting.spaced(report.trades)} trades a day, two days, each storage in a JVM of its " +
          "own; less is better everywhere."
      ) ++ report.interruption :+ report.verdict,
      Seq(time(report), memory(report), run(report, flags, jvmFlags))
    )

  private def time(report: DayReport): Section =
    def times(title: String, nanos: Measurement => Long) =
      bars(whole(report), title, done => Some(nanos(done).toDouble), FigureText.time)
    Section(
      "time",
      "what a day takes",
      Seq(
        Block.Words(
          "A day records the trades one by one and takes the balance. The first day runs in a fresh " +
            "JVM, the second in the same one. The first day starts with one trade that is recorded " +
            "and balanced alone, for which the JVM loads classes and makes its first native call."
        )
      ) ++ report.fewer.map(Block.Small(_)) ++
        times("The first day", _.firstDayNanos) ++
        times("The first day: its start", _.startNanos) ++
        times("The second day", _.second.totalNanos) ++
        times("The second day: recording", _.second.recordNanos) ++
        times("The second day: the balance", _.second.balanceNanos)
    )
  end time

  private def memory(report: DayReport): Section = Section(
    "memory",
    "what it holds",
    bars(report.rows, "Bytes a trade", done => Some(done.bytesPerTrade), FigureText(_)) ++
      bars(
        whole(report),
        "The most that was resident",
        _.peakResidentBytes.map(_.toDouble),
        bytes
      ) ++
      stops(report)
  )

  /** The pauses, without the bars that would be empty. */
  private def stops(report: DayReport): Seq[Block] =
    val (stopped, others) =
      whole(report).filter(_.measured.isDefined).partition(_.pauses.totalMillis > 0)
    val marks = stopped.map(row => mark(row.storage, row.pauses.totalMillis * 1e6))
    val names = others.map(_.storage.name).mkString(", ")
    picture("Stopped by the garbage collector, over both days", marks, FigureText.time) ++
      Option.when(others.nonEmpty)(Block.Small(s"Never stopped by the garbage collector: $names."))

  /** The rows of the whole day: figures of fewer trades are no match for them. */
  private def whole(report: DayReport): Seq[StorageRow] = report.rows.filterNot(report.isFewer)

  private def run(report: DayReport, flags: Seq[String], jvmFlags: Seq[String]): Section =
    val header = DayReport.header
    val rows = report.rows.map: row =>
      val cells = DayReport.cells(row, report.isFewer(row))
      cells.zipWithIndex.map: (text, column) =>
        if column < DayReport.leftColumns then TableCell.words(text)
        else if cells.size < header.size then TableCell(text, CellKind.Bad)
        else TableCell.number(text)
    Section(
      "figures",
      "all of them",
      Seq(Block.Grid(header, rows)) ++
        (report.fewer ++ report.notes).map(Block.Small(_)) ++
        Seq(
          Block.Small(s"JDK ${System.getProperty("java.version")}: ${flags.mkString(" ")}"),
          Block.Heading("Rerun it"),
          Block.Command(command(report, jvmFlags))
        )
    )
  end run

  private def command(report: DayReport, jvmFlags: Seq[String]): String =
    val storages = report.rows.map(_.storage).distinct
    val selection =
      if storages.size == Storage.values.length then Seq.empty
      else Seq("--storage", storages.map(_.name).mkString(","))
    val trades =
      if report.rows.exists(report.isFewer) then Seq.empty // only without the option
      else Seq("--trades", report.trades.toString)
    val words = trades ++ Seq("--heap", report.heap) ++ selection ++
      jvmFlags.flatMap(flag => Seq("--jvm", flag))
    s"./mill exchange.run ${words.map(quoted).mkString(" ")}"

  /** A word of a shell's command. */
  private def quoted(word: String): String =
    if word.matches("[A-Za-z0-9_,.:/=+-]+") then word else s"'${word.replace("'", "'\\''")}'"

  private def bars(
      rows: Seq[StorageRow],
      title: String,
      value: Measurement => Option[Double],
      tell: Double => String
  ): Seq[Block] =
    val marks =
      for
        row <- rows
        done <- row.measured
        figure <- value(done)
      yield mark(row.storage, figure)
    picture(title, marks, tell)

  private def mark(storage: Storage, value: Double): Mark =
    Mark(storage.name, owner(storage), Value.alone(value))

  private def picture(title: String, marks: Seq[Mark], tell: Double => String): Seq[Block] =
    Option.when(marks.nonEmpty)(Block.Picture(title, Chart.Bars(marks, tell))).toSeq

  private def bytes(count: Double): String = Formatting.bytes(count.toLong)

  private def owner(storage: Storage): Owner = storage match
    case Storage.Lists | Storage.Arrays => Owner("objects on the heap", Hue.Violet)
    case Storage.Ints | Storage.Heap    => Owner("one array on the heap", Hue.Rose)
    case Storage.Direct                 => Owner("a direct buffer", Hue.Olive)
    case Storage.Raw                    => Owner("Unsafe", Hue.Orange)
    case Storage.Segment                => Owner("MemorySegment", Hue.Sky)
    case Storage.InRows | Storage.InPackedRows | Storage.InColumns =>
      Owner("Undercroft", Hue.Teal)
end DayPage
