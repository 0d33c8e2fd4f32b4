package undercroft.buffer

import internal.io.{Connection, IdleClock}
import java.net.Socket
import scala.concurrent.duration.FiniteDuration

/** The source and the sink of a socket with one idle limit for both directions: a read that waits
  * throws a [[TimedOutException]] if neither direction has passed a byte for `limit`. The socket
  * stays open, and no byte is lost: the caller may send a message and read again, which waits for
  * the limit once more.
  *
  * A write that waits for the peer cannot be ended without closing the socket; the read of another
  * thread throws then, as bytes pass in neither direction. The timeouts of `source` and `sink`
  * close the socket, as those of `socket.source()`. It sets the socket's `soTimeout`. The source
  * and the sink are for one thread at a time each. Each read costs one system call more.
  *
  * {{{
  * import java.net.{ServerSocket, Socket}
  * import scala.concurrent.duration.DurationInt
  * val server = ServerSocket(0)
  * val (client, peer) = (Socket("localhost", server.getLocalPort), server.accept())
  * val idle = IdleSocket(client, limit = 20.millis)
  * val (input, output) = (idle.source.buffered, idle.sink.buffered)
  * try println(input.readByte())
  * catch case _: TimedOutException => output.writeUtf8("are you there?\n").flush()
  * println(peer.source().buffered.readUtf8Line()) // are you there?
  * for closeable <- List(client, peer, server) do closeable.close()
  * }}}
  *
  * @param limit
  *   at least 1 ms, at most about 24 days; rounded up to milliseconds
  * @throws java.lang.IllegalArgumentException
  *   if `limit` is outside of this range
  */
final class IdleSocket(socket: Socket, val limit: FiniteDuration):
  private val clock = IdleClock(socket, limit)

  /** The socket's source, with the idle limit. */
  val source: Source =
    val stream = socket.getInputStream
    socketSource(
      Connection(socket),
      InputStreamSource(() => stream.close())((bytes, from, count) =>
        clock.read(stream, bytes, from, count)
      )
    )

  /** The socket's sink, whose writes are activity. */
  val sink: Sink =
    val stream = socket.getOutputStream
    socketSink(
      Connection(socket),
      OutputStreamSink(() => stream.flush(), () => stream.close()): (bytes, from, count) =>
        stream.write(bytes, from, count)
        clock.active()
    )
end IdleSocket
