import java.net.{InetAddress, ServerSocket, Socket}
import org.apache.thrift.TApplicationException
import org.apache.thrift.protocol.{TMessage, TMessageType}
import scala.concurrent.duration.DurationInt
import undercroft.buffer.*
import undercroft.thrift.*

/** A protocol over a socket; a call that waits for ten seconds throws a TTransportException. */
def protocolOver(socket: Socket): BinaryProtocol =
  val source = socket.source()
  source.timeout.timeout(10.seconds)
  val transport = TStreamTransport(source.buffered, socket.sink().buffered, framed = true)
  BinaryProtocol(transport) // for a client, or a processor, that Thrift's compiler generates

@main def thriftOverSocket(): Unit =
  val server = ServerSocket(0, 1, InetAddress.getLoopbackAddress)
  val serving = Thread.startVirtualThread: () =>
    val protocol = protocolOver(server.accept())
    val call = protocol.readMessageBegin()
    TApplicationException().read(protocol)
    protocol.readMessageEnd()
    protocol.writeMessageBegin(TMessage(call.name, TMessageType.EXCEPTION, call.seqid))
    TApplicationException(6, "no such user").write(protocol)
    protocol.writeMessageEnd()
    protocol.getTransport.flush()
    protocol.getTransport.close()

  val protocol = protocolOver(Socket(server.getInetAddress, server.getLocalPort))
  protocol.writeMessageBegin(TMessage("findUser", TMessageType.CALL, 1))
  TApplicationException(0, "Ann").write(protocol) // as a struct of arguments
  protocol.writeMessageEnd()
  protocol.getTransport.flush()
  val reply = protocol.readMessageBegin()
  val result = TApplicationException()
  result.read(protocol)
  println(s"${reply.name}: ${result.getMessage}")
  protocol.getTransport.close()
  serving.join()
  server.close()
end thriftOverSocket

// prints:
// findUser: no such user
