package undercroft.buffer
package internal.io

import internal.codec.Search
import java.util.zip.{CRC32, DataFormatException, Inflater, ZipException}

/** Decompresses gzip (RFC 1952): all members, verifying the checksum and the size of each. Zeros
  * after the last member are padding, other bytes an error, which every later read throws again.
  * After an error of the input a read continues where that one ended. It reads no input before its
  * first read. For one thread at a time.
  */
private[buffer] final class GunzipSource(source: Source)(using SegmentPool) extends Source:
  import GunzipSource.*
  private val input = source.buffered
  private val inflater = Inflater(true)
  private val checksum = CRC32()
  private val chunk = new Array[Byte](ChunkBytes)
  // Bytes of the input copied to the chunk and not yet consumed from the input.
  private var pending = 0
  // Number of complete members.
  private var members = 0L
  private var inMember = false
  private val header = CRC32()
  // Flags of the header's parts that have not been read; -1 outside a header.
  private var flags = -1
  // Bytes of the extra part that have not been read; -1 before its length.
  private var extraBytes = -1
  private var isPadded = false
  private var isFinished = false
  private var failure: ZipException | Null = null
  private var open = true

  override def timeout: Timeout = source.timeout

  def read(sink: Buffer, byteCount: Long): Long =
    Search.checkCount(byteCount)
    if !open then throw ClosedException("the gzip source")
    val error = failure
    if error != null then throw error
    var count = 0L
    while count == 0 && byteCount > 0 && !isFinished do
      if inMember then count = inflate(sink, byteCount)
      else if flags >= 0 || members == 0 || hasMember() then readHeader()
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
    var isEnd = input.exhausted
    while !isEnd && input.buffer(0) == 0 do
      input.skip(1)
      isPadded = true
      isEnd = input.exhausted
    if !isEnd && isPadded then
      throw failed(s"bytes after member $members and its padding are not in gzip format")
    !isEnd

  /** Reads the header of a member or, after an error of the input, the rest of it. */
  private def readHeader(): Unit =
    if flags < 0 then readStart()
    if (flags & Extra) != 0 then
      if extraBytes < 0 then
        input.require(2)
        extraBytes = byte() | byte() << 8
      while extraBytes > 0 do
        byte(): Unit
        extraBytes -= 1
      flags &= ~Extra
    if (flags & Name) != 0 then readText(Name)
    if (flags & Comment) != 0 then readText(Comment)
    if (flags & HeaderChecksum) != 0 then
      val expected = header.getValue.toInt & 0xffff
      check("header checksum", input.readShortLe() & 0xffff, expected)
    inflater.reset()
    checksum.reset()
    flags = -1
    inMember = true

  /** Reads the part of a header that every member has: consumes all of it, or nothing. */
  private def readStart(): Unit =
    input.require(2)
    val magic = input.buffer(0) & 0xff | (input.buffer(1) & 0xff) << 8
    if magic != Magic then
      throw wrong(s"its first two bytes are 0x${hex(magic)}, but must be 0x${hex(Magic)}")
    input.require(3)
    val method = input.buffer(2) & 0xff
    if method != Deflated then
      throw wrong(s"its compression method must be $Deflated, but is $method")
    input.require(4)
    val parts = input.buffer(3) & 0xff
    if (parts & Reserved) != 0 then throw wrong(s"its flags 0x${hex(parts)} are not supported")
    input.require(StartBytes)
    header.reset()
    for _ <- 0 until StartBytes do byte(): Unit
    flags = parts
    extraBytes = -1

  private def readText(part: Int): Unit =
    while byte() != 0 do ()
    flags &= ~part

  private def byte(): Int =
    val value = input.readByte() & 0xff
    header.update(value)
    value

  private def readTrailer(): Unit =
    input.require(8)
    check("checksum", input.readIntLe(), checksum.getValue.toInt)
    check("size modulo 2^32", input.readIntLe(), inflater.getBytesWritten.toInt)
    inMember = false
    members += 1

  private def check(field: String, actual: Int, expected: Int): Unit =
    if actual != expected then
      throw wrong(s"its $field is 0x${hex(actual)}, but its data has 0x${hex(expected)}")

  private def wrong(problem: String): ZipException =
    failed(s"gzip member ${members + 1} is corrupt: $problem")

  private def failed(message: String): ZipException =
    val error = ZipException(message)
    failure = error
    error

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

  /** Magic number, method, flags, modification time, compression level and operating system. */
  private val StartBytes = 10

  // Flags of the header.
  private val HeaderChecksum = 2
  private val Extra = 4
  private val Name = 8
  private val Comment = 16
  private val Reserved = 0xe0
end GunzipSource
