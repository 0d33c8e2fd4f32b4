package undercroft.actor
package persistence
package internal.journal

import internal.log.{LogPosition, RecordLog}
import scala.collection.mutable

/** Counts the records of each segment that a recovery may need, and deletes the segments without
  * any. Owner of the log only.
  */
private[persistence] final class LiveRecords(log: RecordLog[?]):
  private val counts = mutable.HashMap[Int, Long]()

  def add(position: Long): Unit =
    val number = LogPosition.segment(position)
    counts(number) = counts.getOrElse(number, 0L) + 1

  /** A record is not needed any more. */
  def remove(position: Long): Unit =
    val number = LogPosition.segment(position)
    for count <- counts.get(number) do counts(number) = count - 1

  /** Deletes the segments without live records, except the newest one. */
  def deleteUnused(): Unit =
    val newest = log.newest
    for segment <- log.all do
      val number = segment.number
      if number != newest && counts.getOrElse(number, 0L) <= 0 then
        log.delete(number)
        counts.remove(number): Unit
end LiveRecords
