package undercroft.thrift

import org.apache.thrift.TConfiguration

/** What a message may hold that is read. Beyond one of them it is a [[MessageTransportException]]
  * or a [[MessageProtocolException]] with the position.
  *
  * libthrift counts messages and frames by Ints, of which Undercroft's transports use none: they
  * count by Longs, and answer [[configuration]] to what asks for libthrift's.
  *
  * @param messageBytes
  *   bytes of a message: libthrift's own ends at 2 GiB, and by default at 100 MB
  * @param stringBytes
  *   bytes of a string or a binary, no more than an array holds; and of a string that is written
  * @param elements
  *   elements of a list, a set or a map; whatever this says, there are never more than the bytes
  *   that follow can hold
  * @param depth
  *   structs and containers within one another: each takes a part of the thread's stack
  */
final case class ThriftLimits(
    messageBytes: Long = 64L << 30,
    stringBytes: Int = Int.MaxValue - 8,
    elements: Int = Int.MaxValue,
    depth: Int = 64
) derives CanEqual:
  for (name, limit) <- productElementNames.zip(productIterator.map(_.toString.toLong)) do
    if limit < 1 then throw IllegalArgumentException(s"a limit of $limit for $name")

  /** These limits as libthrift has them: what exceeds its Ints is the largest Int. */
  def configuration: TConfiguration =
    val most = Math.min(messageBytes, Int.MaxValue).toInt
    TConfiguration(most, most, depth)

object ThriftLimits:
  /** 64 GiB for a message, what Thrift and arrays can hold within it, 64 levels. */
  val default: ThriftLimits = ThriftLimits()
