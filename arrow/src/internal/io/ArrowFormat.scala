package undercroft.arrow
package internal.io

/** The constants of Arrow's file format, for reading and writing. */
private[arrow] object ArrowFormat:
  /** The most bytes of the metadata of a message without a continuation marker: more are taken for
    * a file of another format.
    */
  inline val MostUnmarkedBytes = 1 << 24

  /** The magic bytes at the start and at the end of a file. */
  val Magic: Array[Byte] = "ARROW1".getBytes("US-ASCII").nn

  /** Alignment of every buffer, in bytes. */
  inline val Alignment = 64

  /** The marker that precedes each message. */
  final val Continuation = -1

  /** A size in bytes, rounded up to a multiple of [[Alignment]]. */
  def padded(bytes: Long): Long = (bytes + Alignment - 1) / Alignment * Alignment
end ArrowFormat
