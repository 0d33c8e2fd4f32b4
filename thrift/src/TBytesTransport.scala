package undercroft.thrift

import org.apache.thrift.TConfiguration
import org.apache.thrift.protocol.TProtocolException
import org.apache.thrift.transport.{TTransport, TTransportException}
import undercroft.buffer.Buffer

/** A transport of bytes with Long sizes: in memory [[TBufferTransport]], [[TOutputTransport]] or
  * [[TSegmentTransport]], and [[TStreamTransport]] over a source and a sink.
  *
  * Every protocol of libthrift works on it. `getBuffer` is null, so protocols copy the bytes they
  * read, and the result of `readBinary` remains valid after segments are recycled, outputs reset or
  * native memory freed. [[BinaryProtocol]] reads and writes numbers and strings in place, which is
  * faster than the small arrays of libthrift's protocols.
  *
  * A framed transport reads the messages of a frame one after the other, as libthrift's
  * TFramedTransport: a message may follow another one in its frame, and never continues in the next
  * frame.
  *
  * A transport in memory is always open; `close` does not free the bytes. Not thread-safe. An
  * unexpected end throws [[MessageTransportException]] of type END_OF_FILE. So does a frame that
  * has not arrived as a whole: its size stays, and a later read begins it again.
  */
abstract class TBytesTransport private[thrift] (val limits: ThriftLimits) extends TTransport:
  // Cached, because generated code requests it for every struct.
  private val configuration = limits.configuration

  /** The number of bytes read since the transport was created or was given its bytes. */
  def position: Long

  /** The bytes that can be read before the end of the message or of the input. Between two framed
    * messages: the available bytes of the next frame, if its size has arrived.
    */
  def remaining: Long =
    val inMessage = rest
    if inMessage > 0 then inMessage
    else if nextSize == TBytesTransport.NoSize then 0
    else Math.min(Math.max(nextSize, 0), arrived)

  /** Whether a framed transport is between two frames and the whole next frame has arrived, or a
    * size that a read rejects. If not, a read would throw END_OF_FILE.
    *
    * {{{
    * import undercroft.buffer.Buffer
    * import undercroft.thrift.TBufferTransport
    * val received = Buffer().writeInt(2).writeByte(1)
    * val transport = TBufferTransport(received, framed = true)
    * println(transport.hasWholeFrame) // false
    * received.writeByte(2)
    * println(transport.hasWholeFrame) // true
    * }}}
    */
  def hasWholeFrame: Boolean =
    val size = nextSize
    size != TBytesTransport.NoSize && (size < 0 || size > limits.messageBytes || size <= arrived)

  /** The bytes that can be read before the end of the message. */
  private[thrift] def rest: Long

  /** Whether each message is preceded by its size. */
  private[thrift] def isFramed: Boolean

  // Whether a message or a struct is being read, which must end in the frame that it began in, and
  // whether a read at the end of a frame may begin the next one.
  private var isInside = false
  private[thrift] final var mayBegin = true

  /** Begins a struct outside of a message. Without frames, the limit on its size counts from here.
    */
  private[thrift] final def enterStruct(): Unit =
    if !isFramed then beginMessage()
    isInside = true
    mayBegin = rest == 0

  /** Continues a message after its header. */
  private[thrift] final def enterMessage(): Unit =
    isInside = true
    mayBegin = false

  private[thrift] final def leave(): Unit =
    isInside = false
    mayBegin = true

  /** Forgets the message that is read; if it has not ended, skips the rest of its frame. */
  private[thrift] final def reset(): Unit =
    if isInside then endFrame()
    leave()

  /** Skips the rest of a frame that was begun. */
  private[thrift] def endFrame(): Unit

  /** Records that a frame was begun. */
  private[thrift] final def begun(): Unit = mayBegin = !isInside

  /** The declared size of the next frame; `NoSize` inside of a frame, or if it has not arrived. */
  private[thrift] def nextSize: Long = TBytesTransport.NoSize

  /** The available bytes behind the size of the next frame. */
  private[thrift] def arrived: Long = 0

  /** The number of bytes written since the transport was created. */
  private[thrift] def written: Long

  /** Waits for bytes of a message; throws if it cannot have them. */
  private[thrift] def ensure(bytes: Long): Unit = if bytes > rest then throw lacking(bytes)

  /** Begins a message: the limit on its size counts from here. It may follow another message in the
    * same frame, as in libthrift's TFramedTransport.
    */
  private[thrift] def beginMessage(): Unit

  // Values of the binary protocol: big-endian integers, and strings.
  private[thrift] def readI8(): Int
  private[thrift] def readI16(): Int
  private[thrift] def readI32(): Int
  private[thrift] def readI64(): Long
  private[thrift] def readUtf8(bytes: Int): String
  private[thrift] def skip(bytes: Long): Unit
  private[thrift] def writeI8(value: Int): Unit
  private[thrift] def writeI16(value: Int): Unit
  private[thrift] def writeI32(value: Int): Unit
  private[thrift] def writeI64(value: Long): Unit

  /** Writes a string, preceded by its length in bytes. */
  private[thrift] def writeUtf8(text: String): Unit

  private[thrift] def ended(bytes: Long): MessageTransportException =
    MessageTransportException(
      TTransportException.END_OF_FILE,
      s"expected $bytes ${if bytes == 1 then "byte" else "bytes"}, but only $rest remain",
      position
    )

  /** The error if `bytes` bytes cannot be read: the input ends, or a limit is exceeded. */
  private[thrift] def lacking(bytes: Long): MessageTransportException

  private[thrift] def tooLong(): MessageTransportException =
    MessageTransportException(
      TTransportException.MESSAGE_SIZE_LIMIT,
      s"the message exceeds the limit of ${limits.messageBytes} bytes",
      position
    )

  /** The same as [[checkString]], for a text that is not encoded yet. */
  private[thrift] def checkText(text: String): Unit =
    // A char has at most three bytes in UTF-8.
    if text.length > limits.stringBytes / 3 then checkString(Utf8Size.of(text))

  /** Rejects a string or a binary that is too long to be read with the same limits. */
  private[thrift] def checkString(bytes: Long): Unit =
    if bytes > limits.stringBytes then
      throw MessageTransportException(
        TTransportException.MESSAGE_SIZE_LIMIT,
        s"a string of $bytes bytes exceeds the limit of ${limits.stringBytes}",
        position
      )

  /** Checks that the next frame has arrived, before its size is consumed. */
  private[thrift] def checkArrived(): Unit =
    if !hasWholeFrame then
      throw MessageTransportException(
        TTransportException.END_OF_FILE,
        s"expected a frame of $nextSize bytes, but only $arrived remain",
        position
      )

  /** Checks the size of a frame that was read. */
  private[thrift] def checkFrame(bytes: Int): Unit =
    if bytes < 0 then
      throw MessageTransportException(
        TTransportException.CORRUPTED_DATA,
        s"the size of a frame must be at least 0 bytes, but is $bytes",
        position
      )
    if bytes > limits.messageBytes then throw tooLong()

  /** Rejects a written message or frame that could not be read with the same limits. */
  private[thrift] def checkMessage(bytes: Long): Unit =
    if bytes > limits.messageBytes then
      throw MessageTransportException(
        TTransportException.MESSAGE_SIZE_LIMIT,
        s"a message of $bytes bytes exceeds the limit of ${limits.messageBytes}",
        written
      )

  private[thrift] def frameOf(bytes: Long): Int =
    checkMessage(bytes)
    if bytes > Int.MaxValue then
      throw MessageTransportException(
        TTransportException.MESSAGE_SIZE_LIMIT,
        s"$bytes bytes exceed the ${Int.MaxValue} bytes of a frame",
        position
      )
    bytes.toInt

  override def readAll(bytes: Array[Byte], from: Int, count: Int): Int =
    val length = if count > 0 then read(bytes, from, count) else 0
    if length < count then throw lacking(count - length)
    count

  override def isOpen: Boolean = true
  override def open(): Unit = ()
  override def close(): Unit = ()
  override def peek(): Boolean = rest > 0 || hasWholeFrame
  override def getConfiguration: TConfiguration = configuration
  override def updateKnownMessageSize(bytes: Long): Unit = ()
  override def resetMessageSizeAndConsumedBytes(bytes: Long): Unit = beginMessage()

  /** Rejects a declared size that exceeds the remaining bytes of a frame. Without a frame it
    * rejects a size that exceeds all bytes, read or not: a layered transport of libthrift, which
    * asks this one, may have read the bytes ahead.
    */
  override def checkReadBytesAvailable(bytes: Long): Unit =
    if bytes < 0 then
      throw MessageProtocolException(
        TProtocolException.NEGATIVE_SIZE,
        s"the declared size must be at least 0 bytes, but is $bytes",
        position
      )
    if bytes > (if isFramed then rest else position + rest) then throw lacking(bytes)
end TBytesTransport

private object TBytesTransport:
  /** No size of a frame. */
  val NoSize: Long = Long.MinValue

  /** The size of the frame that begins a buffer. */
  def sizeOf(buffer: Buffer): Long =
    if buffer.size < 4 then NoSize
    else (0 until 4).foldLeft(0)((bits, i) => bits << 8 | buffer(i) & 0xff)
