import scala.concurrent.duration.DurationInt
import undercroft.buffer.*

@main def forwardingTimeout(): Unit =
  val connection = Pipe(maxBytes = 1024)
  connection.source.timeout.timeout(5.seconds)
  val limit = ForwardingTimeout(connection.source.timeout)
  val body = new ForwardingSource(connection.source):
    override def timeout: Timeout = limit
  body.timeout.timeout(10.millis) // the limit of the connection
  try body.buffered.readByte()
  catch case error: TimedOutException => println(error.getMessage)

  limit.delegate = Timeout.none // the connection has another user now
  body.timeout.timeout(1.milli)
  println(connection.source.timeout.timeoutNanos)

// prints:
// the timeout of 10 milliseconds has passed
// 10000000
