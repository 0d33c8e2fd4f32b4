package undercroft.exchange
package internal.run

/** A message from a storage's JVM to its parent JVM, one line on standard output.
  *
  * A text format of our own instead of JSON, because a JSON library would load its classes during
  * the measured first day. Other lines, such as the collector's log, decode to None.
  */
enum ChildMessage derives CanEqual:
  case Opened(day: Int)
  case Recorded(trades: Long) // over both days
  case Weighing // the days are over: collections from here on are not theirs
  case Done(measurement: Measurement)
  case Failed(reason: String)

  def line: String = this match
    case Opened(day)      => s"${ChildMessage.Mark}opened\t$day"
    case Recorded(trades) => s"${ChildMessage.Mark}recorded\t$trades"
    case Weighing         => s"${ChildMessage.Mark}weighing"
    case Failed(reason)   => s"${ChildMessage.Mark}failed\t${reason.linesIterator.mkString("; ")}"
    case Done(m) =>
      val figures =
        Seq(m.bytesPerTrade, m.peakHeapBytes, m.peakResidentBytes.getOrElse(-1L), m.hugePages)
      val days = ChildMessage.ofDay(m.first) ++ ChildMessage.ofDay(m.second)
      (Seq(s"${ChildMessage.Mark}done", m.startNanos) ++ days ++ figures).mkString("\t")
end ChildMessage

object ChildMessage:

  /** Begins every word, so that no line of the JVM's own is taken for one. */
  private val Mark = "exchange\t"

  def of(line: String): Option[ChildMessage] =
    Option.when(line.startsWith(Mark))(line.drop(Mark.length).split("\t").nn.toList.map(_.nn)).map:
      case List("opened", day)      => Opened(day.toInt)
      case List("recorded", trades) => Recorded(trades.toLong)
      case List("weighing")         => Weighing
      case "failed" :: reason       => Failed(reason.mkString("\t"))
      case "done" :: figures        => Done(measurement(figures))
      case fields                   => throw IllegalArgumentException(s"$fields is not a message")

  private def ofDay(day: Day): Seq[Any] =
    Seq(day.balance, day.recordNanos, day.balanceNanos, day.totalNanos)

  private def measurement(figures: List[String]): Measurement =
    def day(at: Int) =
      val Seq(record, balance, total) = figures.slice(at + 1, at + 4).map(_.toLong): @unchecked
      Day(BigInt(figures(at)), record, balance, total)
    val resident = figures(11).toLong
    Measurement(
      figures(0).toLong,
      day(1),
      day(5),
      figures(9).toDouble,
      figures(10).toLong,
      Option.when(resident >= 0)(resident),
      figures(12)
    )
end ChildMessage
