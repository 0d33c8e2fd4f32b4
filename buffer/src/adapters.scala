package undercroft.buffer

import java.io.{InputStream, OutputStream}
import java.nio.ByteBuffer
import java.nio.channels.{ReadableByteChannel, WritableByteChannel}

extension (stream: InputStream)
  /** What a stream gives, read into segments without a copy between. Closing it closes the stream.
    */
  def source(): Source = new Source:
    def read(sink: Buffer, byteCount: Long): Long =
      Search.checkCount(byteCount)
      if byteCount == 0 then 0
      else
        sink.filled: (bytes, from, room) =>
          stream.read(bytes, from, Math.min(room, byteCount).toInt)
    def close(): Unit = stream.close()

extension (stream: OutputStream)
  /** What a stream takes. Closing it closes the stream. */
  def sink(): Sink = new Sink:
    def write(source: Buffer, byteCount: Long): Unit =
      source.emptied(byteCount)((bytes, from, count) => stream.write(bytes, from, count))
    def flush(): Unit = stream.flush()
    def close(): Unit = stream.close()

extension (channel: ReadableByteChannel)
  /** What a blocking channel gives. Closing it closes the channel. */
  def source(): Source = new Source:
    def read(sink: Buffer, byteCount: Long): Long =
      Search.checkCount(byteCount)
      if byteCount == 0 then 0
      else
        sink.filled: (bytes, from, room) =>
          channel.read(ByteBuffer.wrap(bytes, from, Math.min(room, byteCount).toInt))
    def close(): Unit = channel.close()

extension (channel: WritableByteChannel)
  /** What a blocking channel takes. Closing it closes the channel. */
  def sink(): Sink = new Sink:
    def write(source: Buffer, byteCount: Long): Unit =
      source.emptied(byteCount): (bytes, from, count) =>
        val view = ByteBuffer.wrap(bytes, from, count)
        while view.hasRemaining do channel.write(view): Unit
    def flush(): Unit = ()
    def close(): Unit = channel.close()
