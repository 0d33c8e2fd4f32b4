package undercroft.buffer
package internal.io

import java.io.IOException
import java.util.zip.{CRC32, DataFormatException, Inflater}

/** The input of an Inflater. Decodes from the head of `input`, whose next byte is always the first
  * one that the Inflater has not consumed. A read returns decoded bytes before it requests input
  * and before it throws an error of the data. For one thread at a time.
  *
  * @param endsAtFlush
  *   whether input that ends at a flush is an end; otherwise it is truncated
  */
private[buffer] final class InflaterInput(
    input: BufferedSource,
    inflater: Inflater,
    dictionary: ByteString,
    endsAtFlush: Boolean
):
  import InflaterInput.*
  private val chunk = new Array[Byte](ChunkBytes)
  private var chunkBytes = 0

  /** Bytes at the end of the chunk that the Inflater has not consumed; the head of the input. */
  private var pending = 0
  private var failure: DataFormatException | Null = null

  /** Whether the last call filled its room: the Inflater may have decoded more than it returned. */
  private var mayHaveOutput = true

  /** The last four consumed bytes. */
  private var lastBytes = -1

  /** Moves at least one decoded byte to `sink`; returns -1 at the end of the data. */
  def read(sink: Buffer, byteCount: Long, checksum: CRC32 | Null, expected: String): Long =
    // Its owner may have reset it, or given it input that is not from this source.
    if inflater.getRemaining != pending then pending = 0
    var count = 0L
    var isEnd = inflater.finished
    while count == 0 && !isEnd do
      throwFailure()
      if inflater.needsInput && !mayHaveOutput then isEnd = !refill(expected)
      if !isEnd then
        count = inflate(sink, byteCount, checksum)
        isEnd = inflater.finished
    if count == 0 then -1 else count

  private def throwFailure(): Unit =
    val error = failure
    if error != null then throw error

  private def inflate(sink: Buffer, byteCount: Long, checksum: CRC32 | Null): Long =
    val before = inflater.getRemaining
    val count = sink.filled(byteCount): (bytes, from, room) =>
      val done = decode(bytes, from, room)
      if checksum != null then checksum.update(bytes, from, done)
      mayHaveOutput = done == room
      done
    consume(before - inflater.getRemaining)
    if count == 0 && failure == null && inflater.needsDictionary then supplyDictionary()
    count

  /** Decodes once; of data that is invalid, the bytes before the invalid part. */
  private def decode(bytes: Array[Byte], from: Int, room: Int): Int =
    try
      val written = inflater.getBytesWritten
      try inflater.inflate(bytes, from, room)
      catch
        case e: DataFormatException =>
          failure = e
          (inflater.getBytesWritten - written).toInt
    catch case e: IllegalStateException => throw IOException(s"the Inflater was ended", e)

  private def supplyDictionary(): Unit =
    val id = s"whose Adler-32 is ${Integer.toHexString(inflater.getAdler)}"
    if dictionary.isEmpty then throw failed(s"the data needs a dictionary, $id")
    try inflater.setDictionary(dictionary.toByteArray)
    catch
      case _: IllegalArgumentException => throw failed(s"the data needs another dictionary, $id")

  private def failed(message: String): DataFormatException =
    val error = DataFormatException(message)
    failure = error
    error

  /** Passes the next bytes to the Inflater; returns false if the input ends at a flush. */
  private def refill(expected: String): Boolean =
    if !input.exhausted then
      val segment = input.buffer.head
      chunkBytes = Math.min(segment.size, chunk.length)
      pending = chunkBytes
      segment.get(segment.pos, chunk, 0, pending)
      inflater.setInput(chunk, 0, pending)
      mayHaveOutput = true
      true
    else if endsAtFlush && lastBytes == FlushEnd then false
    else throw input.buffer.ended(expected)

  private def consume(bytes: Int): Unit = if pending > 0 && bytes > 0 then
    val end = chunkBytes - pending + bytes
    for i <- Math.max(end - bytes, end - 4) until end do
      lastBytes = lastBytes << 8 | chunk(i) & 0xff
    pending -= bytes
    input.buffer.drop(bytes)
end InflaterInput

private[buffer] object InflaterInput:
  private val ChunkBytes = 8192

  /** The end of the empty stored block that a flush writes. */
  private val FlushEnd = 0x0000ffff
end InflaterInput
