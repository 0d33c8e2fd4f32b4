package undercroft.actor
package persistence
package internal.log

import java.nio.{ByteBuffer, ByteOrder}
import java.util.zip.CRC32C
import scala.collection.immutable.SortedSet

/** The numbers of the segments of events that a folder must have, as bytes.
  *
  * {{{
  *   0 newest: Long   8 check   12 count   16 ranges, each with its first and last number   check
  * }}}
  *
  * `newest` is the largest number, or 0. A check is the CRC32C of the bytes before it; numbers and
  * checks without a type are Ints. An older record ends at 12: of its segments only the newest one
  * is known.
  */
private[persistence] object SegmentRecord:
  private final val CountAt = 12
  private final val RangesAt = 16
  private final val RangeBytes = 8
  private final val CheckBytes = 4

  def encode(numbers: SortedSet[Int]): ByteBuffer =
    val ranges = rangesOf(numbers)
    val bytes = buffer(RangesAt + ranges.size * RangeBytes + CheckBytes)
    bytes.putLong(numbers.lastOption.fold(0L)(_.toLong))
    bytes.putInt(checksum(bytes)).putInt(ranges.size)
    for (first, last) <- ranges do bytes.putInt(first).putInt(last)
    bytes.putInt(checksum(bytes)).flip()

  /** A record that was read.
    *
    * @param isWhole
    *   whether `numbers` are all numbers; if not, they are the newest number of a journal that did
    *   not record which segments it deleted, perhaps that one, too
    */
  final case class Decoded(numbers: SortedSet[Int], isWhole: Boolean):
    /** The numbers of the segments that are missing beside those that are present. */
    def missing(present: SortedSet[Int]): SortedSet[Int] =
      if isWhole then numbers -- present
      else numbers.filter(number => present.lastOption.forall(_ < number))

  /** The recorded numbers; none if the bytes are no record. */
  def decode(bytes: ByteBuffer): Decoded =
    bytes.order(ByteOrder.LITTLE_ENDIAN).rewind()
    val newest = if bytes.remaining < CountAt then 0L else bytes.getLong
    if newest <= 0 || !isChecked(bytes) then Decoded(SortedSet.empty, isWhole = false)
    else
      decodeRanges(bytes) match
        case Some(numbers) => Decoded(numbers, isWhole = true)
        case None          => Decoded(SortedSet(newest.toInt), isWhole = false)

  private def decodeRanges(bytes: ByteBuffer): Option[SortedSet[Int]] =
    val count = if bytes.remaining < CheckBytes then -1 else bytes.getInt
    if count < 0 || bytes.remaining < count.toLong * RangeBytes + CheckBytes then None
    else
      val ranges = Vector.fill(count)((bytes.getInt, bytes.getInt))
      if isChecked(bytes) then Some(SortedSet.from(ranges.iterator.flatMap(_ to _))) else None

  private def rangesOf(numbers: SortedSet[Int]): Vector[(Int, Int)] =
    numbers.foldLeft(Vector.empty[(Int, Int)]): (ranges, number) =>
      ranges.lastOption match
        case Some((first, last)) if last == number - 1 => ranges.init :+ (first, number)
        case _                                         => ranges :+ (number, number)

  def buffer(bytes: Int): ByteBuffer = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN)

  /** Whether the next Int is the checksum of all bytes before it. */
  private def isChecked(bytes: ByteBuffer): Boolean =
    val expected = checksum(bytes)
    bytes.getInt == expected

  private def checksum(bytes: ByteBuffer): Int =
    val crc = CRC32C()
    crc.update(bytes.array, 0, bytes.position)
    crc.getValue.toInt
end SegmentRecord
