package undercroft.buffer
package internal.io

import java.io.InputStream
import java.util.zip.{Inflater, InflaterInputStream, ZipException}

/** Decompresses zlib or deflate, with a preset dictionary if the data asks for one. */
private[buffer] final class InflaterStream(
    input: InputStream,
    inflater: Inflater,
    isOwn: Boolean,
    dictionary: ByteString,
    chunkBytes: Int
) extends InflaterInputStream(input, inflater, chunkBytes):

  override def fill(): Unit =
    super.fill()
    if !dictionary.isEmpty then
      // Decodes the header, which says whether a dictionary is needed.
      val _ = inflater.inflate(InflaterStream.Nothing)
      if inflater.needsDictionary then
        try inflater.setDictionary(dictionary.toByteArray)
        catch
          case _: IllegalArgumentException =>
            throw ZipException(s"the data needs another dictionary, ${InflaterStream.id(inflater)}")

  override def read(bytes: Array[Byte], from: Int, count: Int): Int =
    val read = super.read(bytes, from, count)
    if read < 0 && inflater.needsDictionary then
      throw ZipException(s"the data needs a dictionary, ${InflaterStream.id(inflater)}")
    read

  override def close(): Unit =
    try super.close()
    finally if isOwn then inflater.end()
end InflaterStream

private[buffer] object InflaterStream:
  private val Nothing = new Array[Byte](0)

  private def id(inflater: Inflater): String =
    s"whose Adler-32 is ${Integer.toHexString(inflater.getAdler)}"
