package undercroft.thrift

import org.apache.thrift.protocol.TProtocol

/** The wire format of a message.
  *
  * {{{
  * def formatFor(isRemote: Boolean): ThriftFormat =
  *   if isRemote then ThriftFormat.Compact else ThriftFormat.Binary
  * }}}
  */
enum ThriftFormat derives CanEqual:
  /** Fixed-size numbers: fast. */
  case Binary

  /** Variable-length numbers: compact. */
  case Compact

  /** A protocol of this format with Undercroft's checks. */
  def protocol(bytes: TBytesTransport): TProtocol = this match
    case Binary  => BinaryProtocol(bytes)
    case Compact => CompactProtocol(bytes)
