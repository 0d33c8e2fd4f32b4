package undercroft.buffer

import java.io.{ByteArrayInputStream, ByteArrayOutputStream}
import java.lang.foreign.{Arena, MemorySegment}
import java.nio.ByteBuffer
import java.nio.channels.{Channels, FileChannel}
import java.nio.file.{Files, StandardOpenOption}
import java.security.MessageDigest
import javax.crypto.Cipher
import javax.crypto.spec.{IvParameterSpec, SecretKeySpec}
import scala.concurrent.duration.DurationInt

/** The contract of all sources and sinks, with segments of every pool. */
class ConformanceTest extends undercroft.tools.Suite:
  import ConformanceTest.*

  for (poolName, pool) <- Pools.all; (name, make) <- sources do
    test(
      s"a source returns all bytes in order, at most the requested count ($name, pool: $poolName)"
    ):
      given home: SegmentPool = pool()
      for size <- Seq(0, 1, 1000, if home.segmentBytes < 100 then 3000 else 40_000) do
        val bytes = text(size)
        val source = make(bytes)
        val read = Buffer()
        assertEquals(source.read(read, 0), if size == 0 && read.isEmpty then none(source) else 0L)
        intercept[IllegalArgumentException](source.read(read, -1)): Unit
        var limit = 1L
        var count = source.read(read, limit)
        var total = 0L
        while count != -1 && total <= size do
          assert(count >= 1 && count <= limit, s"$count of $limit")
          total += count
          assertEquals(read.size, total)
          limit = limit * 3 % 9973 + 1
          count = source.read(read, limit)
        assertEquals(source.read(read, 100), -1L)
        assertEquals(read.readByteString(), ByteString(bytes))
        source.close()
        source.close()
        home.assertNoLeaks()
      end for

    /** A read of zero bytes from an empty source may report the end. */
    def none(source: Source): Long =
      val answer = source.read(Buffer(), 0)
      assert(answer == 0 || answer == -1)
      answer
  end for

  for (poolName, pool) <- Pools.all; (name, make) <- sinks do
    test(
      s"a sink writes all bytes and rejects a count above the input's size ($name, pool: $poolName)"
    ):
      given home: SegmentPool = pool()
      for size <- Seq(0, 1, 1000, if home.segmentBytes < 100 then 3000 else 40_000) do
        val bytes = text(size)
        val fixture = make(size)
        val input = Buffer().write(bytes)
        val copy = input.copy() // shares every segment passed to the sink
        var step = 0L
        while input.size > 0 do
          fixture.sink.write(input, Math.min(step, input.size))
          step = step * 3 % 9973 + 1
        fixture.sink.write(input, 0)
        input.writeByte(1): Unit
        val few = intercept[EndOfInputException](fixture.sink.write(input, 2))
        assertEquals((few.expected, few.available), ("2 bytes", 1L))
        intercept[RuntimeException](fixture.sink.write(input, -1)): Unit
        assertEquals(input.readByte(), 1.toByte)
        fixture.sink.flush()
        fixture.sink.close()
        fixture.sink.close()
        assertEquals(ByteString(fixture.written()), ByteString(bytes))
        assertEquals(copy.readByteString(), ByteString(bytes))
        home.assertNoLeaks()
      end for
  end for
end ConformanceTest

