package outside.buffer

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, EOFException, IOException}
import java.util.zip.{Deflater, DeflaterOutputStream, GZIPOutputStream, Inflater, ZipException}
import javax.crypto.Cipher
import javax.crypto.spec.{IvParameterSpec, SecretKeySpec}
import scala.concurrent.duration.DurationInt
import undercroft.buffer.*

/** A filter returns the bytes that it has decoded before it throws and before it waits. */
class DecodedBytesTest extends undercroft.tools.Suite:
  private val text = (1 to 20_000).map(i => s"line $i\n").mkString
  private val random = scala.util.Random(20260101L).nextBytes(30_000)

  private def compressed(bytes: Array[Byte], isGzip: Boolean): Array[Byte] =
    val out = ByteArrayOutputStream()
    val stream = if isGzip then GZIPOutputStream(out) else DeflaterOutputStream(out)
    stream.write(bytes)
    stream.close()
    out.toByteArray

  private val filters = Seq[(String, Boolean, Source => Source)](
    ("gunzip", true, Compression.gunzip(_)),
    ("inflate", false, Compression.inflate(_)),
    ("inflate by an Inflater of the caller", false, Compression.inflate(_, Inflater()))
  )

  /** The bytes before the end or an error, and the error. Each read returns bytes or throws. */
  private def drain(source: Source): (Array[Byte], Option[IOException]) =
    val bytes = Buffer()
    var (error, isEnd) = (Option.empty[IOException], false)
    while error.isEmpty && !isEnd do
      val before = bytes.size
      try
        val count = source.read(bytes, 700)
        isEnd = count == -1
        assertEquals(bytes.size - before, Math.max(count, 0))
        assert(isEnd || count > 0)
      catch
        case e: IOException =>
          assertEquals(bytes.size, before, "a read that throws appended bytes")
          error = Some(e)
    (bytes.readByteArray(), error)

  /** The bytes that zlib decodes from a prefix of the data, by calls with much room. */
  private def decodable(data: Array[Byte], headerBytes: Int, isRaw: Boolean): Int =
    val inflater = Inflater(isRaw)
    inflater.setInput(data, headerBytes, Math.max(0, data.length - headerBytes))
    val room = new Array[Byte](1 << 20)
    val count = inflater.inflate(room)
    inflater.end()
    count

  for (name, isGzip, filter) <- filters do
    for (content, bytes) <- Seq("text" -> text.getBytes, "random bytes" -> random) do
      test(s"$name of $content that is cut anywhere delivers all decoded bytes, then EOFException"):
        val data = compressed(bytes, isGzip)
        val cuts = (1 to 40) ++ (50 until data.length - 12 by data.length / 37)
        for cut <- cuts do
          val input = data.dropRight(cut)
          val expected = decodable(input, if isGzip then 10 else 0, isGzip)
          for source <- Seq(Buffer().write(input), ByteArrayInputStream(input).source()) do
            val (read, error) = drain(filter(source))
            assertEquals(read.length, expected, s"$cut bytes are missing")
            assert(java.util.Arrays.equals(read, bytes.take(expected)))
            assert(error.exists(_.isInstanceOf[EOFException]), s"$error")
            val message = error.get.getMessage.nn
            assert(message.matches("expected the (rest|trailer) of .*follow(s)?"), message)

    test(s"$name of data that becomes invalid delivers the bytes before the invalid part"):
      val data = compressed(random, isGzip)
      for at <- Seq(data.length / 3, data.length / 2) do
        val corrupt = compressed(text.getBytes, isGzip)
        for i <- corrupt.length / 2 until corrupt.length / 2 + 200 do corrupt(i) = -1
        val source = filter(Buffer().write(corrupt))
        val (read, error) = drain(source)
        assert(read.length > text.length / 10, s"${read.length} bytes")
        assert(error.exists(_.isInstanceOf[ZipException]), s"$error")
        intercept[ZipException](source.read(Buffer(), 1): Unit): Unit

    test(s"$name delivers all lines before the trailer has arrived"):
      val data = compressed(text.getBytes, isGzip)
      val trailerBytes = if isGzip then 8 else 4
      val pipe = Pipe(maxBytes = 1 << 20)
      pipe.source.timeout.timeout(50.millis)
      pipe.sink.write(Buffer().write(data.dropRight(trailerBytes)), data.length - trailerBytes)
      val input = filter(pipe.source).buffered
      assertEquals(input.lines.take(20_000).mkString("", "\n", "\n"), text)
      intercept[TimedOutException](input.readUtf8Line()): Unit
      pipe.sink.write(Buffer().write(data.takeRight(trailerBytes)), trailerBytes)
      pipe.sink.close()
      assert(input.exhausted)
  end for

  test("a wrong checksum is reported after all bytes"):
    for (at, field) <- Seq(8 -> "checksum", 4 -> "size modulo 2^32") do
      val data = compressed(text.getBytes, isGzip = true)
      data(data.length - at) = (data(data.length - at) + 1).toByte
      val (read, error) = drain(Compression.gunzip(Buffer().write(data)))
      assertEquals(String(read), text)
      assert(error.exists(_.getMessage.nn.contains(s"its $field is 0x")), s"$error")
    val zlib = compressed(text.getBytes, isGzip = false)
    zlib(zlib.length - 1) = (zlib(zlib.length - 1) + 1).toByte
    val (read, error) = drain(Compression.inflate(Buffer().write(zlib)))
    assertEquals(String(read), text)
    assert(error.exists(_.isInstanceOf[ZipException]), s"$error")

  test("a cipher delivers all decrypted blocks before the error of the last one"):
    def cipher(mode: Int) =
      val cipher = Cipher.getInstance("AES/CBC/PKCS5Padding").nn
      cipher.init(mode, SecretKeySpec(new Array[Byte](16), "AES"), IvParameterSpec(new Array(16)))
      cipher
    val secret = CipherSource(Buffer().writeUtf8(text), cipher(Cipher.ENCRYPT_MODE)).buffered
    val bytes = secret.readByteArray()
    val (read, error) =
      drain(CipherSource(Buffer().write(bytes.dropRight(3)), cipher(Cipher.DECRYPT_MODE)))
    assert(read.length >= text.length - 32 && text.startsWith(String(read)), s"${read.length}")
    assert(error.nonEmpty)

  test("a Deflater or an Inflater that its owner has ended is an IOException with the cause"):
    val deflater = Deflater()
    val target = Buffer()
    val sink = Compression.deflate(target, deflater).buffered
    deflater.end()
    val late = intercept[IOException](sink.writeUtf8("abc").flush(): Unit)
    assert(late.getCause.isInstanceOf[IllegalStateException])
    intercept[IOException](sink.close()): Unit
    val inflater = Inflater()
    val source = Compression.inflate(Buffer().writeUtf8("abc"), inflater)
    inflater.end()
    val error = intercept[IOException](source.read(Buffer(), 10): Unit)
    assertEquals(error.getMessage, "the Inflater was ended")
    assert(error.getCause.isInstanceOf[IllegalStateException])
end DecodedBytesTest
