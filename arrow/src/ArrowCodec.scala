package undercroft.arrow

import java.io.{IOException, InputStream, OutputStream}
import java.util.ServiceLoader
import scala.jdk.CollectionConverters.IteratorHasAsScala

/** A codec that compresses and decompresses the buffers of Arrow files. Codecs are services of
  * `ServiceLoader`: `undercroft-compression` provides Arrow's two, which are found when it is on
  * the class path.
  *
  * {{{
  * import java.io.{InputStream, OutputStream}
  * final class Lz4(open: InputStream => InputStream, start: OutputStream => OutputStream)
  *     extends ArrowCodec:
  *   def name = "LZ4_FRAME"
  *   def compress(target: OutputStream): OutputStream = start(target)
  *   def decompress(compressed: InputStream): InputStream = open(compressed)
  * }}}
  */
trait ArrowCodec:
  /** The name in Arrow's format: `LZ4_FRAME` or `ZSTD`. */
  def name: String

  /** Returns a stream of the uncompressed bytes of one buffer. Invalid bytes are an exception of
    * its reads.
    */
  @throws[IOException]
  def decompress(compressed: InputStream): InputStream

  /** Returns a stream that compresses the bytes of one buffer to `target`. Its close ends the
    * compressed bytes.
    */
  @throws[IOException]
  def compress(target: OutputStream): OutputStream

private[arrow] object ArrowCodec:
  def find(name: String): Option[ArrowCodec] =
    ServiceLoader.load(classOf[ArrowCodec]).iterator.asScala.find(_.name.equals(name))
