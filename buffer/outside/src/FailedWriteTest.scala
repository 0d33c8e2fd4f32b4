package outside.buffer

import java.io.IOException
import java.security.MessageDigest
import javax.crypto.Cipher
import javax.crypto.spec.{IvParameterSpec, SecretKeySpec}
import undercroft.buffer.*

/** Sinks that process bytes, over a sink whose writes fail after a part of the bytes. */
class FailedWriteTest extends undercroft.tools.Suite:
  private val content = scala.util.Random(20261128).nextBytes(200_000)

  /** Takes up to 5000 bytes of every second write, which then fails. */
  private final class Failing extends Sink:
    val taken = Buffer()
    var failures = 0
    var isReliable = false
    private var isNextWhole = true

    def write(source: Buffer, byteCount: Long): Unit =
      isNextWhole = isReliable || !isNextWhole
      if isNextWhole then taken.write(source, byteCount)
      else
        taken.write(source, Math.min(byteCount, 5000L))
        failures += 1
        throw IOException("late")
    def flush(): Unit = ()
    def close(): Unit = ()
  end Failing

  private def cipher(mode: Int): Cipher =
    val cipher = Cipher.getInstance("AES/CTR/NoPadding")
    val zeros = new Array[Byte](16)
    cipher.init(mode, SecretKeySpec(zeros, "AES"), IvParameterSpec(zeros))
    cipher

  private val sinks = Seq[(String, Sink => Sink, Buffer => Source)](
    (
      "a cipher's sink",
      sink => CipherSink(sink.buffered, cipher(Cipher.ENCRYPT_MODE)),
      packed => CipherSource(packed, cipher(Cipher.DECRYPT_MODE))
    ),
    ("a gzip sink", sink => Compression.gzip(sink), packed => Compression.gunzip(packed)),
    ("a deflate sink", sink => Compression.deflate(sink), packed => Compression.inflate(packed))
  )

  for (name, wrap, unwrap) <- sinks do
    test(s"$name processes no byte twice after writes that fail"):
      val target = Failing()
      val out = wrap(target).buffered
      for part <- content.grouped(10_000) do
        try out.write(part)
        catch case _: IOException => ()
      assert(target.failures > 2, s"${target.failures} failures")
      target.isReliable = true
      out.close()
      val read = unwrap(target.taken).buffered.readByteArray()
      assertEquals(ByteString(read), ByteString(content))

  test("the digest of a write that fails is that of the bytes that left the source"):
    val target = Failing()
    val hashing = HashingSink(target, MessageDigest.getInstance("MD5"))
    val input = Buffer().write(content)
    intercept[IOException](hashing.write(input, 20_000)): Unit
    assertEquals(input.size, content.length - 5000L)
    assertEquals(hashing.hash, ByteString(content.take(5000)).md5)
    hashing.write(input, input.size)
    assertEquals(hashing.hash, ByteString(content.drop(5000)).md5)
    assertEquals(ByteString(target.taken.readByteArray()), ByteString(content))
end FailedWriteTest
