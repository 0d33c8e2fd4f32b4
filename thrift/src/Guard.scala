package undercroft.thrift

import org.apache.thrift.TException
import org.apache.thrift.protocol.{TProtocolException, TType}
import org.apache.thrift.transport.TTransportException

/** What a protocol checks of a message that it reads: how deep it is, which types it names, how
  * much it declares. Its errors have the position.
  */
private[thrift] final class Guard(bytes: TBytesTransport):
  private val limits = bytes.limits
  private var depth = 0

  def reset(): Unit = depth = 0

  /** A struct begins. */
  def enter(): Unit =
    depth += 1
    if depth > limits.depth then throw tooDeep()

  def leave(): Unit = depth -= 1

  /** Levels that something to be skipped may have. */
  def levels: Int = limits.depth - depth

  def checkSkip(levels: Int): Unit = if levels <= 0 then throw tooDeep()

  private def tooDeep() =
    error(TProtocolException.DEPTH_LIMIT, s"more than ${limits.depth} structs and containers deep")

  def field(kind: Byte): Unit = if kind != TType.STOP then known(kind, "a field")

  /** How many elements a container says it has, each of at least `leastBytes` bytes. */
  def elements(size: Int, leastBytes: Int): Unit =
    if size < 0 then throw error(TProtocolException.NEGATIVE_SIZE, s"a container of $size elements")
    if size > limits.elements then
      throw error(
        TProtocolException.SIZE_LIMIT,
        s"a container of $size elements exceeds the ${limits.elements} of its limit"
      )
    if size * leastBytes.toLong > bytes.remaining then throw bytes.lacking(size * leastBytes.toLong)

  def element(kind: Byte, size: Int): Unit = if size > 0 then known(kind, "an element")

  def string(size: Int): Unit =
    if size < 0 then throw error(TProtocolException.NEGATIVE_SIZE, s"a string of $size bytes")
    if size > limits.stringBytes then
      throw error(
        TProtocolException.SIZE_LIMIT,
        s"a string of $size bytes exceeds the ${limits.stringBytes} of its limit"
      )
    if size > bytes.remaining then throw bytes.lacking(size)

  private def known(kind: Byte, what: String): Unit =
    if kind < 0 || kind > Guard.LastKind || (Guard.Kinds >>> kind & 1) == 0 then
      throw error(TProtocolException.INVALID_DATA, s"$what of the unknown type $kind")

  def error(kind: Int, what: String, cause: Throwable | Null = null): MessageProtocolException =
    MessageProtocolException(kind, what, bytes.position, cause)

  /** What `body` answers; what it throws with the position. */
  inline def located[A](inline body: A): A =
    try body
    catch case e: Exception => throw withPosition(e)

  def withPosition(e: Exception): Exception = e match
    case e: (MessageProtocolException | MessageTransportException) => e
    case e: TProtocolException => error(e.getType, String.valueOf(e.getMessage), e)
    case e: TTransportException =>
      MessageTransportException(e.getType, String.valueOf(e.getMessage), bytes.position, e)
    // What libthrift and generated code throw at what they did not expect in a message.
    case e: (TException | IndexOutOfBoundsException | NegativeArraySizeException |
          IllegalArgumentException | NullPointerException | ClassCastException) =>
      error(TProtocolException.INVALID_DATA, e.toString, e)
    case e => e
end Guard

private object Guard:
  val LastKind = 16 // a UUID

  /** The types that a field or an element can have, as bits. */
  val Kinds: Int =
    import TType.*
    Seq(BOOL, BYTE, DOUBLE, I16, I32, I64, STRING, STRUCT, MAP, SET, LIST, UUID)
      .map(1 << _)
      .reduce(_ | _)

  /** Bytes that each type has at least in the binary protocol. */
  def leastBytes(kind: Byte): Int = kind match
    case TType.I16                                         => 2
    case TType.I32 | TType.STRING | TType.SET | TType.LIST => 4
    case TType.I64 | TType.DOUBLE                          => 8
    case TType.MAP                                         => 4
    case TType.UUID                                        => 16
    case _                                                 => 1
end Guard
