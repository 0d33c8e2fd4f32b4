package undercroft.thrift

import java.io.{EOFException, IOException}
import java.lang.foreign.MemorySegment
import java.net.SocketTimeoutException
import org.apache.thrift.transport.TTransportException
import undercroft.buffer.{Buffer, BufferedSink, BufferedSource}

/** A transport over a source and a sink, for libthrift's clients and servers over sockets with
  * timeouts. A read waits for its bytes, and of a framed transport for the whole frame, within the
  * source's timeout; written bytes are sent by `flush`.
  *
  * An IOException becomes a [[MessageTransportException]] with the cause: of type TIMED_OUT after a
  * timeout, END_OF_FILE at the end of the input, otherwise UNKNOWN. Memory is allocated for bytes
  * that have arrived only. `peek` waits for a byte. Closing it closes the sink and the source. For
  * one thread at a time.
  *
  * {{{
  * import org.apache.thrift.TApplicationException
  * import undercroft.buffer.{Pipe, buffered}
  * import undercroft.thrift.{BinaryProtocol, TStreamTransport}
  * val pipe = Pipe(maxBytes = 1024) // as a socket whose peer is this program
  * val transport = TStreamTransport(pipe.source.buffered, pipe.sink.buffered, framed = true)
  * TApplicationException(6, "no such user").write(BinaryProtocol(transport))
  * transport.flush()
  * val reply = TApplicationException()
  * reply.read(BinaryProtocol(transport))
  * println(reply.getMessage) // no such user
  * transport.close()
  * }}}
  *
  * @param framed
  *   whether each message is preceded by its size in four bytes
  */
final class TStreamTransport(
    source: BufferedSource,
    sink: BufferedSink,
    framed: Boolean = false,
    limits: ThriftLimits = ThriftLimits.default
) extends TBytesTransport(limits):
  private val input = source.buffer
  private val frame = Buffer()
  private val target = if framed then frame else sink
  private val start = input.position
  private var sent = 0L
  private var isUsable = true

  // The input position at which the message ends, because of its frame or its limit.
  private var until = 0L
  beginMessage()

  def position: Long = input.position - start
  private[thrift] def isFramed: Boolean = framed
  private[thrift] def rest: Long = until - input.position
  private[thrift] def written: Long = sent

  /** The bytes that can be read without a wait. */
  override def remaining: Long =
    if framed then super.remaining else Math.min(rest, input.size)

  override private[thrift] def nextSize: Long =
    if !framed || input.position < until then TBytesTransport.NoSize
    else TBytesTransport.sizeOf(input)

  override private[thrift] def arrived: Long = input.size - 4

  private[thrift] def beginMessage(): Unit =
    leave()
    until =
      if framed then Math.max(until, input.position)
      else input.position + limits.messageBytes

  private[thrift] def endFrame(): Unit = if framed && rest > 0 then input.skip(rest)

  private[thrift] def lacking(count: Long): MessageTransportException =
    if framed then ended(count) else tooLong()

  /** Waits for bytes of the message, so that memory for them is allocated after they arrived. */
  override private[thrift] def ensure(count: Long): Unit =
    if count > rest then throw lacking(count)
    await(count)

  private def need(count: Long): Unit =
    if count > rest then more(count)
    await(count)

  private def more(count: Long): Unit =
    if framed && mayBegin && input.position >= until then
      await(4)
      if !hasWholeFrame then await(4 + nextSize)
      val size = input.readInt()
      checkFrame(size)
      until = input.position + size
      begun()
    if count > rest then throw lacking(count)

  private def await(count: Long): Unit =
    if input.size < count then
      if !receiving(source.request(count)) then
        throw MessageTransportException(
          TTransportException.END_OF_FILE,
          s"expected $count bytes, but only ${input.size} arrived before the end",
          position
        )

  private[thrift] def readI8(): Int =
    need(1)
    input.readByte()

  private[thrift] def readI16(): Int =
    need(2)
    input.readShort()

  private[thrift] def readI32(): Int =
    need(4)
    input.readInt()

  private[thrift] def readI64(): Long =
    need(8)
    input.readLong()

  private[thrift] def readUtf8(count: Int): String =
    need(count)
    input.readUtf8(count)

  private[thrift] def skip(count: Long): Unit =
    if count > rest then more(count)
    receiving(source.skip(count))

  /** Reads up to `count` bytes of the message, and waits for the first; returns 0 at the end of a
    * frame, -1 at the end of the input.
    */
  override def read(bytes: Array[Byte], from: Int, count: Int): Int =
    java.util.Objects.checkFromIndexSize(from, count, bytes.length): Unit
    if count == 0 then 0
    else if receiving(source.exhausted) then -1
    else
      if framed && mayBegin && input.position >= until then more(1)
      val length = Math.min(Math.min(count, rest), input.size).toInt
      input.readFully(MemorySegment.ofArray(bytes).asSlice(from, length))
      length

  override def readAll(bytes: Array[Byte], from: Int, count: Int): Int =
    need(count)
    super.readAll(bytes, from, count)

  override def peek(): Boolean = isUsable && !receiving(source.exhausted)

  override def write(bytes: Array[Byte], from: Int, count: Int): Unit =
    sending(count)(target.write(bytes, from, count): Unit)

  private[thrift] def writeI8(value: Int): Unit = sending(1)(target.writeByte(value): Unit)
  private[thrift] def writeI16(value: Int): Unit = sending(2)(target.writeShort(value): Unit)
  private[thrift] def writeI32(value: Int): Unit = sending(4)(target.writeInt(value): Unit)
  private[thrift] def writeI64(value: Long): Unit = sending(8)(target.writeLong(value): Unit)

  private[thrift] def writeUtf8(text: String): Unit =
    val bytes = Utf8Size.of(text)
    checkString(bytes)
    sending(4 + bytes)(target.writeInt(bytes.toInt).writeUtf8(text): Unit)

  /** Sends the bytes written since the last flush, as a frame if the transport is framed. */
  override def flush(): Unit = sending(0):
    if framed && !frame.isEmpty then
      sink.writeInt(frameOf(frame.size)): Unit
      sink.write(frame, frame.size)
    sink.flush()

  /** Discards the bytes of a frame written since the last flush, for example of a message that
    * failed while it was written. Without frames a part may have been sent.
    */
  def discardPending(): Unit = frame.clear()

  override def isOpen: Boolean = isUsable

  override def close(): Unit =
    isUsable = false
    frame.clear()
    sending(0):
      try sink.close()
      finally source.close()

  private inline def receiving[A](inline call: A): A =
    try call
    catch case e: IOException => throw failed(e)

  private inline def sending(bytes: Long)(inline call: Unit): Unit =
    try call
    catch case e: IOException => throw failed(e)
    sent += bytes

  private def failed(error: IOException): MessageTransportException =
    val kind = error match
      case _: SocketTimeoutException => TTransportException.TIMED_OUT
      case _: EOFException           => TTransportException.END_OF_FILE
      case _                         => TTransportException.UNKNOWN
    MessageTransportException(kind, String.valueOf(error.getMessage), position, error)
end TStreamTransport
