import java.io.IOException
import java.net.{InetAddress, ServerSocket, Socket}
import scala.concurrent.duration.*
import undercroft.buffer.*

/** A frame is its length in bytes (Int), a type (Byte) and a body; numbers are big-endian. */
enum Frame derives CanEqual:
  case Login(user: String)
  case Quote(ticket: Int, price: Long)
  case Bye

val maxFrameBytes = 1 << 20

def writeFrame(sink: BufferedSink, frame: Frame): Unit =
  val body = Buffer() // the length is known once the body is written
  frame match
    case Frame.Login(user)          => body.writeByte(1).writeUtf8(user)
    case Frame.Quote(ticket, price) => body.writeByte(2).writeInt(ticket).writeLong(price)
    case Frame.Bye                  => body.writeByte(3)
  sink.writeInt(body.size.toInt)
  sink.write(body, body.size) // passes segments on

def readFrame(source: BufferedSource): Frame =
  val length = source.readInt()
  if length < 1 || length > maxFrameBytes then
    throw IOException(s"frame length must be in [1, $maxFrameBytes]: $length")
  val body = Buffer() // all that a frame can read
  source.readFully(body, length) // waits for the whole frame
  val frame = body.readByte() match
    case 1     => Frame.Login(body.readUtf8())
    case 2     => Frame.Quote(body.readInt(), body.readLong())
    case 3     => Frame.Bye
    case other => throw IOException(s"frame type must be in [1, 3]: $other")
  if !body.exhausted then throw IOException(s"${body.size} bytes of the frame follow $frame")
  frame

def serve(socket: Socket): Unit =
  val (source, sink) = (socket.source().buffered, socket.sink().buffered)
  sink.timeout.timeout(5.seconds) // for each write to a slow client
  try
    var isOpen = true
    while isOpen do
      source.timeout.deadline(60.seconds) // until the next frame begins
      source.require(1)
      source.timeout.deadline(5.seconds) // until the frame is complete; then the socket closes
      readFrame(source) match
        case Frame.Login(user)          => writeFrame(sink, Frame.Quote(user.length, 250))
        case Frame.Quote(ticket, price) => writeFrame(sink, Frame.Quote(ticket, price + 1))
        case Frame.Bye                  => isOpen = false
      if source.buffer.isEmpty then sink.flush() // one write for several replies
  catch case error: IOException => println(error.getMessage)
  finally socket.close()

@main def protocol(): Unit =
  val server = ServerSocket(0, 50, InetAddress.getLoopbackAddress)
  val serving = Thread.ofVirtual.start: () =>
    for _ <- 1 to 4 do serve(server.accept())

  val socket = Socket(server.getInetAddress, server.getLocalPort)
  val (source, sink) = (socket.source().buffered, socket.sink().buffered)
  writeFrame(sink, Frame.Login("ada"))
  for i <- 1 to 1000 do writeFrame(sink, Frame.Quote(i, 100L * i))
  writeFrame(sink, Frame.Bye)
  sink.flush()
  println(readFrame(source))
  println((1 to 1000).map(_ => readFrame(source)).last)
  println(source.exhausted) // the server has closed the connection
  socket.close()

  val tooLong = Buffer().writeInt(Int.MaxValue)
  val tooShort = Buffer().writeInt(2).writeByte(2).writeByte(9) // a Quote has 13 bytes
  val smuggled = Buffer().writeInt(6).writeByte(3).writeInt(1).writeByte(3) // a Bye has 1 byte
  for bytes <- Seq(tooLong, tooShort, smuggled) do
    val hostile = Socket(server.getInetAddress, server.getLocalPort)
    hostile.sink().write(bytes, bytes.size)
    println(hostile.source().buffered.exhausted)
    hostile.close()
  serving.join()
  server.close()
end protocol

// prints:
// Quote(3,250)
// Quote(1000,100001)
// true
// frame length must be in [1, 1048576]: 2147483647
// true
// expected a number of 4 bytes at position 1, but only 1 byte follows
// true
// 5 bytes of the frame follow Bye
// true
