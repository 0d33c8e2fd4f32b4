import java.net.{InetAddress, ServerSocket, Socket}
import undercroft.buffer.*

/** Counts the words of a request, which ends where the client closes its sink. */
def countWords(socket: Socket): Unit =
  val words = socket.source().buffered.readUtf8().split(' ').length
  socket.sink().buffered.writeDecimalLong(words).close()
  socket.close()

@main def halfClose(): Unit =
  val server = ServerSocket(0, 50, InetAddress.getLoopbackAddress)
  val serving = Thread.ofVirtual.start(() => countWords(server.accept()))

  val socket = Socket(server.getInetAddress, server.getLocalPort)
  val request = socket.sink().buffered
  request.writeUtf8("one two three").close() // shuts down the output only
  val reply = socket.source().buffered
  println(reply.readUtf8()) // to the end
  reply.close() // both are closed: the socket is closed
  println(socket.isClosed)

  serving.join()
  server.close()
end halfClose

// prints:
// 3
// true
