package undercroft.buffer.fs2streams

import cats.effect.kernel.{Async, Outcome, Resource, Sync}
import fs2.{Chunk, Pipe, Stream}
import internal.pipe.StreamSource
import java.io.IOException
import undercroft.buffer.internal.io.Progress
import undercroft.buffer.{Buffer, SegmentPool, Sink, Source}

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
    * {{{
    * import cats.effect.IO
    * import cats.effect.unsafe.implicits.global
    * import undercroft.buffer.{Buffer, Source}
    * val open: IO[Source] = IO(Buffer().writeUtf8("price"))
    * println(ByteStreams.read(open).compile.count.unsafeRunSync()) // 5
    * }}}
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
      .resource(Resource.make(open)(source => F.blocking(source.close())))
      .flatMap(source => Stream.repeatEval(F.interruptible(next(source, chunkBytes))))
      .unNoneTerminate
      .unchunks

  /** Writes a stream to a sink, chunk by chunk: the next chunk is requested after the sink has
    * taken the previous one. Each run evaluates `open`, flushes the sink after the last byte, and
    * closes it when the stream ends, also by an error or by cancellation.
    *
    * {{{
    * import cats.effect.IO
    * import cats.effect.unsafe.implicits.global
    * import fs2.Stream
    * import undercroft.buffer.{Buffer, Sink}
    * val buffer = Buffer()
    * val open: IO[Sink] = IO(buffer)
    * Stream.emits("price".getBytes).through(ByteStreams.write(open)).compile.drain.unsafeRunSync()
    * println(buffer.readUtf8()) // price
    * }}}
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
    * {{{
    * import cats.effect.IO
    * import cats.effect.unsafe.implicits.global
    * import fs2.Stream
    * import undercroft.buffer.buffered
    * val bytes = Stream.emits("price 251".getBytes).covary[IO]
    * val text = ByteStreams.source(bytes).use(source => IO.blocking(source.buffered.readUtf8()))
    * println(text.unsafeRunSync()) // price 251
    * }}}
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

  private def next(source: Source, chunkBytes: Int)(using SegmentPool): Option[Chunk[Byte]] =
    val buffer = Buffer()
    try
      val count = Progress.read(source, buffer, chunkBytes)
      if count == -1 then None else Some(Chunk.array(buffer.readByteArray()))
    finally buffer.clear()

  private def put(chunk: Chunk[Byte], sink: Sink)(using SegmentPool): Unit =
    val buffer = Buffer()
    try
      buffer.write(chunk.toByteBuffer)
      Progress.write(sink, buffer, buffer.size)
    finally buffer.clear()
end ByteStreams
