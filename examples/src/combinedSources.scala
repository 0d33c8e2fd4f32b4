import java.net.{InetAddress, ServerSocket, Socket}
import java.nio.channels.FileChannel
import java.nio.file.StandardOpenOption.APPEND
import java.nio.file.{Files, Path}
import java.util.zip.{Deflater, Inflater}
import scala.concurrent.duration.DurationInt
import undercroft.buffer.*

/** Asks a peer that is silent whether it is there, and gives up if it stays silent. */
def readLine(idle: IdleSocket, input: BufferedSource): String | Null =
  try input.readUtf8Line()
  catch
    case _: TimedOutException => // no byte in either direction for the limit; the socket is open
      idle.sink.buffered.writeUtf8("ping\n").flush()
      input.readUtf8Line()

@main def combinedSources(): Unit =
  val input = Buffer().writeUtf8("headbody")
  val log = Buffer()
  println(input.limited(4).tee(log).buffered.readUtf8()) // at most 4 bytes, copied to the log
  println((log.readUtf8(), input.readUtf8()))

  val parts: Iterator[Path] =
    Iterator("one\n", "two\n").map(Files.writeString(Files.createTempFile("part", ".txt"), _))
  val all = Source.concat(parts.map(Files.newInputStream(_).source())).buffered // one open file
  println(all.lines.toList)

  val file = Files.writeString(Files.createTempFile("app", ".log"), "first\nsec")
  val lines = FileChannel.open(file).followingSource(interval = 10.millis).buffered
  println(lines.readUtf8Line())
  Files.writeString(file, "ond\n", APPEND)
  println(lines.readUtf8Line()) // waits for the line's end
  lines.close()

  val archive = Buffer()
  Compression.deflate(archive).buffered.writeUtf8("an object").close()
  archive.writeUtf8("the next one")
  println(Compression.inflate(archive).buffered.readUtf8()) // stops at the end of its data
  println(archive.readUtf8())

  val (deflater, inflater, wire) = (Deflater(6, true), Inflater(true), Buffer())
  val messages = Compression.deflate(wire, deflater).buffered
  val received = Compression.inflate(wire, inflater)
  for text <- List("hello", "bye") do
    messages.writeUtf8(text).flush()
    val message = Buffer()
    message.writeAll(received) // ends at the flush
    println(message.readUtf8())
  deflater.end()
  inflater.end()

  val server = ServerSocket(0, 1, InetAddress.getLoopbackAddress)
  val (client, peer) = (Socket(server.getInetAddress, server.getLocalPort), server.accept())
  val answering = Thread.startVirtualThread: () =>
    val question = peer.source().buffered.readUtf8Line()
    peer.sink().buffered.writeUtf8(s"yes, $question\n").flush()
  val idle = IdleSocket(client, limit = 1.second)
  println(readLine(idle, idle.source.buffered))
  answering.join()
  for closeable <- List(client, peer, server) do closeable.close()
end combinedSources

// prints:
// head
// (head,body)
// List(one, two)
// first
// second
// an object
// the next one
// hello
// bye
// yes, ping
