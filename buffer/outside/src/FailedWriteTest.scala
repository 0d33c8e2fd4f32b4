package outside.buffer

import java.io.{ByteArrayOutputStream, IOException}
import java.security.MessageDigest
import javax.crypto.Cipher
import javax.crypto.spec.{GCMParameterSpec, IvParameterSpec, SecretKeySpec}
import undercroft.buffer.*
import undercroft.memory.{Budget, MemoryLimitException}

/** Sources and sinks that process bytes, in calls that fail after a part of the bytes. */
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

  private val sinks = Seq[(String, (Sink, SegmentPool) => Sink, Buffer => Source)](
    (
      "a cipher's sink",
      (sink, pool) => CipherSink(sink.buffered(using pool), cipher(Cipher.ENCRYPT_MODE)),
      packed => CipherSource(packed, cipher(Cipher.DECRYPT_MODE))
    ),
    (
      "a gzip sink",
      (sink, pool) => Compression.gzip(sink)(using pool),
      packed => Compression.gunzip(packed)
    ),
    (
      "a deflate sink",
      (sink, pool) => Compression.deflate(sink)(using pool),
      packed => Compression.inflate(packed)
    )
  )

  for (name, wrap, unwrap) <- sinks do
    test(s"$name processes no byte twice after writes that fail"):
      val target = Failing()
      val out = wrap(target, SegmentPool.default).buffered
      for part <- content.grouped(10_000) do
        try out.write(part)
        catch case _: IOException => ()
      assert(target.failures > 2, s"${target.failures} failures")
      target.isReliable = true
      out.close()
      val read = unwrap(target.taken).buffered.readByteArray()
      assertEquals(ByteString(read), ByteString(content))

    test(s"$name loses no output in a write that exceeds its budget"):
      val pool = SegmentPool.lockFree(budget = Some(Budget(name, 16 * 8192)))
      val others = Buffer(using pool).write(new Array[Byte](15 * 8192))
      val bytes = content.take(60_000)
      val target = Buffer()
      val out = wrap(target, pool)
      // The output begins in the budget's last segment, and continues after its end.
      out.write(Buffer().write(bytes, 0, 5000), 5000)
      val rest = Buffer().write(bytes, 5000, 55_000)
      intercept[MemoryLimitException](out.write(rest, rest.size)): Unit
      others.clear()
      out.write(rest, rest.size)
      out.close()
      val read = unwrap(target).buffered.readByteArray()
      assertEquals(ByteString(read), ByteString(bytes))
  end for

  test("a cipher's source loses no output in a read that exceeds its budget"):
    val budget = Budget("a cipher's source", 256 * 1024)
    val pool = SegmentPool.lockFree(segmentBytes = 1024, budget = Some(budget))
    val others = Buffer(using pool).write(new Array[Byte](256 * 1024))
    val (input, bytes) = (Buffer(using pool), Buffer().write(content))
    input.write(bytes, bytes.size) // moves segments of the default pool
    val source = CipherSource(input, cipher(Cipher.ENCRYPT_MODE))
    val output = Buffer()
    intercept[MemoryLimitException](source.read(output, 8192)): Unit
    others.clear()
    while source.read(output, 8192) != -1 do ()
    val expected = cipher(Cipher.ENCRYPT_MODE).doFinal(content)
    assertEquals(output.readByteString(), ByteString(expected))

  test("a cipher's source whose output exceeds the budget is read in parts"):
    def aes(mode: Int): Cipher =
      val cipher = Cipher.getInstance("AES/GCM/NoPadding").nn
      cipher.init(
        mode,
        SecretKeySpec(new Array[Byte](16), "AES"),
        GCMParameterSpec(128, new Array[Byte](12))
      )
      cipher
    // Decryption by AES in Galois/Counter Mode returns all of its output at the end.
    val secret = Buffer().write(aes(Cipher.ENCRYPT_MODE).doFinal(content))
    val budget = Budget("parts", 16 * 1024)
    val input = Buffer(using SegmentPool.lockFree(segmentBytes = 1024, budget = Some(budget)))
    input.write(secret, secret.size)
    val source = CipherSource(input, aes(Cipher.DECRYPT_MODE))
    val (output, read) = (Buffer(), ByteArrayOutputStream())
    var parts = 0
    while source.read(output, 8192) != -1 do
      read.write(output.readByteArray()) // and releases its segments, which are charged
      parts += 1
    assertEquals(ByteString(read.toByteArray), ByteString(content))
    assert(parts > 1)
    source.close()

  test("the digest of a source includes the bytes of a read that fails"):
    val source = new Source:
      private var reads = 0
      def read(sink: Buffer, byteCount: Long): Long =
        reads += 1
        if reads == 1 then
          sink.writeUtf8("price")
          throw IOException("late")
        else -1
      def close(): Unit = ()
    val hashing = HashingSource(source, MessageDigest.getInstance("MD5"))
    val input = hashing.buffered
    intercept[IOException](input.readUtf8()): Unit
    assertEquals(input.readUtf8(), "price")
    assertEquals(hashing.hash, ByteString.utf8("price").md5)

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
