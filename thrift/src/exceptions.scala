package undercroft.thrift

import org.apache.thrift.protocol.TProtocolException
import org.apache.thrift.transport.TTransportException

/** Thrown if a message ends too early or exceeds a limit of its transport.
  *
  * @param kind
  *   one of TTransportException's types: END_OF_FILE, MESSAGE_SIZE_LIMIT, CORRUPTED_DATA
  * @param position
  *   the number of bytes read before, since the transport was created or was given its bytes
  */
final class MessageTransportException(
    kind: Int,
    val problem: String,
    val position: Long,
    cause: Throwable | Null = null
) extends TTransportException(kind, s"$problem at position $position", cause)

/** Thrown if a message is invalid.
  *
  * @param kind
  *   one of TProtocolException's types: INVALID_DATA, NEGATIVE_SIZE, SIZE_LIMIT, DEPTH_LIMIT and
  *   others
  * @param position
  *   the number of bytes read before, since the transport was created or was given its bytes
  */
final class MessageProtocolException(
    kind: Int,
    val problem: String,
    val position: Long,
    cause: Throwable | Null = null
) extends TProtocolException(kind, s"$problem at position $position", cause)
