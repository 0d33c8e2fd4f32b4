package undercroft.arrow.compression

import java.io.{InputStream, OutputStream}
import org.apache.commons.compress.compressors.lz4.{
  FramedLZ4CompressorInputStream,
  FramedLZ4CompressorOutputStream
}
import undercroft.arrow.ArrowCodec

/** LZ4 frames, in Java without Unsafe and without native code. Found by `ServiceLoader`.
  *
  * {{{
  * import java.io.ByteArrayInputStream
  * val frame = Array(4, 34, 77, 24, 96, 64, 130, 0, 0, 0, 0).map(_.toByte) // an empty frame
  * println(Lz4Codec().decompress(ByteArrayInputStream(frame)).readAllBytes().length) // 0
  * }}}
  */
final class Lz4Codec extends ArrowCodec:
  def name: String = "LZ4_FRAME"

  def decompress(compressed: InputStream): InputStream =
    FramedLZ4CompressorInputStream(compressed, true)

  def compress(target: OutputStream): OutputStream = FramedLZ4CompressorOutputStream(target)
end Lz4Codec
