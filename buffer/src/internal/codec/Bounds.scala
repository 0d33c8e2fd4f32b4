package undercroft.buffer
package internal.codec

/** The texts of errors of offsets and byte counts. */
private[buffer] object Bounds:

  /** The error of a range of `count` bytes from `offset` on that is not in `[0, size)`; `name` is
    * the name of the offset's parameter. A negative offset is reported with the allowed offsets.
    */
  def outside(name: String, offset: Long, count: Long, size: Long): IndexOutOfBoundsException =
    IndexOutOfBoundsException(
      if offset >= 0 then s"$name $offset + $count exceeds size $size"
      else negative(name, offset, count, size)
    )

  /** The text for a negative offset of `count` bytes. */
  def negative(name: String, offset: Long, count: Long, size: Long): String =
    if count <= size then s"$name $offset is negative; allowed: 0 to ${size - count}"
    else s"$name $offset is negative, and a count of $count exceeds size $size"

  /** A number of bytes with its noun. */
  def bytes(count: Long): String = if count == 1 then "1 byte" else s"$count bytes"
