package undercroft.thrift

import org.apache.thrift.protocol.TProtocolException
import org.apache.thrift.transport.TTransportException

/** A message ends before what was to be read, or exceeds a limit of its transport.
  *
  * @param kind
  *   one of TTransportException's types: END_OF_FILE, MESSAGE_SIZE_LIMIT, CORRUPTED_DATA
  * @param position
  *   bytes that were read before, since the transport was made or given its bytes
  */
final class MessageTransportException(
    kind: Int,
    val what: String,
    val position: Long,
    cause: Throwable | Null = null
) extends TTransportException(kind, s"$what at position $position", cause)

/** A message is not what was to be read.
  *
  * @param kind
  *   one of TProtocolException's types: INVALID_DATA, NEGATIVE_SIZE, SIZE_LIMIT, DEPTH_LIMIT and
  *   others
  * @param position
  *   bytes that were read before, since the transport was made or given its bytes
  */
final class MessageProtocolException(
    kind: Int,
    val what: String,
    val position: Long,
    cause: Throwable | Null = null
) extends TProtocolException(kind, s"$what at position $position", cause)
