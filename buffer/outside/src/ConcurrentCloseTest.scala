package outside.buffer

import java.io.{IOException, InputStream, OutputStream}
import java.util.concurrent.{CompletableFuture, CountDownLatch, TimeUnit}
import javax.crypto.Cipher
import javax.crypto.spec.{IvParameterSpec, SecretKeySpec}
import undercroft.buffer.*

/** Sources and sinks that a thread closes while another thread uses them. */
class ConcurrentCloseTest extends undercroft.tools.Suite:

  /** Three bytes, then a read that waits for the close. */
  private final class Waiting extends InputStream:
    val waits = CountDownLatch(1)
    val closes = CountDownLatch(1)
    private var isFirst = true

    def read(): Int = throw UnsupportedOperationException()
    override def read(bytes: Array[Byte], from: Int, count: Int): Int =
      if isFirst then
        isFirst = false
        3
      else
        waits.countDown()
        if !closes.await(60, TimeUnit.SECONDS) then throw IOException("not closed")
        throw IOException("closed")
    override def close(): Unit = closes.countDown()
  end Waiting

  private def cipher: Cipher =
    val cipher = Cipher.getInstance("AES/CTR/NoPadding")
    val zeros = new Array[Byte](16)
    cipher.init(Cipher.DECRYPT_MODE, SecretKeySpec(zeros, "AES"), IvParameterSpec(zeros))
    cipher

  private val wraps = Seq[(String, (Source, SegmentPool) => Source)](
    ("a stream", (input, _) => input),
    ("a cipher's source", (input, pool) => CipherSource(input.buffered(using pool), cipher))
  )

  for (name, wrap) <- wraps do
    test(s"a close ends the waiting read of another thread, and leaks no segments ($name)"):
      given pool: SegmentPool = SegmentPool.lockFree(debug = true)
      val stream = Waiting()
      val input = wrap(stream.source(), pool).buffered
      val reading = CompletableFuture[String]()
      Thread.ofPlatform.start: () =>
        try reading.complete(intercept[IOException](input.require(10)).getMessage): Unit
        catch case e: Throwable => reading.completeExceptionally(e): Unit
      assert(stream.waits.await(60, TimeUnit.SECONDS))
      input.close()
      assertEquals(reading.get(60, TimeUnit.SECONDS), "closed")
      pool.assertNoLeaks()
      input.close()
      intercept[ClosedException](input.require(1)): Unit

  /** A stream whose write waits for the close. */
  private final class Full(isLost: Boolean) extends OutputStream:
    val waits = CountDownLatch(1)
    val closes = CountDownLatch(1)

    def write(value: Int): Unit = throw UnsupportedOperationException()
    override def write(bytes: Array[Byte], from: Int, count: Int): Unit =
      waits.countDown()
      if !closes.await(20, TimeUnit.SECONDS) then throw IOException("not closed")
      if isLost then throw IOException("closed")
    override def close(): Unit = closes.countDown()
  end Full

  for (isLost, message) <- Seq(true -> "closed", false -> "the sink is closed") do
    test(s"a close ends the waiting write of another thread with the error \"$message\""):
      given pool: SegmentPool = SegmentPool.lockFree(debug = true)
      val stream = Full(isLost)
      val output = stream.sink().buffered
      val writing = CompletableFuture[String]()
      Thread.ofPlatform.start: () =>
        try
          val error = intercept[IOException](output.write(new Array[Byte](100_000)))
          writing.complete(error.getMessage): Unit
        catch case e: Throwable => writing.completeExceptionally(e): Unit
      assert(stream.waits.await(60, TimeUnit.SECONDS))
      output.close()
      assertEquals(writing.get(60, TimeUnit.SECONDS), message)
      pool.assertNoLeaks()
      output.close()
      intercept[ClosedException](output.writeByte(7)): Unit
end ConcurrentCloseTest
