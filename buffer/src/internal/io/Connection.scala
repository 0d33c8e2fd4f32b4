package undercroft.buffer
package internal.io

import java.io.IOException
import java.net.{Socket, SocketException}
import java.nio.channels.{NotYetConnectedException, SocketChannel}
import java.util.WeakHashMap
import javax.net.ssl.SSLSocket

/** A socket whose input and output are closed one by one: a closed source shuts down the input, a
  * closed sink the output, and the socket is closed when both are. Thread-safe.
  *
  * TLS cannot close only the input, so a TLS socket keeps it, unread. Before TLS 1.3, or before the
  * first byte was sent or received, it cannot close only the output either: a closed sink closes
  * the socket.
  */
private[buffer] final class Connection(socket: Socket | SocketChannel):
  import Connection.*
  import Direction.*
  private val state = stateOf(socket)

  /** Records that bytes were sent or received: a TLS handshake is complete. */
  def establish(): Unit = if !state.isEstablished then state.isEstablished = true

  /** Whether a close or a late call has closed the socket, although the other direction was open.
    */
  def isClosedEarly: Boolean = state.isClosedEarly

  /** Ends the input, and a read that waits for it. */
  def closeInput(isReading: Boolean): Unit = socket match
    case tls: SSLSocket =>
      if state.close(Input) then tls.close()
      else if isReading then abort(tls, ReadLingerSeconds) // nothing else ends its wait
    case tcp: Socket            => closeHalf(Input)(tcp.shutdownInput())
    case channel: SocketChannel => closeHalf(Input)(channel.shutdownInput(): Unit)

  /** Ends the output after the bytes that were written, and a write that waits. */
  def closeOutput(isWriting: Boolean): Unit = socket match
    case tls: SSLSocket =>
      if isWriting then abort(tls, WriteLingerSeconds)
      else if state.isEstablished && tls.getSession.getProtocol == "TLSv1.3" then
        closeHalf(Output)(tls.shutdownOutput())
      else
        state.isClosedEarly = true
        tls.close()
    case tcp: Socket            => closeHalf(Output)(tcp.shutdownOutput())
    case channel: SocketChannel => closeHalf(Output)(channel.shutdownOutput(): Unit)

  /** Closes the socket because a read takes too long. */
  def abortRead(): Unit = abort(ReadLingerSeconds)

  /** Closes the socket because a write takes too long. */
  def abortWrite(): Unit = abort(WriteLingerSeconds)

  private def abort(lingerSeconds: Int): Unit = socket match
    case tls: SSLSocket => abort(tls, lingerSeconds)
    case other          => other.close()

  /** A close of a TLS socket waits for a write, without a limit unless SO_LINGER is set. */
  private def abort(tls: SSLSocket, lingerSeconds: Int): Unit =
    state.isClosedEarly = true
    try tls.setSoLinger(true, lingerSeconds)
    catch case _: SocketException => () // it is closed
    tls.close()

  /** If the peer has reset the connection, or if there is none yet, nothing can be shut down. */
  private def closeHalf(direction: Direction)(shutdown: => Unit): Unit =
    val isLast = state.close(direction)
    val isShutdown =
      try
        shutdown
        true
      catch
        case _: (IOException | UnsupportedOperationException | NotYetConnectedException) => false
    if isLast || !isShutdown then socket.close()
end Connection

private[buffer] object Connection:
  private enum Direction derives CanEqual:
    case Input, Output

  /** Seconds in which a socket whose read is ended sends the rest of its output. */
  private val ReadLingerSeconds = 1

  /** A socket whose write is ended discards the rest of its output. */
  private val WriteLingerSeconds = 0

  /** The state that all sources and sinks of a socket share. */
  private final class State:
    @volatile var isEstablished = false
    @volatile var isClosedEarly = false
    private var closed = Set.empty[Direction]

    /** Records a close; returns whether both directions are closed. */
    def close(direction: Direction): Boolean = synchronized:
      closed += direction
      closed.size == 2

  /** The states of the sockets that the program can still reach. */
  private val states = WeakHashMap[Socket | SocketChannel, State]()

  private def stateOf(socket: Socket | SocketChannel): State = states.synchronized:
    states.computeIfAbsent(socket, _ => State()).nn
end Connection
