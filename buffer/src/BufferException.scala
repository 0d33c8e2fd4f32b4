package undercroft.buffer

import internal.codec.Bounds

/** An error of a buffer or an output; its message contains every value involved.
  *
  * {{{
  * val out = ByteOutput(maxBytes = 4)
  * try out.writeLong(1)
  * catch case error: BufferException => println(error.getMessage)
  * finally out.close()
  * // 8 bytes exceed the 4 bytes of the byte output
  * }}}
  */
sealed abstract class BufferException(message: String) extends RuntimeException(message)

/** Use of a closed object. An IOException, because callers of streams expect that.
  *
  * {{{
  * import java.io.ByteArrayInputStream
  * val input = ByteArrayInputStream("abc".getBytes).source().buffered
  * input.close()
  * try println(input.readByte())
  * catch case error: ClosedException => println(error.resource) // the source
  * }}}
  */
final class ClosedException(val resource: String)
    extends java.io.IOException(s"$resource is closed")

/** More bytes were requested than the target can hold.
  *
  * {{{
  * import java.nio.ByteBuffer
  * try ByteBuffer.allocate(2).sink().write(Buffer().writeUtf8("abc"), 3)
  * catch case error: TooLargeException => println((error.bytes, error.limitBytes)) // (3,2)
  * }}}
  */
final class TooLargeException(val resource: String, val bytes: Long, val limitBytes: Long)
    extends BufferException(
      s"${Bounds.bytes(bytes)} ${if bytes == 1 then "exceeds" else "exceed"} " +
        s"the ${Bounds.bytes(limitBytes)} of $resource"
    )

/** Bytes in several extents were requested as one segment.
  *
  * {{{
  * def native(out: ByteOutput): List[Long] =
  *   try List(out.segment.address)
  *   catch case _: NotContiguousException => out.segments.map(_.address)
  * }}}
  */
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

/** Segments that should have been recycled are still outstanding.
  *
  * {{{
  * val pool = SegmentPool.lockFree(debug = true)
  * val buffer = Buffer(using pool).writeUtf8("hello") // not read and not cleared
  * try pool.assertNoLeaks()
  * catch case error: SegmentLeakException => println(error.segments) // 1
  * }}}
  */
final class SegmentLeakException(val pool: String, val segments: Long, val site: List[String])
    extends BufferException(
      (if segments == 1 then s"1 segment of $pool was" else s"$segments segments of $pool were") +
        " not recycled" +
        (if site.isEmpty then "" else site.mkString("; one was taken at\n  ", "\n  ", ""))
    )

/** A source or a sink took longer than its [[Timeout]] allows. A SocketTimeoutException, because
  * code that is written for sockets catches that.
  *
  * {{{
  * import scala.concurrent.duration.DurationInt
  * val pipe = Pipe(maxBytes = 1024)
  * pipe.source.timeout.timeout(1.millis)
  * try println(pipe.source.read(Buffer(), 1))
  * catch case error: TimedOutException => println(error.limit) // the timeout of 1 millisecond
  * }}}
  */
final class TimedOutException(val limit: String)
    extends java.net.SocketTimeoutException(s"$limit has passed")

/** A source, a sink or a channel made no progress: it returned no byte 100 times in a row, or left
  * bytes of a write that it must consume.
  *
  * {{{
  * final class Stub extends Sink:
  *   def write(source: Buffer, byteCount: Long): Unit = () // must consume the bytes
  *   def flush(): Unit = ()
  *   def close(): Unit = ()
  *
  * try println(Buffer().writeUtf8("abc").readAll(Stub()))
  * catch case error: NoProgressException => println("no progress") // no progress
  * }}}
  */
final class NoProgressException private[buffer] (problem: String)
    extends java.io.IOException(problem)

/** The input ended before the requested bytes; nothing was consumed.
  *
  * {{{
  * try println(Buffer().writeShort(1).readInt())
  * catch case error: EndOfInputException => println(error.available) // 2
  * }}}
  *
  * @param position
  *   number of bytes that were read before
  * @param available
  *   number of remaining bytes
  */
final class EndOfInputException private (
    val expected: String,
    val position: Long,
    val available: Long,
    found: String
) extends java.io.EOFException(s"expected $expected at position $position, but $found"):

  def this(expected: String, position: Long, available: Long) = this(
    expected,
    position,
    available,
    s"only ${Bounds.bytes(available)} ${if available == 1 then "follows" else "follow"}"
  )
end EndOfInputException

object EndOfInputException:
  /** A line has no end within the limit of its reader. */
  private[buffer] def longLine(limit: Long, position: Long, available: Long): EndOfInputException =
    val expected = s"the end of a line within ${Bounds.bytes(limit)}"
    new EndOfInputException(expected, position, available, "the line is longer")

/** The input has the wrong format; nothing was consumed.
  *
  * {{{
  * try println(Buffer().writeUtf8("price").readDecimalLong())
  * catch case error: MalformedInputException => println(error.found)
  * }}}
  */
final class MalformedInputException(val expected: String, val found: String, val position: Long)
    extends java.io.IOException(s"expected $expected at position $position, but found $found")
