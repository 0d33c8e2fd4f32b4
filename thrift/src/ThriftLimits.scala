package undercroft.thrift

import org.apache.thrift.TConfiguration

/** Limits on messages that are read or written. Exceeding one throws [[MessageTransportException]]
  * or [[MessageProtocolException]] with the position. A writer checks `messageBytes` at the end of
  * a message: of the outermost struct, and of a frame.
  *
  * libthrift limits messages and frames by Ints. Undercroft's transports count bytes as Longs and
  * do not use libthrift's limits; [[configuration]] is for code that requests them.
  *
  * {{{
  * val limits = ThriftLimits(messageBytes = 1 << 20, elements = 10_000, depth = 16)
  * println(limits.stringBytes) // 2147483639
  * }}}
  *
  * @param messageBytes
  *   the most bytes of a message; libthrift's limit is 2 GiB, and 100 MB by default
  * @param stringBytes
  *   the most bytes of a string or a binary, at most the size of an array
  * @param elements
  *   the most elements of a list, a set or a map; of one that is read also limited by the remaining
  *   bytes
  * @param depth
  *   the deepest nesting of structs and containers, both counted; each level uses stack space
  */
final case class ThriftLimits(
    messageBytes: Long = 64L << 30,
    stringBytes: Int = Int.MaxValue - 8,
    elements: Int = Int.MaxValue,
    depth: Int = 64
) derives CanEqual:
  for (name, limit) <- productElementNames.zip(productIterator.map(_.toString.toLong)) do
    if limit < 1 then
      throw IllegalArgumentException(s"$name must be at least 1, but is $limit")

  /** These limits as a TConfiguration; values beyond an Int become the largest Int. */
  def configuration: TConfiguration =
    val maxBytes = Math.min(messageBytes, Int.MaxValue).toInt
    TConfiguration(maxBytes, maxBytes, depth)

object ThriftLimits:
  /** 64 GiB for a message, the maxima of Thrift and of arrays for its parts, and 64 levels. */
  val default: ThriftLimits = ThriftLimits()
