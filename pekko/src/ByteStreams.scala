package undercroft.pekko

import internal.stream.{ReaderSource, SinkWriter, SourceReader, TargetSink}
import org.apache.pekko.NotUsed
import org.apache.pekko.stream.{ActorAttributes, Attributes}
import org.apache.pekko.stream.scaladsl as pekko
import org.apache.pekko.util.ByteString
import scala.concurrent.Future
import undercroft.buffer.{SegmentPool, Sink, Source}

/** Creates sources and sinks of Pekko Streams from sources and sinks of `undercroft-buffer`.
  *
  * They run on Pekko's dispatcher for blocking calls, because a read or a write may wait. The
  * stream's demand is the back-pressure: a source is read when the next stage asks for an element,
  * and a sink gets an element when it has written the previous one. Between dispatchers Pekko asks
  * for up to 16 elements ahead (`pekko.stream.materializer.max-input-buffer-size`).
  *
  * Each chunk is copied once between an array of a byte string and the pooled segments of a buffer.
  * A byte string of Pekko is immutable and may be kept forever, while a segment is used again.
  */
object ByteStreams:

  /** The most bytes that are read at a time: a segment. */
  final val DefaultChunkBytes = 8192

  /** The bytes of a source, in chunks of 1 to `chunkBytes` bytes.
    *
    * Each materialization calls `open`, and closes the source when its stream ends: at the end of
    * the input, by an error, by cancellation, or with the materializer. An error of `open`, of a
    * read or of the close is the stream's failure, under each supervision strategy. A read that
    * waits is not interrupted by cancellation: set the source's
    * [[undercroft.buffer.Source.timeout timeout]].
    *
    * {{{
    * import java.nio.file.Files
    * import org.apache.pekko.NotUsed
    * import org.apache.pekko.stream.scaladsl as pekko
    * import org.apache.pekko.util.ByteString
    * import undercroft.buffer.source
    * val file = Files.createTempFile("day", ".csv")
    * val bytes: pekko.Source[ByteString, NotUsed] = ByteStreams.source(Files.newInputStream(file).source())
    * }}}
    *
    * @throws java.lang.IllegalArgumentException
    *   if `chunkBytes` is less than 1
    */
  def source(open: => Source, chunkBytes: Int = DefaultChunkBytes)(using
      SegmentPool
  ): pekko.Source[ByteString, NotUsed] =
    if chunkBytes < 1 then
      throw IllegalArgumentException(s"chunkBytes must be at least 1, but is $chunkBytes")
    pekko.Source.fromGraph(
      ReaderSource("undercroft.ByteStreams.source", () => SourceReader(open, chunkBytes))
    )

  /** Writes a stream to a sink. The value is the number of bytes, after the sink was flushed and
    * closed.
    *
    * Each materialization calls `open`, and closes the sink when its stream ends, also by a
    * failure. If `open`, a write, a flush or the close fails, the future fails, and the stream is
    * canceled.
    *
    * {{{
    * import java.nio.file.Files
    * import org.apache.pekko.stream.scaladsl as pekko
    * import org.apache.pekko.util.ByteString
    * import scala.concurrent.Future
    * import undercroft.buffer.sink
    * val file = Files.createTempFile("day", ".csv")
    * val save: pekko.Sink[ByteString, Future[Long]] = ByteStreams.sink(Files.newOutputStream(file).sink())
    * }}}
    *
    * @param autoFlush
    *   whether the sink is flushed after each element, too
    */
  def sink(open: => Sink, autoFlush: Boolean = false)(using
      SegmentPool
  ): pekko.Sink[ByteString, Future[Long]] =
    val stage = TargetSink("undercroft.ByteStreams.sink", () => SinkWriter(open, autoFlush))
    pekko.Sink.fromGraph(stage).addAttributes(Attributes(ActorAttributes.IODispatcher))
end ByteStreams
