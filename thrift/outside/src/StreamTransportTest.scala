package outside.thrift

import java.net.{InetAddress, ServerSocket, Socket}
import java.util.concurrent.{CompletableFuture, TimeUnit}
import org.apache.thrift.protocol.*
import org.apache.thrift.server.{TServer, TSimpleServer}
import org.apache.thrift.transport.{TServerTransport, TTransport, TTransportException}
import org.apache.thrift.{TApplicationException, TProcessor}
import scala.concurrent.duration.DurationInt
import undercroft.buffer.*
import undercroft.thrift.*

/** Clients and servers of libthrift over sources and sinks of sockets. */
class StreamTransportTest extends MessageSuite:

  /** Accepts connections of a ServerSocket for a server of libthrift. */
  private final class Accepting(server: ServerSocket, framed: Boolean) extends TServerTransport:
    def listen(): Unit = ()
    def accept(): TTransport =
      try
        val socket = server.accept()
        TStreamTransport(socket.source().buffered, socket.sink().buffered, framed)
      catch case e: java.io.IOException => throw TTransportException(e)
    def close(): Unit = server.close()
    override def interrupt(): Unit = server.close()

  /** Answers an order with its reverse id, as code that Thrift's compiler generates. */
  private object Reversing extends TProcessor:
    def process(in: TProtocol, out: TProtocol): Unit =
      val call = in.readMessageBegin()
      val order = Order()
      order.read(in)
      in.readMessageEnd()
      order.id = order.id.reverse
      out.writeMessageBegin(TMessage(call.name, TMessageType.REPLY, call.seqid))
      order.write(out)
      out.writeMessageEnd()
      out.getTransport.flush()

  for format <- ThriftFormat.values; isFramed <- Seq(false, true); isOurs <- Seq(false, true) do
    test(s"a server and a client of libthrift over sockets ($format, framed: $isFramed, $isOurs)"):
      val listening = ServerSocket(0, 5, InetAddress.getLoopbackAddress)
      val protocols: TProtocolFactory =
        if isOurs then transport => format.protocol(transport.asInstanceOf[TBytesTransport])
        else
          format match
            case ThriftFormat.Binary  => TBinaryProtocol.Factory()
            case ThriftFormat.Compact => TCompactProtocol.Factory()
      val server = TSimpleServer(
        TServer.Args(Accepting(listening, isFramed)).processor(Reversing).protocolFactory(protocols)
      )
      val serving = Thread.startVirtualThread(() => server.serve())
      for _ <- 1 to 2 do
        val socket = Socket(listening.getInetAddress, listening.getLocalPort)
        val (source, sink) = (socket.source(), socket.sink())
        source.timeout.timeout(30.seconds)
        val transport = TStreamTransport(source.buffered, sink.buffered, isFramed)
        val protocol = protocols.getProtocol(transport)
        for i <- 1 to 50 do
          val order = Order.sample(levels = i % 4)
          order.id = s"order $i" * i * 20
          protocol.writeMessageBegin(TMessage("reverse", TMessageType.CALL, i))
          order.write(protocol)
          protocol.writeMessageEnd()
          transport.flush()
          val reply = protocol.readMessageBegin()
          assertEquals((reply.name, reply.seqid), ("reverse", i))
          val answer = Order()
          answer.read(protocol)
          protocol.readMessageEnd()
          assertEquals(answer.id, order.id.reverse)
          answer.id = order.id
          assertEquals(answer, order)
        transport.close()
        assert(socket.isClosed && !transport.isOpen)
      end for
      server.stop()
      listening.close()
      serving.join()
  end for

  test("a read that times out keeps a half frame, and the next read has all of it"):
    for format <- ThriftFormat.values do
      val pipe = Pipe(100_000)
      val bytes = framed(serialized(Order.sample(), format))
      val transport = TStreamTransport(pipe.source.buffered, pipe.sink.buffered, framed = true)
      val protocol = format.protocol(transport)
      pipe.source.timeout.timeout(5.millis)
      var sent = 0
      def send(count: Int): Unit =
        pipe.sink.write(Buffer().write(bytes, sent, count), count)
        sent += count
      for count <- Seq(3, 1, 1) do
        send(count)
        val error = intercept[MessageTransportException](Order().read(protocol))
        assertEquals(error.getType, TTransportException.TIMED_OUT)
        assert(error.getCause.isInstanceOf[TimedOutException])
        assert(!transport.hasWholeFrame)
        protocol.reset()
      send(bytes.length - sent)
      val order = Order()
      order.read(protocol)
      assertEquals(order, Order.sample())

  test("the end of the input is END_OF_FILE, and memory is not allocated for bytes to come"):
    for format <- ThriftFormat.values; isFramed <- Seq(false, true) do
      val pipe = Pipe(1000)
      val header = format match
        case ThriftFormat.Binary  => Array[Byte](11, 0, 4, 0x70, 0, 0, 0)
        case ThriftFormat.Compact => Array[Byte](0x48, -128, -128, -128, -128, 7)
      val bytes = if isFramed then Array[Byte](0x70, 0, 0, 0) ++ header else header
      pipe.sink.write(Buffer().write(bytes), bytes.length)
      pipe.sink.close()
      val transport = TStreamTransport(pipe.source.buffered, Buffer(), isFramed)
      var error = TTransportException()
      val allocated = allocatedBy:
        error = intercept[MessageTransportException](Order().read(format.protocol(transport)))
      assertEquals(error.getType, TTransportException.END_OF_FILE, s"$error")
      assert(allocated < 5_000_000, s"$allocated bytes")
      assert(isFramed || !transport.peek())
end StreamTransportTest
