package undercroft.exchange

/** The measurements that a storage's JVM made of itself over both days. */
final case class Measurement(
    first: Day,
    second: Day,
    bytesPerTrade: Double,
    peakHeapBytes: Long,
    peakResidentBytes: Option[Long], // None where the system does not tell
    hugePages: String // the pages requested by Undercroft, and the pages that the system offers
)

/** A storage's line in the table: its measurement, or the reason why it has none. */
final case class StorageRow(storage: Storage, outcome: Either[String, Measurement], pauses: Pauses):
  def measured: Option[Measurement] = outcome.toOption
  def reason: Option[String] = outcome.left.toOption
  def dayBalance: Option[BigInt] = measured.map(_.second.balance)

  /** The most of the heap that was in use: at the start of a pause or between two parts of a day.
    */
  def peakHeapBytes: Long =
    math.max(measured.fold(0L)(_.peakHeapBytes), pauses.peakHeapBytes)
