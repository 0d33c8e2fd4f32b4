package undercroft.buffer
package internal.io

import java.io.IOException
import java.net.SocketException
import java.util.concurrent.locks.LockSupport

/** The input of a socket. Its close, by any thread, ends a read that waits. */
private[buffer] final class SocketSource(connection: Connection, source: Source) extends Source:
  @volatile private var open = true
  @volatile private var isReading = false

  override def timeout: Timeout = source.timeout

  def read(sink: Buffer, byteCount: Long): Long =
    isReading = true // before the check: a close sees this read, or the read sees the close
    try
      checkOpen()
      val count =
        try source.read(sink, byteCount)
        catch
          case error: IOException if !open => throw closed.initCause(error)
          case ClosedByInterrupt(error)    => throw Interrupts.whileWaiting(error)
      if count > 0 then connection.establish()
      else if count == -1 then // TLS reports an end of the input even if this side has ended it
        checkOpen()
        if connection.isClosedEarly then throw ClosedException("the socket")
      count
    finally isReading = false

  def close(): Unit =
    if open then
      open = false
      connection.closeInput(isReading)

  private def checkOpen(): Unit = if !open then throw closed
  private def closed = ClosedException("the socket's source")
end SocketSource

/** The output of a socket. Its close, by any thread, ends a write that waits. */
private[buffer] final class SocketSink(connection: Connection, sink: Sink) extends Sink:
  @volatile private var open = true
  @volatile private var writer: Thread | Null = null

  override def timeout: Timeout = sink.timeout

  def write(source: Buffer, byteCount: Long): Unit = whileOpen:
    sink.write(source, byteCount)
    if byteCount > 0 then connection.establish() // without bytes, TLS does no handshake

  def flush(): Unit = whileOpen(sink.flush())

  private inline def whileOpen(inline call: Unit): Unit =
    writer = Thread.currentThread // before the check: a close sees this call, or the call the close
    try
      if !open then throw closed
      try call
      catch
        case error: IOException if !open => throw closed.initCause(error)
        case ClosedByInterrupt(error)    => throw Interrupts.whileWaiting(error)
    finally writer = null

  def close(): Unit =
    if open then
      open = false
      val waiting = writer
      connection.closeOutput(isWriting = waiting != null)
      // The JDK misses a virtual thread that is about to wait: when it does, it shall try again.
      if waiting != null then LockSupport.unpark(waiting)

  private def closed = ClosedException("the socket's sink")
end SocketSink

/** An interrupt of a virtual thread that waits for a Socket closes the socket. */
private object ClosedByInterrupt:
  def unapply(error: SocketException): Option[SocketException] =
    val thread = Thread.currentThread
    Option.when(thread.isVirtual && thread.isInterrupted)(error)
