package undercroft.arrow

import java.nio.file.Path
import org.apache.arrow.flatbuf.CompressionType

/** The compression of the buffers of a written file or stream. A codec needs
  * `undercroft-compression` on the class path.
  *
  * {{{
  * import java.nio.file.Path
  * import undercroft.struct.*
  * def archive(bills: Columns[Bill], file: Path): Unit =
  *   bills.writeArrow(file, compression = ArrowCompression.Zstd)
  * }}}
  *
  * @param codec
  *   the name of the [[ArrowCodec]]; empty for no compression
  */
enum ArrowCompression(val codec: String) derives CanEqual:
  /** Buffers are written as they are, so a reader can memory-map them. */
  case None extends ArrowCompression("")

  /** LZ4 frames. */
  case Lz4 extends ArrowCompression("LZ4_FRAME")

  /** Zstandard. */
  case Zstd extends ArrowCompression("ZSTD")
end ArrowCompression

/** A codec that compresses written buffers, with its number in Arrow's format. */
private[arrow] final case class BufferCodec(codec: ArrowCodec, number: Byte)

private[arrow] object BufferCodec:
  /** The codec of a compression; throws if it is not on the class path. */
  def of(compression: ArrowCompression, path: Path): Option[BufferCodec] =
    Option.when(compression != ArrowCompression.None):
      val number =
        if compression == ArrowCompression.Zstd then CompressionType.ZSTD
        else CompressionType.LZ4_FRAME
      val codec = ArrowCodec.find(compression.codec).getOrElse:
        throw ArrowException(
          path,
          0,
          ArrowErrorKind.Unsupported,
          s"compression with ${compression.codec} needs undercroft-compression on the class" +
            " path; or write the file without compression"
        )
      BufferCodec(codec, number)
end BufferCodec
