package undercroft.arrow
package internal.exchange

import internal.ipc.BufferPlan

/** The string views of an `ArrowArray` as strings with offsets. Up to 12 bytes are stored in the
  * view, longer strings in one of several buffers, whose sizes are in the last buffer.
  */
private[arrow] final class ImportedViews(
    array: Long,
    views: Long,
    start: Long,
    count: Long,
    path: String
):
  import CStructs.*
  import ImportedBatch.{buffer, corrupt, put}
  import ImportedViews.*

  private val bufferCount = long(array + Array.BufferCount) - Fixed
  private val sizes = buffer(array, Fixed - 1 + bufferCount)
  if bufferCount > 0 && sizes == 0 then
    throw corrupt(s"the sizes of the $bufferCount buffers of `$path` are a null pointer")

  private val validity = buffer(array, 0)
  private val isNullable = validity != 0 && long(array + Array.NullCount) != 0

  private def view(i: Long): Long = views + (start + i) * ViewBytes

  /** The length of string `i`; of a null, 0. */
  private def length(i: Long): Int =
    if isNullable && !isSet(validity, start + i) then 0
    else
      val size = int(view(i))
      if size < 0 then throw corrupt(s"a string of `$path` has $size bytes")
      size

  /** The address of the bytes of string `i`, which has `size` bytes. */
  private def address(i: Long, size: Int): Long =
    if size <= Inlined then view(i) + 4
    else
      val (number, at) = (int(view(i) + 8), int(view(i) + 12))
      if number < 0 || number >= bufferCount then
        throw corrupt(
          s"a string of `$path` is in buffer $number, but there are $bufferCount buffers"
        )
      val bytes = long(sizes + 8L * number)
      if at < 0 || at.toLong + size > bytes then
        throw corrupt(
          s"a string of $size bytes at $at is outside buffer $number of `$path`, which has $bytes"
        )
      buffer(array, 2 + number) + at

  def offsets: BufferPlan =
    BufferPlan(
      (count + 1) * 8,
      output =>
        var end = 0L
        put(output, end, 8)
        for i <- 0L until count do
          end += length(i)
          put(output, end, 8)
    )

  def content: BufferPlan =
    var total = 0L
    for i <- 0L until count do total += length(i)
    BufferPlan(
      total,
      output =>
        for i <- 0L until count do
          val size = length(i)
          if size > 0 then output.put(bytes(address(i, size), size), 0, 1, 1, size)
    )
end ImportedViews

private[arrow] object ImportedViews:
  /** The bitmap, the views, and the sizes of the other buffers. */
  private inline val Fixed = 3
  private inline val ViewBytes = 16
  private inline val Inlined = 12
end ImportedViews
