package undercroft.actor
package persistence
package internal.journal

import internal.log.{LogPosition, RecordLog}
import scala.collection.mutable

/** Counts the records of each segment that a recovery may need. Owner of the log only. */
private[persistence] final class LiveRecords(log: RecordLog[?]):
  private val counts = mutable.HashMap[Int, Long]()

  def add(position: Long): Unit =
    val number = LogPosition.segment(position)
    counts(number) = counts.getOrElse(number, 0L) + 1

  /** A record is not needed any more. */
  def remove(position: Long): Unit =
    val number = LogPosition.segment(position)
    for count <- counts.get(number) do counts(number) = count - 1

  /** The numbers of the segments without live records, except the newest one. */
  def unused: List[Int] =
    val newest = log.newest
    log.all.map(_.number).filter(number => number != newest && counts.getOrElse(number, 0L) <= 0)

  /** Deletes segments. */
  def delete(numbers: List[Int]): Unit =
    for number <- numbers do
      log.delete(number)
      counts.remove(number): Unit
end LiveRecords
