package outside.buffer

import scala.concurrent.duration.*
import undercroft.buffer.*

/** Sources and sinks that forward to others. */
class ForwardingTest extends undercroft.tools.Suite:

  /** A source and a sink that record their calls. */
  private final class Recorder extends Source, Sink:
    var calls = Vector.empty[String]
    override val timeout: Timeout = Timeout()
    def read(sink: Buffer, byteCount: Long): Long =
      calls :+= s"read $byteCount"
      sink.writeByte(1)
      1
    def write(source: Buffer, byteCount: Long): Unit =
      calls :+= s"write $byteCount"
      source.skip(byteCount)
    def flush(): Unit = calls :+= "flush"
    def close(): Unit = calls :+= "close"

  test("each call of a forwarding source and a forwarding sink reaches the other end"):
    val recorder = Recorder()
    val (source, sink) = (ForwardingSource(recorder), ForwardingSink(recorder))
    assertEquals(source.read(Buffer(), 7), 1L)
    source.close()
    sink.write(Buffer().writeInt(1), 3)
    sink.flush()
    sink.close()
    assertEquals(recorder.calls, Vector("read 7", "close", "write 3", "flush", "close"))

  test("a timeout that is set on a forwarding source or sink is the other end's timeout"):
    val recorder = Recorder()
    ForwardingSource(recorder).timeout.timeout(1.second)
    assertEquals(recorder.timeout.timeoutNanos, 1_000_000_000L)
    ForwardingSink(recorder).timeout.timeout(2.seconds)
    assertEquals(recorder.timeout.timeoutNanos, 2_000_000_000L)

  test("the timeout of compression is that of the sink or source it uses"):
    val recorder = Recorder()
    val timeouts = Seq(
      Compression.gzip(recorder).timeout,
      Compression.gunzip(recorder).timeout,
      Compression.deflate(recorder).timeout,
      Compression.inflate(recorder).timeout
    )
    for (timeout, i) <- timeouts.zipWithIndex do assert(timeout eq recorder.timeout, s"$i")

  test("a subclass overrides one call, and keeps the others"):
    final class UpperCase(source: Source) extends ForwardingSource(source):
      override def read(sink: Buffer, byteCount: Long): Long =
        val piece = Buffer()
        val count = super.read(piece, byteCount)
        if count > 0 then sink.writeUtf8(piece.readUtf8().toUpperCase)
        count
    val source = UpperCase(Buffer().writeUtf8("price")).buffered
    assertEquals(source.readUtf8(), "PRICE")
    assert(UpperCase(Buffer()).timeout eq Timeout.none)
end ForwardingTest
