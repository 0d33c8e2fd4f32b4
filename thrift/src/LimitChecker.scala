package undercroft.thrift

import org.apache.thrift.TException
import org.apache.thrift.protocol.{TProtocolException, TType}
import org.apache.thrift.transport.TTransportException

/** Checks the depth, the types and the declared sizes of a message that is read, and the depth and
  * the sizes of one that is written. Its errors have the position.
  */
private[thrift] final class LimitChecker(bytes: TBytesTransport):
  private val limits = bytes.limits
  private var depth = 0
  private var containers = 0
  private var isInMessage = false

  // Levels of the message that is written, and the transport's bytes before it.
  private var writtenDepth = 0
  private var writtenBefore = 0L

  // Levels counted by the generated code of unions; not decremented after an error.
  private var recursion = 0

  def reset(): Unit =
    depth = 0
    containers = 0
    writtenDepth = 0
    recursion = 0
    isInMessage = false
    bytes.reset()

  /** Enters a level of generated code. */
  def descend(): Unit =
    recursion += 1
    if recursion > limits.depth then throw tooDeep()

  def ascend(): Unit = recursion -= 1

  /** Begins the part of a message after its header: it ends in the frame that it began in. */
  def enterMessage(): Unit =
    isInMessage = true
    bytes.enterMessage()

  def leaveMessage(): Unit =
    isInMessage = false
    bytes.leave()

  /** Enters a struct. */
  def enter(): Unit =
    if depth == 0 && !isInMessage then bytes.enterStruct()
    depth += 1
    if levels < 0 then throw tooDeep()

  def leave(): Unit =
    depth -= 1
    if depth == 0 && !isInMessage then bytes.leave()

  /** Enters a container, whose header was read. */
  def enterContainer(): Unit =
    containers += 1
    if levels < 0 then throw tooDeep()

  def leaveContainer(): Unit = containers -= 1

  /** Enters a struct that is written. */
  def enterWritten(): Unit =
    if writtenDepth == 0 then writtenBefore = bytes.written
    writtenDepth += 1
    if writtenDepth > limits.depth then throw tooDeep()

  /** Enters a container that is written. */
  def enterWritten(size: Int): Unit =
    checkElements(size)
    enterWritten()

  /** Leaves a struct or a container that is written; at its end a message is checked as a whole. */
  def leaveWritten(): Unit =
    writtenDepth -= 1
    if writtenDepth == 0 then bytes.checkMessage(bytes.written - writtenBefore)

  /** Levels that a skipped value may have. */
  def levels: Int = limits.depth - depth - containers

  /** Checks that a skipped value may have `levels` levels: a struct or a container needs one. */
  def checkSkip(kind: Byte, levels: Int): Unit =
    if levels <= 0 && LimitChecker.isNested(kind) then throw tooDeep()

  private def tooDeep() =
    error(
      TProtocolException.DEPTH_LIMIT,
      s"structs and containers exceed the nesting limit of ${limits.depth}"
    )

  def field(kind: Byte): Unit = if kind != TType.STOP then known(kind, "a field")

  /** Checks the declared size of a container whose elements have at least `leastBytes` bytes each.
    */
  def elements(size: Int, leastBytes: Int): Unit =
    if size < 0 then
      throw error(
        TProtocolException.NEGATIVE_SIZE,
        s"the size of a container must be at least 0 elements, but is $size"
      )
    checkElements(size)
    bytes.ensure(size * leastBytes.toLong)

  private def checkElements(size: Int): Unit =
    if size > limits.elements then
      throw error(
        TProtocolException.SIZE_LIMIT,
        s"a container of $size elements exceeds the limit of ${limits.elements}"
      )

  def element(kind: Byte, size: Int): Unit = if size > 0 then known(kind, "an element")

  def string(size: Int): Unit =
    if size < 0 then
      throw error(
        TProtocolException.NEGATIVE_SIZE,
        s"the size of a string must be at least 0 bytes, but is $size"
      )
    if size > limits.stringBytes then
      throw error(
        TProtocolException.SIZE_LIMIT,
        s"a string of $size bytes exceeds the limit of ${limits.stringBytes}"
      )
    bytes.ensure(size)

  private def known(kind: Byte, subject: String): Unit =
    if kind < 0 || kind > LimitChecker.LastKind || (LimitChecker.Kinds >>> kind & 1) == 0 then
      throw error(TProtocolException.INVALID_DATA, s"$subject has the unknown type $kind")

  def error(kind: Int, problem: String, cause: Throwable | Null = null): MessageProtocolException =
    MessageProtocolException(kind, problem, bytes.position, cause)

  /** Returns the result of `body`; adds the position to exceptions. */
  inline def located[A](inline body: A): A =
    try body
    catch case e: Exception => throw withPosition(e)

  /** Returns the header of a message; after an error the rest of its frame is skipped. */
  inline def header[A](inline body: A): A =
    try body
    catch
      case e: Exception =>
        val error = withPosition(e)
        bytes.endFrame()
        throw error

  def withPosition(e: Exception): Exception = e match
    case e: (MessageProtocolException | MessageTransportException) => e
    case e: TProtocolException => error(e.getType, String.valueOf(e.getMessage), e)
    case e: TTransportException =>
      MessageTransportException(e.getType, String.valueOf(e.getMessage), bytes.position, e)
    // Exceptions of libthrift and generated code on unexpected input.
    case e: (TException | IndexOutOfBoundsException | NegativeArraySizeException |
          IllegalArgumentException | NullPointerException | ClassCastException) =>
      error(TProtocolException.INVALID_DATA, e.toString, e)
    case e => e
end LimitChecker

private object LimitChecker:
  val LastKind = 16 // UUID

  /** The types that fields and elements can have, as a bit set. */
  val Kinds: Int =
    import TType.*
    Seq(BOOL, BYTE, DOUBLE, I16, I32, I64, STRING, STRUCT, MAP, SET, LIST, UUID)
      .map(1 << _)
      .reduce(_ | _)

  /** Whether values of a type count as a level of nesting. */
  def isNested(kind: Byte): Boolean =
    kind == TType.STRUCT || kind == TType.MAP || kind == TType.SET || kind == TType.LIST

  /** The smallest size of a type in the binary protocol, in bytes. */
  def leastBytes(kind: Byte): Int = kind match
    case TType.I16                                         => 2
    case TType.I32 | TType.STRING | TType.SET | TType.LIST => 4
    case TType.I64 | TType.DOUBLE                          => 8
    case TType.MAP                                         => 4
    case TType.UUID                                        => 16
    case _                                                 => 1
end LimitChecker
