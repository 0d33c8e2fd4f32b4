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
