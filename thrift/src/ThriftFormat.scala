package undercroft.thrift

import org.apache.thrift.protocol.TProtocol

/** How a message is laid out in bytes. */
enum ThriftFormat derives CanEqual:
  /** Numbers in all their bytes: quick. */
  case Binary

  /** Numbers in as few bytes as they need: small. */
  case Compact

  /** A protocol of this format, with Undercroft's checks. */
  def protocol(bytes: TBytesTransport): TProtocol = this match
    case Binary  => BinaryProtocol(bytes)
    case Compact => CompactProtocol(bytes)
