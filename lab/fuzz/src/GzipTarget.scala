package undercroft.lab.fuzz

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, IOException}
import java.util.zip.{DeflaterOutputStream, GZIPInputStream, GZIPOutputStream}
import undercroft.buffer.*

/** Compressed streams, against the streams of the JDK. The first byte chooses the format. */
object GzipTarget extends Target:
  def name: String = "gzip"

  /** Bytes of a result that are compared: a short input may expand a thousandfold. */
  private val Longest = 1L << 20

  private def gzip(bytes: Array[Byte]): Array[Byte] =
    val out = ByteArrayOutputStream()
    val zip = GZIPOutputStream(out)
    zip.write(bytes)
    zip.close()
    out.toByteArray.nn

  def samples: Seq[Array[Byte]] =
    val texts = Seq("", "a", "some text, some text, some text", "0123456789" * 50)
    val zlib = ByteArrayOutputStream()
    val deflate = DeflaterOutputStream(zlib)
    deflate.write(texts(2).getBytes)
    deflate.close()
    texts.map(text => 0.toByte +: gzip(text.getBytes.nn)) ++ Seq(
      0.toByte +: (gzip("one".getBytes.nn) ++ gzip("two".getBytes.nn)),
      1.toByte +: zlib.toByteArray.nn
    )

  def run(input: Array[Byte]): Unit = if input.nonEmpty then
    val bytes = input.drop(1)
    input(0) & 3 match
      case 0 => agrees(bytes)
      case 1 => read(Compression.inflate(Buffer().write(bytes).buffer)): Unit
      case 2 => read(Compression.inflate(Buffer().write(bytes).buffer, raw = true)): Unit
      case _ =>
        val target = Buffer()
        val sink = Compression.gzip(target)
        sink.write(Buffer().write(bytes).buffer, bytes.length)
        sink.close()
        val again = read(Compression.gunzip(target))
        if !again.exists(java.util.Arrays.equals(_, bytes)) then
          throw AssertionError("gunzip does not return what gzip compressed")

  /** Checks that the JDK reads the same bytes from a stream that ours reads to its end. */
  private def agrees(bytes: Array[Byte]): Unit =
    val output =
      try read(Compression.gunzip(Buffer().write(bytes).buffer))
      catch case _: IOException => None
    output.foreach: content =>
      val expected = GZIPInputStream(ByteArrayInputStream(bytes)).readNBytes(Longest.toInt).nn
      if !java.util.Arrays.equals(content.take(expected.length), expected) then
        throw AssertionError(s"${content.length} bytes differ from the JDK's ${expected.length}")

  /** The bytes of a source, or None if it rejects its input. */
  private def read(source: => Source): Option[Array[Byte]] =
    try
      val opened = source
      try
        val out = Buffer()
        while out.size < Longest && opened.read(out, 8192) >= 0 do ()
        Some(out.readByteArray())
      finally opened.close()
    catch case _: IOException => None
end GzipTarget
