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

  /** Deletes segments. Those that cannot be deleted remain unused, and the first failure is thrown
    * after the others were deleted.
    */
  def delete(numbers: List[Int]): Unit =
    var failure: Throwable | Null = null
    for number <- numbers do
      try
        log.delete(number)
        counts.remove(number): Unit
      catch case error: Throwable => if failure == null then failure = error
    val first = failure
    if first != null then throw first
end LiveRecords
