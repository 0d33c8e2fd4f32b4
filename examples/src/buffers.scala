import scala.concurrent.duration.DurationInt
import undercroft.buffer.*

@main def buffers(): Unit =
  val buffer = Buffer() // 8 KiB segments from a pool
  buffer.writeUtf8("price ").writeDecimalLong(251).writeByte('\n')
  println(buffer.readUtf8Line())
  buffer.writeIntLe(7).writeLong(42)
  println(buffer.readIntLe() + buffer.readLong())

  val other = Buffer().writeUtf8("moved, not copied")
  buffer.write(other, other.size) // whole segments change hands
  println(s"${other.size} ${buffer.size}")
  println(buffer.indexOf(ByteString.utf8("not")))
  try buffer.readFully(new Array[Byte](100))
  catch case error: EndOfInputException => println(error.getMessage)
  buffer.clear() // recycles all segments

  val words = Options(ByteString.utf8("GET "), ByteString.utf8("PUT "))
  println(Buffer().writeUtf8("PUT /orders").select(words))

  val pool = SegmentPool.striped(stripes = 16, bytesPerStripe = 64 * 1024, debug = true)
  val checked = Buffer(using pool).writeUtf8("in a pool of its own")
  try pool.assertNoLeaks()
  catch case error: SegmentLeakException => println(error.segments)
  checked.clear()
  pool.assertNoLeaks()
  println(pool.metrics.misses)

  val outside = SegmentPool.striped(memory = SegmentMemory.Native)
  val message = Buffer(using outside).writeUtf8("for native code")
  val pieces =
    message.withIovecs(vectors => vectors.byteSize / 16) // a call of writev would be here
  println((pieces, message.copiedBytes, message.readUtf8()))

  val pipe = Pipe(maxBytes = 1024)
  pipe.source.timeout.timeout(10.millis)
  try pipe.source.read(buffer, 1)
  catch case error: TimedOutException => println(error.getMessage)

  other.writeUtf8("abcd")
  val cursor = other.cursor(writable = true)
  cursor.seek(2)
  cursor(0) = 'X'
  println(other.readUtf8())
end buffers

// prints:
// price 251
// 49
// 0 17
// 7
// expected 100 bytes at position 22, but only 17 bytes follow
// 1
// 1
// 1
// (1,0,for native code)
// the timeout of 10 milliseconds has passed
// abXd
