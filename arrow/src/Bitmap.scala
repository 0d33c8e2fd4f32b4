package undercroft.arrow

/** What of a field is there, a bit a row; everything, if there is no bitmap. */
private[arrow] final class Bitmap private (input: Input, buffer: Option[Extent]):

  /** Whether something may be missing. */
  def isPartial: Boolean = buffer.isDefined

  /** Where it is in the file. */
  def at: Long = buffer.fold(0L)(_.at)

  /** What of a chunk is there, of that whose surroundings are. */
  def of(chunk: Chunk, around: Array[Boolean]): Array[Boolean] =
    buffer.fold(around): extent =>
      val bits = new Array[Byte](chunk.count)
      Bitmap.unpack(input, extent, chunk.from, bits)
      Array.tabulate(chunk.count)(i => around(i) && bits(i) != 0)
end Bitmap

private[arrow] object Bitmap:
  def of(input: Input, field: Located): Bitmap = Bitmap(input, field.validity)

  /** Reads a bit for each byte of `into`, which becomes 0 or 1, from bit `from` on. */
  def unpack(input: Input, buffer: Extent, from: Long, into: Array[Byte]): Unit =
    if into.length > 0 then
      val first = from / 8
      val last = (from + into.length - 1) / 8
      val bytes = input.bytes(buffer.at + first, (last - first + 1).toInt)
      for i <- into.indices do
        val bit = (from + i - first * 8).toInt
        into(i) = (bytes(bit / 8) >>> bit % 8 & 1).toByte
end Bitmap
