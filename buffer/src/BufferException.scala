package undercroft.buffer

/** An error of a buffer or an output; its message holds every value involved. */
sealed abstract class BufferException(message: String) extends RuntimeException(message)

/** Something was used after it was closed. */
final class ClosedException(val what: String) extends BufferException(s"$what is closed")

/** More bytes were asked for than their target can hold. */
final class TooLargeException(val what: String, val bytes: Long, val limitBytes: Long)
    extends BufferException(s"$bytes bytes exceed the $limitBytes bytes of $what")

/** Bytes that lie in several extents were asked for as one. */
final class NotContiguousException(val bytes: Long, val extents: Int)
    extends BufferException(
      s"$bytes bytes lie in $extents extents, because no address space for all of them was left"
    )

/** A segment was recycled twice. */
final class RecycledException(val pool: String)
    extends BufferException(s"a segment of $pool was recycled twice")

/** Somebody wrote to a segment after it was recycled. */
final class WrittenAfterRecycleException(val pool: String, val offset: Int)
    extends BufferException(s"offset $offset of a segment of $pool was written after its recycling")

/** Segments are still out that should have come home. */
final class NotHomeException(val pool: String, val segments: Long, val site: List[String])
    extends BufferException(
      s"$segments segments of $pool are not home" +
        (if site.isEmpty then "" else site.mkString("; one was taken at\n  ", "\n  ", ""))
    )

/** A source or a sink took longer than its [[Timeout]] allows. */
final class TimedOutException(val limit: String)
    extends java.io.InterruptedIOException(s"$limit has passed")

/** The input ends before what was to be read; nothing of it is consumed.
  *
  * @param position
  *   bytes read from the buffer before
  * @param available
  *   bytes that follow
  */
final class EndOfInputException(val expected: String, val position: Long, val available: Long)
    extends java.io.EOFException(
      s"expected $expected at position $position, but only $available bytes follow"
    )

/** The input is not what was to be read; nothing of it is consumed. */
final class MalformedInputException(val expected: String, val found: String, val position: Long)
    extends java.io.IOException(s"expected $expected at position $position, but found $found")
