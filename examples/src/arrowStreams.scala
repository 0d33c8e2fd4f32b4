import java.net.{InetAddress, ServerSocket, Socket}
import undercroft.arrow.*
import undercroft.memory.*
import undercroft.struct.*

case class SensorValue(sensor: Int, value: Double) derives Struct

@main def arrowStreams(): Unit =
  val server = ServerSocket(0, 1, InetAddress.getLoopbackAddress)
  val sender = Thread.ofVirtual.start: () =>
    val socket = server.accept()
    Region.scoped:
      val readings = Columns.tabulate[SensorValue](1000)(i => SensorValue((i % 10).toInt, i / 2.0))
      readings.writeArrowStream(socket.getOutputStream)
    socket.close()

  val socket = Socket(server.getInetAddress, server.getLocalPort)
  Region.scoped:
    val received = Columns.readArrowStream[SensorValue](socket.getInputStream)
    println(received.size)
    println(received.sumOf(_.value))
  socket.close()
  sender.join()
  server.close()

// prints:
// 1000
// 249750.0
