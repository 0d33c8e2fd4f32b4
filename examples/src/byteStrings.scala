import java.util.zip.{Deflater, Inflater}
import undercroft.buffer.*

/** Counts the bytes that pass; all other calls, and the timeout, are the other sink's. */
final class CountingSink(sink: Sink) extends ForwardingSink(sink):
  var count = 0L
  override def write(source: Buffer, byteCount: Long): Unit =
    super.write(source, byteCount)
    count += byteCount

@main def byteStrings(): Unit =
  val price = ByteString.utf8("price ") ++ ByteString.utf8("251\n")
  println(price) // as text, or in hexadecimal
  println(ByteString.of(1, 2, 255))
  val lines = ByteString.utf8("price 251 " * 10).base64Mime // of at most 76 characters
  println(lines.linesIterator.map(_.length).toList)
  println(ByteString.base64(lines).map(_.size))

  val words = "one two three four " * 100
  def gzipBytes(level: Int): Long =
    val counting = CountingSink(Sink.blackhole())
    Compression.gzip(counting, level).buffered.writeUtf8(words).close()
    counting.count
  println(gzipBytes(level = 9) < gzipBytes(level = 0)) // 0 only stores

  val (deflater, inflater) = (Deflater(9, true), Inflater(true)) // true: without a zlib header
  deflater.setStrategy(Deflater.HUFFMAN_ONLY)
  val packed = Buffer()
  Compression.deflate(packed, deflater).buffered.writeUtf8(words).close()
  println(Compression.inflate(packed, inflater).buffered.readUtf8() == words)
  deflater.end() // they are the caller's, and could be reset for further streams
  inflater.end()
end byteStrings

// prints:
// [text=price 251\n]
// [hex=0102ff]
// List(76, 60)
// Some(100)
// true
// true
