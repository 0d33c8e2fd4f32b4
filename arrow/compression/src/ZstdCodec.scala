package undercroft.arrow.compression

import com.github.luben.zstd.{ZstdInputStream, ZstdOutputStream}
import java.io.{InputStream, OutputStream}
import undercroft.arrow.ArrowCodec

/** Zstandard, by its own library in C, which needs native access. Found by `ServiceLoader`.
  *
  * {{{
  * import java.io.ByteArrayInputStream
  * val frame = Array(40, -75, 47, -3, 32, 0, 1, 0, 0).map(_.toByte) // an empty frame
  * println(ZstdCodec().decompress(ByteArrayInputStream(frame)).readAllBytes().length) // 0
  * }}}
  */
final class ZstdCodec extends ArrowCodec:
  def name: String = "ZSTD"

  def decompress(compressed: InputStream): InputStream = ZstdInputStream(compressed)

  def compress(target: OutputStream): OutputStream = ZstdOutputStream(target)
end ZstdCodec
