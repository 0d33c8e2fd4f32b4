package undercroft.thrift

import org.apache.thrift.TConfiguration
import org.apache.thrift.protocol.TProtocolException
import org.apache.thrift.transport.{TTransport, TTransportException}

/** A transport over bytes in memory, with Long sizes: [[TBufferTransport]], [[TOutputTransport]] or
  * [[TSegmentTransport]].
  *
  * Every protocol of libthrift's works on it. It lends nobody its arrays (`getBuffer` is null), so
  * that a protocol copies what it reads, and what `readBinary` answers stays what it was when
  * segments are recycled, outputs reset and native memory freed. [[BinaryProtocol]] reads and
  * writes numbers and text in place, which costs less than libthrift's way through small arrays.
  *
  * It is open for as long as it lives; `close` leaves the bytes to whoever made them. For one
  * thread at a time. What ends too early is a [[MessageTransportException]] of type END_OF_FILE.
  */
abstract class TBytesTransport private[thrift] (val limits: ThriftLimits) extends TTransport:
  // Generated code asks for it at every struct.
  private val configuration = limits.configuration

  /** Bytes that were read since it was made, or was given its bytes. */
  def position: Long

  /** Bytes that can be read before the end of the message, or of what is there. */
  def remaining: Long

  /** A message begins: what counts for its limit is counted from here. */
  private[thrift] def beginMessage(): Unit

  // The numbers of the binary protocol, big-endian, and its text.
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

  /** Writes how many bytes the text has, and the text. */
  private[thrift] def writeUtf8(text: String): Unit

  private[thrift] def ended(bytes: Long): MessageTransportException =
    MessageTransportException(
      TTransportException.END_OF_FILE,
      s"expected $bytes bytes, but $remaining bytes follow",
      position
    )

  /** What is wrong where so many bytes were to be read: they are not there, or beyond a limit. */
  private[thrift] def lacking(bytes: Long): MessageTransportException

  private[thrift] def tooLong(): MessageTransportException =
    MessageTransportException(
      TTransportException.MESSAGE_SIZE_LIMIT,
      s"the message exceeds the ${limits.messageBytes} bytes of its limit",
      position
    )

  /** Refuses a text that is to be written and that no reader with these limits would take. */
  private[thrift] def checkString(bytes: Long): Unit =
    if bytes > limits.stringBytes then
      throw MessageTransportException(
        TTransportException.MESSAGE_SIZE_LIMIT,
        s"a string of $bytes bytes exceeds the ${limits.stringBytes} of its limit",
        position
      )

  /** The size of a frame that was read, if it can be one. */
  private[thrift] def checkFrame(bytes: Int, available: Long): Unit =
    def wrong(what: String) =
      MessageTransportException(TTransportException.CORRUPTED_DATA, what, position)
    if bytes < 0 then throw wrong(s"a frame of $bytes bytes")
    if bytes > limits.messageBytes then throw tooLong()
    if bytes > available then throw wrong(s"a frame of $bytes bytes, of which $available are there")

  private[thrift] def frameOf(bytes: Long): Int =
    if bytes > Int.MaxValue then
      throw MessageTransportException(
        TTransportException.MESSAGE_SIZE_LIMIT,
        s"$bytes bytes exceed the ${Int.MaxValue} bytes of a frame",
        position
      )
    bytes.toInt

  override def readAll(bytes: Array[Byte], from: Int, count: Int): Int =
    val some = if count > 0 then read(bytes, from, count) else 0
    if some < count then throw lacking(count - some)
    count

  override def isOpen: Boolean = true
  override def open(): Unit = ()
  override def close(): Unit = ()
  override def peek(): Boolean = remaining > 0
  override def getConfiguration: TConfiguration = configuration
  override def updateKnownMessageSize(bytes: Long): Unit = ()
  override def resetMessageSizeAndConsumedBytes(bytes: Long): Unit = beginMessage()

  /** Refuses what declares more bytes than follow. */
  override def checkReadBytesAvailable(bytes: Long): Unit =
    if bytes < 0 then
      throw MessageProtocolException(
        TProtocolException.NEGATIVE_SIZE,
        s"a size of $bytes",
        position
      )
    if bytes > remaining then throw lacking(bytes)
end TBytesTransport
