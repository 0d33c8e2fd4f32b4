package undercroft.buffer

import internal.codec.Bounds

/** An error of a buffer or an output; its message contains every value involved. */
sealed abstract class BufferException(message: String) extends RuntimeException(message)

/** Use of a closed object. An IOException, because callers of streams expect that. */
final class ClosedException(val resource: String)
    extends java.io.IOException(s"$resource is closed")

/** More bytes were requested than the target can hold. */
final class TooLargeException(val resource: String, val bytes: Long, val limitBytes: Long)
    extends BufferException(
      s"${Bounds.bytes(bytes)} ${if bytes == 1 then "exceeds" else "exceed"} " +
        s"the ${Bounds.bytes(limitBytes)} of $resource"
    )

/** Bytes in several extents were requested as one segment. */
final class NotContiguousException(val bytes: Long, val extents: Int)
    extends BufferException(
      s"$bytes bytes are in $extents extents: no contiguous address space was available"
    )

/** A segment was recycled twice. */
final class DoubleRecycleException(val pool: String)
    extends BufferException(s"a segment of $pool was recycled twice")

/** A segment was written after it was recycled. */
final class WriteAfterRecycleException(val pool: String, val offset: Int)
    extends BufferException(s"offset $offset of a segment of $pool was written after its recycling")

/** Segments that should have been recycled are still outstanding. */
final class SegmentLeakException(val pool: String, val segments: Long, val site: List[String])
    extends BufferException(
      (if segments == 1 then s"1 segment of $pool was" else s"$segments segments of $pool were") +
        " not recycled" +
        (if site.isEmpty then "" else site.mkString("; one was taken at\n  ", "\n  ", ""))
    )

/** A source or a sink took longer than its [[Timeout]] allows. */
final class TimedOutException(val limit: String)
    extends java.io.InterruptedIOException(s"$limit has passed")

/** The input ended before the requested bytes; nothing was consumed.
  *
  * @param position
  *   number of bytes that were read before
  * @param available
  *   number of remaining bytes
  */
final class EndOfInputException(val expected: String, val position: Long, val available: Long)
    extends java.io.EOFException(
      s"expected $expected at position $position, but only ${Bounds.bytes(available)} " +
        (if available == 1 then "follows" else "follow")
    )

/** The input has the wrong format; nothing was consumed. */
final class MalformedInputException(val expected: String, val found: String, val position: Long)
    extends java.io.IOException(s"expected $expected at position $position, but found $found")
