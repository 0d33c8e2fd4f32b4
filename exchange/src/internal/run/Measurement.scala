package undercroft.exchange
package internal.run

import internal.storage.Storage

/** The measurements that a storage's JVM made of itself over both days.
  *
  * @param startNanos
  *   time of a day of one trade before the others: the JVM loads classes and makes its first native
  *   call
  */
final case class Measurement(
    startNanos: Long,
    first: Day,
    second: Day,
    bytesPerTrade: Double,
    peakHeapBytes: Long,
    peakResidentBytes: Option[Long], // None where the system does not tell
    hugePages: String // the pages requested by Undercroft, and the pages that the system offers
):
  /** Time from the first use of the storage to the end of its first day. */
  def firstDayNanos: Long = startNanos + first.totalNanos

/** A storage's line in the table: its measurement over days of `trades` trades, or the reason why
  * it has none.
  */
final case class StorageRow(
    storage: Storage,
    trades: Long,
    outcome: Either[String, Measurement],
    pauses: Pauses
):
  def measured: Option[Measurement] = outcome.toOption
  def reason: Option[String] = outcome.left.toOption
  def dayBalance: Option[BigInt] = measured.map(_.second.balance)

  /** The most of the heap that was in use: at the start of a pause or between two parts of a day.
    */
  def peakHeapBytes: Long =
    math.max(measured.fold(0L)(_.peakHeapBytes), pauses.peakHeapBytes)