object ConformanceTest:
  final class Made(val sink: Sink, val written: () => Array[Byte])

  /** Text in lines, so that an iterator of lines can be a source of the same bytes. */
  private def text(size: Int): Array[Byte] =
    Array.tabulate(size)(i =>
      if i % 61 == 60 || i == size - 1 then '\n' else (33 + i * 7 % 90).toByte
    )

  private def cipher(mode: Int): Cipher =
    val cipher = Cipher.getInstance("AES/CTR/NoPadding")
    val zeros = new Array[Byte](16)
    cipher.init(mode, SecretKeySpec(zeros, "AES"), IvParameterSpec(zeros))
    cipher

  private def stream(bytes: Array[Byte]) = ByteArrayInputStream(bytes)
  private def packed(bytes: Array[Byte], pack: Sink => Sink)(using SegmentPool): Source =
    val out = ByteArrayOutputStream()
    val sink = pack(out.sink())
    val input = Buffer().write(bytes)
    sink.write(input, input.size)
    sink.close()
    stream(out.toByteArray).source()

  private val file = () =>
    val path = Files.createTempFile("undercroft", ".bytes")
    path.toFile.deleteOnExit()
    path

  val sources: Seq[(String, Array[Byte] => SegmentPool ?=> Source)] = Seq(
    "a stream" -> (bytes => stream(bytes).source()),
    "a channel" -> (bytes => Channels.newChannel(stream(bytes)).source()),
    "a file's channel" -> { bytes =>
      val path = Files.write(file(), bytes)
      FileChannel.open(path).source()
    },
    "a segment on the heap" -> (bytes => MemorySegment.ofArray(bytes).source()),
    "an off-heap segment" -> { bytes =>
      val copy = Arena.ofAuto.allocate(bytes.length.max(1)).asSlice(0, bytes.length)
      copy.copyFrom(MemorySegment.ofArray(bytes)).source()
    },
    "a ByteBuffer" -> (bytes => ByteBuffer.wrap(bytes).source()),
    "a direct ByteBuffer" ->
      (bytes => ByteBuffer.allocateDirect(bytes.length).put(bytes).flip().source()),
    "lines" -> { bytes =>
      if bytes.isEmpty then Iterator.empty[String].source()
      else String(bytes, 0, bytes.length - 1).split("\n", -1).iterator.source()
    },
    "a buffer" -> { bytes =>
      val buffer = Buffer().write(bytes)
      new Source:
        def read(sink: Buffer, byteCount: Long): Long = buffer.read(sink, byteCount)
        def close(): Unit = buffer.clear()
    },
    "a buffered stream" -> (bytes => stream(bytes).source().buffered),
    "a stream by way of a view as stream" ->
      (bytes => stream(bytes).source().buffered.inputStream().source()),
    "a stream by way of a view as channel" ->
      (bytes => stream(bytes).source().buffered.readableChannel().source()),
    "a peek" -> { bytes =>
      val upstream = stream(bytes).source().buffered
      val peek = upstream.peek()
      new Source:
        def read(sink: Buffer, byteCount: Long): Long = peek.read(sink, byteCount)
        def close(): Unit =
          peek.close()
          upstream.close()
    },
    "digested" -> (bytes =>
      HashingSource(stream(bytes).source(), MessageDigest.getInstance("MD5"))
    ),
    "decrypted" -> { bytes =>
      val encrypted = cipher(Cipher.ENCRYPT_MODE).doFinal(bytes)
      CipherSource(stream(encrypted).source().buffered, cipher(Cipher.DECRYPT_MODE))
    },
    "gunzipped" -> (bytes => Compression.gunzip(packed(bytes, Compression.gzip(_)))),
    "inflated" -> (bytes => Compression.inflate(packed(bytes, Compression.deflate(_)))),
    "a pipe" -> { bytes =>
      val pipe = Pipe(bytes.length.max(1))
      val input = Buffer().write(bytes)
      pipe.sink.write(input, input.size)
      pipe.sink.close()
      new Source:
        private var open = true
        def read(sink: Buffer, byteCount: Long): Long = pipe.source.read(sink, byteCount)
        def close(): Unit =
          if open then pipe.source.close()
          open = false
    },
    "throttled" -> (bytes => Throttler(0).source(stream(bytes).source())),
    "within a timeout" -> { bytes =>
      val timeout = AsyncTimeout(() => ())
      timeout.timeout(1.hour): Unit
      timeout.source(stream(bytes).source())
    }
  )

  private def collected(wrap: SegmentPool ?=> Sink => Sink): SegmentPool ?=> Int => Made = _ =>
    val out = ByteArrayOutputStream()
    Made(wrap(out.sink()), () => out.toByteArray)

  val sinks: Seq[(String, SegmentPool ?=> Int => Made)] = Seq(
    "a stream" -> collected(identity),
    "a channel" -> { _ =>
      val out = ByteArrayOutputStream()
      Made(Channels.newChannel(out).sink(), () => out.toByteArray)
    },
    "a channel that gathers" -> { _ =>
      val path = file()
      Made(
        FileChannel.open(path, StandardOpenOption.WRITE).sink(),
        () => Files.readAllBytes(path)
      )
    },
    "an off-heap segment" -> { size =>
      val target = Arena.ofAuto.allocate(size.max(1)).asSlice(0, size)
      Made(target.sink(), () => target.toArray(java.lang.foreign.ValueLayout.JAVA_BYTE))
    },
    "a direct ByteBuffer" -> { size =>
      val target = ByteBuffer.allocateDirect(size)
      val read = () =>
        val bytes = new Array[Byte](size)
        target.flip().get(bytes): Unit
        bytes
      Made(target.sink(), read)
    },
    "a buffer" -> { _ =>
      val buffer = Buffer()
      Made(buffer, () => buffer.readByteArray())
    },
    "a byte output" -> { _ =>
      val out = ByteOutput()
      val read = () =>
        val bytes = out.toByteArray()
        out.close()
        bytes
      Made(
        new Sink:
          private val sink = out.sink()
          def write(source: Buffer, byteCount: Long): Unit = sink.write(source, byteCount)
          def flush(): Unit = sink.flush()
          def close(): Unit = ()
        ,
        read
      )
    },
    "a buffered stream" -> collected(_.buffered),
    "a stream by way of a view as stream" -> collected(_.buffered.outputStream().sink()),
    "a stream by way of a view as channel" -> collected(_.buffered.writableChannel().sink()),
    "digested" -> collected(HashingSink(_, MessageDigest.getInstance("MD5"))),
    "encrypted and decrypted" -> collected(sink =>
      val decrypted = CipherSink(sink.buffered, cipher(Cipher.DECRYPT_MODE))
      CipherSink(decrypted.buffered, cipher(Cipher.ENCRYPT_MODE))
    ),
    "gzipped" -> { _ =>
      val out = ByteArrayOutputStream()
      Made(
        Compression.gzip(out.sink()),
        () => java.util.zip.GZIPInputStream(stream(out.toByteArray)).readAllBytes()
      )
    },
    "deflated" -> { _ =>
      val out = ByteArrayOutputStream()
      Made(
        Compression.deflate(out.sink()),
        () => java.util.zip.InflaterInputStream(stream(out.toByteArray)).readAllBytes()
      )
    },
    "a pipe" -> { size =>
      val pipe = Pipe(size.max(1))
      val read = () =>
        val source = pipe.source.buffered
        val bytes = source.readByteArray()
        source.close()
        bytes
      Made(pipe.sink, read)
    },
    "a folded pipe" -> collected: sink =>
      val pipe = Pipe(1)
      pipe.fold(sink)
      pipe.sink
    ,
    "throttled" -> collected(Throttler(0).sink(_)),
    "within a timeout" -> collected(AsyncTimeout(() => ()).timeout(1.hour).sink(_))
  )
end ConformanceTest
