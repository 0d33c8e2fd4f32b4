package undercroft.buffer
package internal.io

import internal.codec.Search
import java.util.zip.{CRC32, DataFormatException, Inflater, ZipException}

/** Decompresses gzip (RFC 1952): all members, verifying the checksum and the size of each. Zeros
  * after the last member are padding, other bytes an error. It reads no input before its first
  * read. For one thread at a time.
  */
private[buffer] final class GunzipSource(source: Source)(using SegmentPool) extends Source:
  import GunzipSource.*
  private val input = source.buffered
  private val inflater = Inflater(true)
  private val checksum = CRC32()
  private val chunk = new Array[Byte](ChunkBytes)
  // Bytes of the input copied to the chunk and not yet consumed from the input.
  private var pending = 0
  private var members = 0L
  private var inMember = false
  private var isFinished = false
  private var open = true

  override def timeout: Timeout = source.timeout

  def read(sink: Buffer, byteCount: Long): Long =
    Search.checkCount(byteCount)
    if !open then throw ClosedException("the gzip source")
    var count = 0L
    while count == 0 && byteCount > 0 && !isFinished do
      if inMember then count = inflate(sink, byteCount)
      else if members == 0 || hasMember() then readHeader()
      else isFinished = true
    if count == 0 && isFinished && byteCount > 0 then -1 else count

  private def inflate(sink: Buffer, byteCount: Long): Long =
    if inflater.needsInput then refill()
    val inflatedBytes =
      try
        sink.filled(byteCount): (bytes, from, count) =>
          val done = inflater.inflate(bytes, from, count)
          checksum.update(bytes, from, done)
          done
      catch case e: DataFormatException => throw wrong(s"its data is invalid: ${e.getMessage}")
    if inflater.needsDictionary then throw wrong("its data needs a dictionary")
    if inflater.finished then
      giveBack()
      readTrailer()
    inflatedBytes

  /** Passes the next bytes to the inflater; they stay in the input until it has consumed them. */
  private def refill(): Unit =
    giveBack()
    input.require(1)
    val segment = input.buffer.head
    pending = Math.min(segment.size, chunk.length)
    segment.get(segment.pos, chunk, 0, pending)
    inflater.setInput(chunk, 0, pending)

  private def giveBack(): Unit =
    val consumedBytes = pending - inflater.getRemaining
    pending = 0
    input.buffer.drop(consumedBytes)

  /** Whether another member follows; skips padding. */
  private def hasMember(): Boolean =
    val isPadding = !input.exhausted && input.buffer(0) == 0
    while isPadding && !input.exhausted && input.buffer(0) == 0 do input.skip(1)
    if isPadding && !input.exhausted then
      throw ZipException(s"bytes after member $members and its padding are not in gzip format")
    !isPadding && !input.exhausted

  private def readHeader(): Unit =
    val header = CRC32()
    def byte(): Int =
      val value = input.readByte() & 0xff
      header.update(value)
      value
    def short(): Int = byte() | byte() << 8
    def text(): Unit = while byte() != 0 do ()
    members += 1
    val magic = short()
    if magic != Magic then
      throw wrong(s"its first two bytes are 0x${hex(magic)}, but must be 0x${hex(Magic)}")
    val method = byte()
    if method != Deflated then
      throw wrong(s"its compression method must be $Deflated, but is $method")
    val flags = byte()
    if (flags & Reserved) != 0 then throw wrong(s"its flags 0x${hex(flags)} are not supported")
    for _ <- 0 until HeaderRest do byte(): Unit
    if (flags & Extra) != 0 then for _ <- 0 until short() do byte(): Unit
    if (flags & Name) != 0 then text()
    if (flags & Comment) != 0 then text()
    if (flags & HeaderChecksum) != 0 then
      val expected = header.getValue.toInt & 0xffff
      check("header checksum", input.readShortLe() & 0xffff, expected)
    inflater.reset()
    checksum.reset()
    inMember = true
  end readHeader

  private def readTrailer(): Unit =
    input.require(8)
    check("checksum", input.readIntLe(), checksum.getValue.toInt)
    check("size modulo 2^32", input.readIntLe(), inflater.getBytesWritten.toInt)
    inMember = false

  private def check(field: String, actual: Int, expected: Int): Unit =
    if actual != expected then
      throw wrong(s"its $field is 0x${hex(actual)}, but its data has 0x${hex(expected)}")

  private def wrong(problem: String): ZipException =
    ZipException(s"gzip member $members is corrupt: $problem")

  private def hex(value: Int): String = Integer.toHexString(value)

  def close(): Unit =
    if open then
      open = false
      Closing.all(() => inflater.end(), () => input.close())
end GunzipSource

private[buffer] object GunzipSource:
  private val ChunkBytes = 8192
  private val Magic = 0x8b1f
  private val Deflated = 8

  /** Modification time, compression level and operating system. */
  private val HeaderRest = 6

  // Flags of the header.
  private val HeaderChecksum = 2
  private val Extra = 4
  private val Name = 8
  private val Comment = 16
  private val Reserved = 0xe0
end GunzipSource
