package undercroft.exchange

/** What a storage's JVM tells the one that started it, one line each on standard output.
  *
  * Written by hand and not as JSON, because a JSON library would load its classes on the first
  * day's clock. Lines that are not words (the collector's log) decode to None.
  */
enum Word derives CanEqual:
  case Opened(day: Int)
  case Recorded(trades: Long) // over both days
  case Weighing // the days are over: collections from here on are not theirs
  case Done(measurement: Measurement)
  case Failed(reason: String)

  def line: String = this match
    case Opened(day)      => s"${Word.Mark}opened\t$day"
    case Recorded(trades) => s"${Word.Mark}recorded\t$trades"
    case Weighing         => s"${Word.Mark}weighing"
    case Failed(reason)   => s"${Word.Mark}failed\t${reason.linesIterator.mkString("; ")}"
    case Done(m) =>
      val figures =
        Seq(m.bytesPerTrade, m.peakHeapBytes, m.peakResidentBytes.getOrElse(-1L), m.hugePages)
      (Seq(s"${Word.Mark}done") ++ Word.ofDay(m.first) ++ Word.ofDay(m.second) ++ figures)
        .mkString("\t")
end Word

object Word:

  /** Begins every word, so that no line of the JVM's own is taken for one. */
  private val Mark = "exchange\t"

  def of(line: String): Option[Word] =
    Option.when(line.startsWith(Mark))(line.drop(Mark.length).split("\t").nn.toList.map(_.nn)).map:
      case List("opened", day)      => Opened(day.toInt)
      case List("recorded", trades) => Recorded(trades.toLong)
      case List("weighing")         => Weighing
      case "failed" :: reason       => Failed(reason.mkString("\t"))
      case "done" :: figures        => Done(measurement(figures))
      case other                    => throw IllegalArgumentException(s"not a word: $other")

  private def ofDay(day: Day): Seq[Any] =
    Seq(day.balance, day.recordNanos, day.balanceNanos, day.totalNanos)

  private def measurement(figures: List[String]): Measurement =
    def day(at: Int) =
      val Seq(record, balance, total) = figures.slice(at + 1, at + 4).map(_.toLong): @unchecked
      Day(BigInt(figures(at)), record, balance, total)
    val resident = figures(10).toLong
    Measurement(
      day(0),
      day(4),
      figures(8).toDouble,
      figures(9).toLong,
      Option.when(resident >= 0)(resident),
      figures(11)
    )
end Word
