package undercroft.buffer

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, IOException}
import java.nio.charset.StandardCharsets.UTF_16BE
import javax.crypto.Cipher
import javax.crypto.spec.{GCMParameterSpec, IvParameterSpec, SecretKeySpec}

/** Operations across several types. */
class OperationsTest extends undercroft.tools.Suite:
  private val bytes = Array.tabulate(50_000)(i => (i * 7 + (i >> 8)).toByte)

  private def cipher(mode: Int, gcm: Boolean): Cipher =
    val cipher = Cipher.getInstance(if gcm then "AES/GCM/NoPadding" else "AES/CBC/PKCS5Padding")
    val zeros = new Array[Byte](16)
    val params = if gcm then GCMParameterSpec(128, zeros) else IvParameterSpec(zeros)
    cipher.init(mode, SecretKeySpec(zeros, "AES"), params)
    cipher

  for (poolName, pool) <- Pools.all; gcm <- Seq(false, true) do
    test(s"CipherSink encrypts as the JDK does, and CipherSource decrypts (gcm: $gcm, $poolName)"):
      given home: SegmentPool = pool()
      val plain = if home.segmentBytes < 100 then bytes.take(777) else bytes
      val expected = cipher(Cipher.ENCRYPT_MODE, gcm).doFinal(plain)
      val out = Buffer()
      val sink = CipherSink(out, cipher(Cipher.ENCRYPT_MODE, gcm)).buffered
      sink.write(plain).close()
      assertEquals(out.copy().readByteString(), ByteString(expected))
      val source = CipherSource(out, cipher(Cipher.DECRYPT_MODE, gcm)).buffered
      assertEquals(source.readByteString(), ByteString(plain))
      source.close()
      intercept[ClosedException](sink.writeByte(1)): Unit
      val wrong = Buffer().write(expected.updated(5, 1.toByte).dropRight(if gcm then 0 else 3))
      val refused = CipherSource(wrong, cipher(Cipher.DECRYPT_MODE, gcm)).buffered
      val e = intercept[IOException](refused.readByteArray())
      assert(e.getMessage.startsWith("AES/"), e.getMessage)
      val again = intercept[IOException](refused.readByteArray())
      assertEquals(again.getMessage, e.getMessage)
      refused.close()
      Seq(wrong, out).foreach(_.clear())
  end for

  test("a folded pipe forwards its bytes and later writes, and its close closes the target sink"):
    val pipe = Pipe(100)
    pipe.sink.write(Buffer().writeUtf8("before "), 7)
    val out = ByteArrayOutputStream()
    var closed = 0
    val target = new Sink:
      private val sink = out.sink()
      def write(source: Buffer, byteCount: Long): Unit = sink.write(source, byteCount)
      def flush(): Unit = sink.flush()
      def close(): Unit = closed += 1
    pipe.fold(target)
    val rest = Buffer().write(bytes)
    pipe.sink.write(rest, rest.size)
    pipe.sink.flush()
    intercept[ClosedException](pipe.source.read(Buffer(), 1): Unit): Unit
    intercept[IllegalStateException](pipe.fold(target)): Unit
    assertEquals(ByteString(out.toByteArray), ByteString("before ".getBytes ++ bytes))
    assertEquals(closed, 0)
    pipe.sink.close()
    pipe.sink.close()
    assertEquals(closed, 1)
    intercept[ClosedException](pipe.sink.write(Buffer().writeByte(1), 1)): Unit

  test("folding a pipe into a failing sink cancels the pipe"):
    val pipe = Pipe(100)
    pipe.sink.write(Buffer().writeUtf8("lost"), 4)
    val failing = new Sink:
      def write(source: Buffer, byteCount: Long): Unit = throw IOException("full")
      def flush(): Unit = ()
      def close(): Unit = ()
    assertEquals(intercept[IOException](pipe.fold(failing)).getMessage, "full")
    val e = intercept[IOException](pipe.sink.write(Buffer().writeByte(1), 1))
    assertEquals(e.getMessage, "the pipe was canceled")

  test("a waiting writer continues into the target sink after the pipe is folded"):
    val pipe = Pipe(10)
    val done = java.util.concurrent.CompletableFuture[Unit]()
    val writer = Thread.ofVirtual.start: () =>
      try
        pipe.sink.write(Buffer().write(bytes), bytes.length)
        pipe.sink.close()
        done.complete(()): Unit
      catch case e: Throwable => done.completeExceptionally(e): Unit
    val read = Buffer()
    pipe.source.read(read, 5): Unit
    val out = ByteArrayOutputStream()
    pipe.fold(out.sink())
    done.get()
    writer.join()
    assertEquals(ByteString(read.readByteArray() ++ out.toByteArray), ByteString(bytes))

  test("select with TypedOptions returns the value of the matching option"):
    enum Verb derives CanEqual:
      case Get, Put
    val verbs = TypedOptions(Verb.values.toSeq)(verb => ByteString.utf8(s"$verb "))
    val buffer = Buffer().writeUtf8("Put /x")
    assertEquals(buffer.select(verbs), Some(Verb.Put))
    assertEquals(buffer.select(verbs), None)
    assertEquals(buffer.readUtf8(), "/x")
    assertEquals(verbs.size, 2)

  test("indexOf and rangeEquals respect their end positions"):
    val buffer = Buffer().writeUtf8("one two one")
    val word = ByteString.utf8("one")
    assertEquals(buffer.indexOf(word, 1, 8), -1L)
    assertEquals(buffer.indexOf(word, 1, 9), 8L)
    assertEquals(buffer.indexOf(word, 0, 1), 0L)
    assertEquals(buffer.indexOf(ByteString.empty, 3, 4), 3L)
    assert(buffer.rangeEquals(4, ByteString.utf8("a two b"), 2, 3))
    assert(!buffer.rangeEquals(4, ByteString.utf8("a two b"), 2, 10))
    val stream = ByteArrayInputStream("one two one".getBytes).source().buffered
    assertEquals(stream.indexOf(word, 1, 8), -1L)
    assertEquals(stream.indexOf(word, 1, 9), 8L)
    intercept[IndexOutOfBoundsException](buffer.indexOf(word, 5, 4)): Unit

  test("emit forwards buffered bytes, and readFrom and writeTo transfer whole or partial streams"):
    val out = ByteArrayOutputStream()
    val sink = out.sink().buffered
    sink.writeUtf8("ab")
    assertEquals(out.size, 0)
    sink.emitCompleteSegments().emit(): Unit
    assertEquals(out.toString, "ab")
    sink.write(Buffer().writeUtf8("cdef"): Source, 3).write(ByteString.utf8("xghx"), 1, 2).emit()
    assertEquals(out.toString, "abcdegh")
    val e = intercept[EndOfInputException](sink.write(Buffer().writeUtf8("z"): Source, 2))
    assertEquals(e.getMessage, "expected 2 bytes at position 1, but only 0 bytes follow")
    val buffer = Buffer().readFrom(ByteArrayInputStream("one two".getBytes))
    buffer.readFrom(ByteArrayInputStream(" three".getBytes), 4): Unit
    val copied = ByteArrayOutputStream()
    buffer.copyTo(copied, 4, 3).writeTo(copied, 3): Unit
    assertEquals(copied.toString, "twoone")
    assertEquals(buffer.readUtf8(), " two thr")
    buffer.writeUtf8Lines(Iterator("a", "", "b")).writeString("xéx", 1, 2, UTF_16BE): Unit
    assertEquals(buffer.snapshot().hex, "610a0a620a00e9")
    assertEquals(buffer.lines.take(3).toList, List("a", "", "b"))

  test("byte strings change case, are read from buffers and streams, and compute HMACs"):
    val string = ByteString.utf8("Grüße @[`{")
    assertEquals(string.toAsciiUppercase.utf8, "GRüßE @[`{")
    assertEquals(string.toAsciiLowercase.utf8, "grüße @[`{")
    assertEquals(ByteString.of(java.nio.ByteBuffer.wrap(Array[Byte](1, 2))), ByteString.of(1, 2))
    assertEquals(ByteString.read(ByteArrayInputStream(Array[Byte](1, 2)), 1), ByteString.of(1))
    intercept[java.io.EOFException](ByteString.read(ByteArrayInputStream(Array[Byte](1)), 2)): Unit
    assertEquals(ByteString.string("é", UTF_16BE).hex, "00e9")
    val (key, okioKey) = (ByteString.utf8("k"), okio.ByteString.encodeUtf8("k"))
    val okios = okio.ByteString.encodeUtf8("text")
    assertEquals(ByteString.utf8("text").hmacSha1(key).hex, okios.hmacSha1(okioKey).hex)
    assertEquals(ByteString.utf8("text").hmacSha256(key).hex, okios.hmacSha256(okioKey).hex)
    assertEquals(ByteString.utf8("text").hmacSha512(key).hex, okios.hmacSha512(okioKey).hex)
    assertEquals(ByteString.utf8("aab").indexOf(ByteString.utf8("ab")), 1)
    assertEquals(ByteString.utf8("aab").indexOf(ByteString.utf8("ab"), 2), -1)
    assertEquals(ByteString.utf8("aab").indexOf(ByteString.empty, 3), 3)
end OperationsTest
