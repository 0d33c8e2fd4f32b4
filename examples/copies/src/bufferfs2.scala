/** FS2 streams over the sources and sinks of Undercroft: a file to copy. */
package bufferfs2

import cats.effect.kernel.{Async, Outcome, Resource, Sync}
import fs2.{Chunk, Pipe, Stream}
import java.io.IOException
import java.util.concurrent.CompletableFuture
import undercroft.buffer.{
  Buffer,
  BufferedSource,
  ByteString,
  ForwardingSource,
  Pipe as BytePipe,
  SegmentPool,
  Sink,
  Source,
  buffered
}

/** Streams of FS2 over sources and sinks of `undercroft-buffer`, and the reverse.
  *
  * Reads and writes run on the effect's threads for blocking calls. Cancellation interrupts them,
  * and then waits until they return: a read of an InputStream ignores the interrupt, and a close
  * that flushes is not interrupted, so set a timeout on the source and the sink of a network. Each
  * chunk is copied once, because a chunk may be kept forever, while a segment is used again.
  */
object ByteStreams:

  /** The most bytes that are read at a time: a segment. */
  final val DefaultChunkBytes = 8192

  /** The most bytes that wait for the reader of a stream: eight segments. */
  final val DefaultMaxBytes = 65536L

  /** The bytes of a source, in chunks of 1 to `chunkBytes` bytes. The source is read on demand.
    * Each run of the stream evaluates `open`, and closes the source when it ends: at the end of the
    * input, by an error, or by cancellation.
    *
    * @throws java.lang.IllegalArgumentException
    *   if `chunkBytes` is less than 1
    */
  def read[F[_]](open: F[Source], chunkBytes: Int = DefaultChunkBytes)(using
      F: Sync[F],
      pool: SegmentPool
  ): Stream[F, Byte] =
    if chunkBytes < 1 then
      throw IllegalArgumentException(s"chunkBytes must be at least 1, but is $chunkBytes")
    Stream
      .resource(Resource.make(F.map(open)(_.buffered))(source => F.blocking(source.close())))
      .flatMap(source => Stream.repeatEval(F.interruptible(next(source, chunkBytes))))
      .unNoneTerminate
      .unchunks

  /** Writes a stream to a sink, chunk by chunk: the next chunk is requested after the sink has
    * taken the previous one. Each run evaluates `open`, flushes the sink after the last byte, and
    * closes it when the stream ends, also by an error or by cancellation.
    */
  def write[F[_]](open: F[Sink])(using F: Sync[F], pool: SegmentPool): Pipe[F, Byte, Nothing] =
    bytes =>
      Stream
        .resource(Resource.make(open)(sink => F.blocking(sink.close())))
        .flatMap: sink =>
          bytes.chunks.foreach(chunk => F.interruptible(put(chunk, sink))) ++
            Stream.exec(F.interruptible(sink.flush()))

  /** A source of a stream's bytes, for a thread that may wait. The stream runs as long as the
    * resource is in use, and stops while `maxBytes` bytes wait for the reader. Closing the source
    * cancels the stream, also while it waits for its next chunk; the end of the resource cancels
    * it, too, and a read that waits then throws an IOException.
    *
    * A read waits within the source's timeout. It returns -1 after the last byte; if the stream
    * failed or canceled itself, it throws an IOException with the cause, after the bytes before.
    *
    * @throws java.lang.IllegalArgumentException
    *   if `maxBytes` is less than 1
    */
  def source[F[_]](bytes: Stream[F, Byte], maxBytes: Long = DefaultMaxBytes)(using
      F: Async[F],
      pool: SegmentPool
  ): Resource[F, Source] =
    if maxBytes < 1 then
      throw IllegalArgumentException(s"maxBytes must be at least 1, but is $maxBytes")
    for
      source <- Resource.make(F.delay(StreamSource(maxBytes)))(source => F.delay(source.cancel()))
      _ <- F.background(run(bytes, source))
    yield source

  /** Runs a stream to its end, which the reader gets, or until the reader closes the source. */
  private def run[F[_]](bytes: Stream[F, Byte], source: StreamSource)(using
      F: Async[F],
      pool: SegmentPool
  ): F[Unit] =
    val passed = bytes.chunks.foreach(chunk => F.interruptible(put(chunk, source.sink)))
    val ended = F.flatMap(passed.compile.drain)(_ => F.delay(source.end()))
    val checked = F.guaranteeCase(ended):
      case Outcome.Errored(cause) => F.delay(source.fail(cause))
      case Outcome.Canceled()     => F.delay(source.fail(IOException("the stream was canceled")))
      // for effects with another kind of error, as EitherT; otherwise the source has ended
      case Outcome.Succeeded(_) =>
        F.delay(source.fail(IOException("the stream's effect has no result")))
    F.void(F.race(F.attempt(checked), F.fromCompletableFuture(F.delay(source.closed))))

  private def next(source: BufferedSource, chunkBytes: Int): Option[Chunk[Byte]] =
    Option.when(source.request(1)):
      Chunk.array(source.readByteArray(Math.min(source.buffer.size, chunkBytes)))

  private def put(chunk: Chunk[Byte], sink: Sink)(using SegmentPool): Unit =
    val buffer = Buffer()
    try
      buffer.write(chunk.toByteBuffer)
      sink.write(buffer, buffer.size)
      if buffer.size > 0 then throw IOException(s"the sink left ${buffer.size} bytes of a chunk")
    finally buffer.clear()
end ByteStreams

extension (bytes: ByteString)
  /** The same bytes as a chunk of FS2, which shares their array and cannot change it. Thread-safe.
    * A snapshot of a buffer of 64 KiB or more is copied once, because its segments return to their
    * pool.
    */
  def toChunk: Chunk[Byte] = Chunk.byteBuffer(bytes.asByteBuffer)

extension (chunk: Chunk[Byte])
  /** The same bytes as a byte string, copied: the array of a chunk may be changed elsewhere.
    */
  def toByteString: ByteString = ByteString.of(chunk.toByteBuffer)

/** The reader's end of a pipe to which a stream writes. */
private final class StreamSource(pipe: BytePipe) extends ForwardingSource(pipe.source):
  @volatile private var failure: Throwable | Null = null
  private var hasEnded = false

  /** Completed when the reader closes the source. */
  val closed: CompletableFuture[Unit] = CompletableFuture()

  def sink: Sink = pipe.sink

  override def read(sink: Buffer, byteCount: Long): Long =
    val count = super.read(sink, byteCount)
    val cause = failure
    if count == -1 && (cause ne null) then throw IOException(s"the stream failed: $cause", cause)
    count

  override def close(): Unit =
    super.close()
    closed.complete(()): Unit

  /** Ends the input; called by the stream, as [[fail]]. */
  def end(): Unit =
    hasEnded = true
    try pipe.sink.close()
    catch case _: IOException => () // the reader has closed its end

  /** Ends the input by an error, unless it has ended. */
  def fail(cause: Throwable): Unit = if !hasEnded then
    failure = cause
    end()

  def cancel(): Unit = pipe.cancel()
end StreamSource

private object StreamSource:
  def apply(maxBytes: Long)(using SegmentPool): StreamSource = new StreamSource(BytePipe(maxBytes))
