package outside.buffer

import java.io.InputStream
import java.nio.ByteBuffer
import java.nio.channels.{ReadableByteChannel, WritableByteChannel}
import undercroft.buffer.*

/** Sources, sinks and channels that never make progress are an error instead of an endless loop. */
class NoProgressTest extends undercroft.tools.Suite:
  private final class Stub(takes: Int = 0) extends Sink:
    def write(source: Buffer, byteCount: Long): Unit = source.skip(Math.min(takes, byteCount))
    def flush(): Unit = ()
    def close(): Unit = ()

  /** Returns `result` without a byte, `times` times before each byte. */
  private final class Zero(result: Long = 0, times: Int = Int.MaxValue) extends Source:
    private var reads = 0
    def read(sink: Buffer, byteCount: Long): Long =
      reads += 1
      if reads % (times.toLong + 1) != 0 then result
      else if reads > 3 * times + 3 then -1
      else
        sink.writeByte(1)
        1
    def close(): Unit = ()

  private final class ZeroStream extends InputStream:
    def read(): Int = -1
    override def read(bytes: Array[Byte], from: Int, count: Int): Int = 0

  private final class ZeroChannel extends ReadableByteChannel, WritableByteChannel:
    def read(bytes: ByteBuffer): Int = 0
    def write(bytes: ByteBuffer): Int = 0
    def isOpen: Boolean = true
    def close(): Unit = ()

  private def input: ReadableByteChannel = ZeroChannel()
  private def output: WritableByteChannel = ZeroChannel()
  private def abc = Buffer().writeUtf8("abc")

  private val calls = Seq[(String, () => Any)](
    "readAll to a sink that takes nothing" -> (() => abc.readAll(Stub())),
    "readAll to a sink that takes a part" -> (() => abc.readAll(Stub(takes = 1))),
    "flush to a sink that takes nothing" -> (() => Stub().buffered.writeUtf8("abc").flush()),
    "close of a sink that takes nothing" -> (() => Stub().buffered.writeUtf8("abc").close()),
    "request of a source that returns 0" -> (() => Zero().buffered.request(1)),
    "request of a source that returns 5" -> (() => Zero(result = 5).buffered.request(1)),
    "readAll of a source that returns 0" -> (() => Zero().buffered.readAll(Sink.blackhole())),
    "read of a source that returns 0" -> (() => Zero().buffered.read(Buffer(), 1)),
    "writeAll of a source that returns 0" -> (() => Buffer().writeAll(Zero())),
    "write of a source that returns 0" -> (() => Buffer().write(Zero(), 3)),
    "a stream that returns 0" -> (() => ZeroStream().source().buffered.readUtf8()),
    "readFrom a stream that returns 0" -> (() => Buffer().readFrom(ZeroStream())),
    "gunzip of a source that returns 0" -> (() => Compression.gunzip(Zero()).read(Buffer(), 1)),
    "a channel that returns 0" -> (() => input.source().buffered.readByte()),
    "a channel that takes nothing" -> (() => output.sink().write(abc, 3)),
    "an output to a channel that takes nothing" -> (() =>
      val out = ByteOutput()
      out.writeUtf8("abc")
      try out.writeTo(output)
      finally out.close()
    )
  )

  for (name, call) <- calls do
    test(s"$name is a NoProgressException"):
      intercept[NoProgressException](call(): Unit): Unit

  test("a source that returns 0 now and then is read to its end"):
    assertEquals(Zero(times = 50).buffered.readByteArray().length, 3)
    assertEquals(Buffer().writeAll(Zero(times = 50)), 3L)

  test("the error names the type, the number of bytes and the number of calls"):
    val read = intercept[NoProgressException](Zero().buffered.request(1): Unit).getMessage.nn
    assert(read.startsWith("100 reads of up to 8192 bytes of outside.buffer."), read)
    val write = intercept[NoProgressException](abc.readAll(Stub(takes = 1)): Unit).getMessage.nn
    assert(write.startsWith("a write of 3 bytes to outside.buffer."), write)
    assert(write.endsWith(" consumed 1"), write)
end NoProgressTest
