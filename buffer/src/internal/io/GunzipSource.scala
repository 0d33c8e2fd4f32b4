package undercroft.buffer
package internal.io

import internal.codec.Search
import java.util.zip.{CRC32, DataFormatException, Inflater, ZipException}

/** Decompresses gzip (RFC 1952): all members, verifying the checksum and the size of each. Zeros
  * after the last member are padding, other bytes an error, which every later read throws again; so
  * are errors of a member, after all bytes that were decoded before. After an error of the input a
  * read continues where that one ended. It reads no input before its first read. For one thread at
  * a time.
  *
  * @param mostMembers
  *   number of members after which it ends; it leaves the bytes after them in the input
  */
private[buffer] final class GunzipSource(input: BufferedSource, mostMembers: Long) extends Source:
  import GunzipSource.*
  private val inflater = Inflater(true)
  private val data = InflaterInput(input, inflater, ByteString.empty, endsAtFlush = false)
  private val checksum = CRC32()
  // Number of complete members.
  private var members = 0L
  private var inData = false
  private var inTrailer = false
  private val header = CRC32()
  // Flags of the header's parts that have not been read; -1 outside a header.
  private var flags = -1
  // Bytes of the extra part that have not been read; -1 before its length.
  private var extraBytes = -1
  private var isPadded = false
  private var isFinished = false
  private var failure: ZipException | Null = null
  private var open = true

  override def timeout: Timeout = input.timeout

  def read(sink: Buffer, byteCount: Long): Long =
    Search.checkCount(byteCount)
    if !open then throw ClosedException("the gzip source")
    val error = failure
    if error != null then throw error
    var count = 0L
    while count == 0 && byteCount > 0 && !isFinished do
      if inData then count = inflate(sink, byteCount)
      else if inTrailer then readTrailer()
      else if flags >= 0 || members == 0 || members < mostMembers && hasMember() then readHeader()
      else isFinished = true
    if count == 0 && isFinished && byteCount > 0 then -1 else count

  /** Returns decoded bytes, or 0 at the end of the data. */
  private def inflate(sink: Buffer, byteCount: Long): Long =
    val count =
      try data.read(sink, byteCount, checksum, s"the rest of the data of $member")
      catch
        case e: DataFormatException =>
          throw wrong(s"its data is invalid: ${e.getMessage}").initCause(e)
    if count == -1 then
      inData = false
      inTrailer = true
    Math.max(count, 0)

  private def member = s"gzip member ${members + 1}"

  /** Waits for bytes of a part of the member. */
  private def require(byteCount: Long, part: String): Unit =
    if !input.request(byteCount) then throw input.buffer.ended(s"the $part of $member")

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
        require(2, "header")
        extraBytes = byte() | byte() << 8
      while extraBytes > 0 do
        byte(): Unit
        extraBytes -= 1
      flags &= ~Extra
    if (flags & Name) != 0 then readText(Name)
    if (flags & Comment) != 0 then readText(Comment)
    if (flags & HeaderChecksum) != 0 then
      val expected = header.getValue.toInt & 0xffff
      require(2, "header")
      check("header checksum", input.readShortLe() & 0xffff, expected)
    inflater.reset()
    checksum.reset()
    flags = -1
    inData = true
  end readHeader

  /** Reads the part of a header that every member has: consumes all of it, or nothing. */
  private def readStart(): Unit =
    require(2, "header")
    val magic = input.buffer(0) & 0xff | (input.buffer(1) & 0xff) << 8
    if magic != Magic then
      throw wrong(s"its first two bytes are 0x${hex(magic)}, but must be 0x${hex(Magic)}")
    require(3, "header")
    val method = input.buffer(2) & 0xff
    if method != Deflated then
      throw wrong(s"its compression method must be $Deflated, but is $method")
    require(4, "header")
    val parts = input.buffer(3) & 0xff
    if (parts & Reserved) != 0 then throw wrong(s"its flags 0x${hex(parts)} are not supported")
    require(StartBytes, "header")
    header.reset()
    for _ <- 0 until StartBytes do byte(): Unit
    flags = parts
    extraBytes = -1

  private def readText(part: Int): Unit =
    while byte() != 0 do ()
    flags &= ~part

  private def byte(): Int =
    require(1, "header")
    val value = input.readByte() & 0xff
    header.update(value)
    value

  private def readTrailer(): Unit =
    require(8, "trailer")
    check("checksum", input.readIntLe(), checksum.getValue.toInt)
    check("size modulo 2^32", input.readIntLe(), inflater.getBytesWritten.toInt)
    inTrailer = false
    members += 1

  private def check(field: String, actual: Int, expected: Int): Unit =
    if actual != expected then
      throw wrong(s"its $field is 0x${hex(actual)}, but its data has 0x${hex(expected)}")

  private def wrong(problem: String): ZipException =
    failed(s"$member is corrupt: $problem")

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
