package undercroft.buffer
package internal.io

import internal.codec.Search
import java.util.zip.{DataFormatException, Inflater, ZipException}

/** Decompresses zlib or deflate, with a preset dictionary if the data asks for one. Ends at the end
  * of the data. With an Inflater of the caller it also ends where the input ends at a flush.
  */
private[buffer] final class InflaterSource(
    input: BufferedSource,
    inflater: Inflater,
    isOwn: Boolean,
    dictionary: ByteString
) extends Source:
  private val data = InflaterInput(input, inflater, dictionary, endsAtFlush = !isOwn)
  private var open = true

  override def timeout: Timeout = input.timeout

  def read(sink: Buffer, byteCount: Long): Long =
    Search.checkCount(byteCount)
    if !open then throw ClosedException("the inflate source")
    if byteCount == 0 then 0
    else
      try data.read(sink, byteCount, null, "the rest of the compressed data")
      catch
        case e: DataFormatException =>
          val problem = e.getMessage
          val message = if problem == null then "the compressed data is invalid" else problem
          throw ZipException(message).initCause(e)

  def close(): Unit =
    if open then
      open = false
      Closing.all(() => if isOwn then inflater.end(), () => input.close())
end InflaterSource
