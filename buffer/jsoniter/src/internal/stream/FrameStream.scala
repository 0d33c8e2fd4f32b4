package undercroft.buffer.jsoniter
package internal.stream

import java.io.InputStream
import undercroft.buffer.Buffer

/** The first `byteCount` bytes of a buffer, which must have them, as a stream that consumes none.
  */
private[jsoniter] final class FrameStream(buffer: Buffer, byteCount: Long) extends InputStream:
  private val cursor = buffer.cursor()
  private var at = 0L

  def read(): Int =
    if at == byteCount then -1
    else
      cursor.seek(at): Unit
      at += 1
      cursor(0) & 0xff

  override def read(bytes: Array[Byte], from: Int, count: Int): Int =
    if at == byteCount && count > 0 then -1
    else if count == 0 then 0
    else
      val step = Math.min(Math.min(cursor.seek(at), byteCount - at), count).toInt
      cursor.read(bytes, from, step)
      at += step
      step
end FrameStream
