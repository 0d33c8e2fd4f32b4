package undercroft.thrift

import java.io.ByteArrayOutputStream
import org.apache.thrift.TSerializable
import org.apache.thrift.protocol.{TBinaryProtocol, TCompactProtocol, TProtocol}
import org.apache.thrift.transport.layered.TFramedTransport
import org.apache.thrift.transport.{TIOStreamTransport, TTransport}

/** Unmodified libthrift, as the reference. */
object Stock:
  def protocol(format: ThriftFormat, transport: TTransport): TProtocol = format match
    case ThriftFormat.Binary  => TBinaryProtocol(transport)
    case ThriftFormat.Compact => TCompactProtocol(transport)

  def bytes(message: TSerializable, format: ThriftFormat, framed: Boolean = false): Array[Byte] =
    val stream = ByteArrayOutputStream()
    val io = TIOStreamTransport(stream)
    val transport = if framed then TFramedTransport(io) else io
    message.write(protocol(format, transport))
    transport.flush()
    stream.toByteArray
