package undercroft.buffer

import internal.codec.{Bounds, Search, TextPreview}
import internal.segment.SharedBytes
import java.io.{EOFException, InputStream, OutputStream}
import java.lang.invoke.VarHandle
import java.lang.ref.Reference.reachabilityFence
import java.nio.ByteBuffer
import java.nio.charset.Charset
import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import java.util.{Arrays, Base64, HexFormat}
import undercroft.memory.internal.platform.LoaderLifetime

/** An immutable sequence of bytes. Thread-safe. Ordered as unsigned bytes.
  *
  * A large string made by a buffer's `snapshot` shares the buffer's segments, which return to the
  * pool when the string is closed, or once the garbage collector finds it unreachable. Reading
  * single bytes, ranges, comparisons, digests and writing to a buffer access the segments directly;
  * all other operations copy the bytes once to an array. [[close]] is for such snapshots; other
  * byte strings need none.
  *
  * {{{
  * val bytes = ByteString.utf8("price")
  * println(bytes.sha256.hex)
  * println(bytes.startsWith(ByteString.hex("7072")))
  * }}}
  */
final class ByteString private (
    private var own: Array[Byte] | Null, // null if the string is shared or closed
    private[buffer] val shared: SharedBytes | Null
) extends Comparable[ByteString],
      AutoCloseable,
      java.io.Serializable derives CanEqual:
  // Zero until it is computed, as in String.
  @transient private var hash = 0
  VarHandle.storeStoreFence() // racy publication shows the array, as if its field were final

  private[buffer] def data: Array[Byte] =
    val bytes = own
    if bytes != null then bytes else reading(_.flat)

  /** The bytes in an array that must not be changed: the string's own, or a copy of the segments.
    */
  private[undercroft] def array: Array[Byte] = data

  def size: Int =
    val bytes = own
    if bytes != null then bytes.length
    else
      val count = segments.openSize
      reachabilityFence(this)
      count
  def isEmpty: Boolean = size == 0

  /** The byte at an index; O(log n) in the number of shared segments.
    *
    * {{{
    * println(ByteString.utf8("abc")(1).toChar) // b
    * }}}
    */
  def apply(index: Int): Byte =
    val bytes = own
    if bytes != null then bytes(index) else reading(_(index))

  /** The bytes decoded as UTF-8, or with a charset.
    *
    * {{{
    * import java.nio.charset.StandardCharsets.ISO_8859_1
    * val bytes = ByteString.of(0x61, 0xc3, 0xa9)
    * println(bytes.utf8) // aé
    * println(bytes.string(ISO_8859_1).length) // 3
    * }}}
    */
  def utf8: String = String(data, UTF_8)
  def string(charset: Charset): String = String(data, charset)

  /** The bytes in hexadecimal, in lower case.
    *
    * {{{
    * println(ByteString.utf8("price").hex) // 7072696365
    * }}}
    */
  def hex: String = HexFormat.of.formatHex(data)

  /** The bytes in base64 with padding, in the standard or the URL-safe alphabet, or in lines of 76
    * characters with CR and LF between them (RFC 2045, MIME).
    *
    * {{{
    * val bytes = ByteString.of(0xfb, 0xff)
    * println(bytes.base64) // +/8=
    * println(bytes.base64Url) // -_8=
    * println(ByteString.utf8("price 251 " * 10).base64Mime.linesIterator.size) // 2
    * }}}
    */
  def base64: String = Base64.getEncoder.encodeToString(data)
  def base64Url: String = Base64.getUrlEncoder.encodeToString(data)
  def base64Mime: String = Base64.getMimeEncoder.encodeToString(data)

  /** The digest of the bytes.
    *
    * {{{
    * println(ByteString.utf8("abc").md5.hex) // 900150983cd24fb0d6963f7d28e17f72
    * }}}
    */
  def md5: ByteString = digest("MD5")
  def sha1: ByteString = digest("SHA-1")
  def sha256: ByteString = digest("SHA-256")
  def sha512: ByteString = digest("SHA-512")
  private def digest(name: String) =
    val digest = MessageDigest.getInstance(name)
    val bytes = own
    if bytes != null then digest.update(bytes)
    else
      reading(_.arrays((data, from, count) => digest.update(data, from, count)))
    ByteString.wrap(digest.digest())

  /** The message authentication code, by a key of at least one byte.
    *
    * {{{
    * val key = ByteString.utf8("key")
    * println(ByteString.utf8("message").hmacSha256(key).size) // 32
    * }}}
    */
  def hmacSha1(key: ByteString): ByteString = mac("HmacSHA1", key)
  def hmacSha256(key: ByteString): ByteString = mac("HmacSHA256", key)
  def hmacSha512(key: ByteString): ByteString = mac("HmacSHA512", key)
  private def mac(name: String, key: ByteString) =
    ByteString.wrap(Digests.mac(name, key).doFinal(data))

  /** Converts ASCII letters to lower case; other bytes are unchanged.
    *
    * {{{
    * println(ByteString.utf8("Content-Type").toAsciiLowercase.utf8) // content-type
    * println(ByteString.utf8("Content-Type").toAsciiUppercase.utf8) // CONTENT-TYPE
    * }}}
    */
  def toAsciiLowercase: ByteString = turned('A', 'Z')
  def toAsciiUppercase: ByteString = turned('a', 'z')
  private def turned(first: Char, last: Char) =
    ByteString.wrap(data.map(byte =>
      if byte >= first && byte <= last then (byte ^ 32).toByte else byte
    ))

  /** The bytes of `[from, until)`, copied unless they are all bytes. The result stays valid when
    * this string is closed.
    *
    * {{{
    * val bytes = ByteString.utf8("price 251")
    * println(bytes.substring(0, 5).utf8) // price
    * println(bytes.substring(6).utf8) // 251
    * }}}
    */
  def substring(from: Int, until: Int = size): ByteString =
    java.util.Objects.checkFromToIndex(from, until, size): Unit
    val bytes = own
    if from == 0 && until == size then twin
    else
      ByteString.wrap(
        if bytes != null then Arrays.copyOfRange(bytes, from, until)
        else reading(_.copy(from, until))
      )

  /** The bytes followed by those of `other`, as a copy unless one is empty; at most 2 GiB. The
    * result stays valid when either string is closed.
    *
    * {{{
    * println((ByteString.utf8("price ") ++ ByteString.utf8("251")).utf8) // price 251
    * }}}
    */
  def ++(other: ByteString): ByteString =
    if other.isEmpty then twin
    else if isEmpty then other.twin
    else
      val total = size.toLong + other.size
      if total > ByteString.MaxBytes then
        throw IllegalArgumentException(
          s"a ByteString must have at most ${ByteString.MaxBytes} bytes; these have $total"
        )
      val bytes = new Array[Byte](total.toInt)
      copyInto(0, bytes, 0, size)
      other.copyInto(0, bytes, size, other.size)
      ByteString.wrap(bytes)

  /** Whether the bytes begin or end with the bytes of `other`.
    *
    * {{{
    * val file = ByteString.utf8("day.bills")
    * println(file.startsWith(ByteString.utf8("day"))) // true
    * println(file.endsWith(ByteString.utf8(".bills"))) // true
    * }}}
    */
  def startsWith(other: ByteString): Boolean = rangeEquals(0, other)
  def endsWith(other: ByteString): Boolean = rangeEquals(size - other.size, other)

  /** Whether the bytes at `at` are the bytes of `other`.
    *
    * {{{
    * println(ByteString.utf8("price 251").rangeEquals(6, ByteString.utf8("25"))) // true
    * }}}
    */
  def rangeEquals(at: Int, other: ByteString): Boolean = rangeEquals(at, other, 0, other.size)

  /** Whether `count` bytes at `at` match the bytes of `other` at `from`. */
  def rangeEquals(at: Int, other: ByteString, from: Int, count: Int): Boolean =
    at >= 0 && from >= 0 && count >= 0 && at <= size - count && from <= other.size - count && {
      val bytes = own
      if bytes != null then Arrays.equals(bytes, at, at + count, other.data, from, from + count)
      else reading(_.same(at, other.data, from, count))
    }

  /** Index of the first occurrence of other bytes, from `from` on, or -1. The empty string occurs
    * at `from` if that is in `[0, size]`.
    *
    * {{{
    * val bytes = ByteString.utf8("a,b,c")
    * println(bytes.indexOf(ByteString.utf8(","))) // 1
    * println(bytes.indexOf(ByteString.utf8(","), from = 2)) // 3
    * }}}
    */
  def indexOf(other: ByteString, from: Int = 0): Int =
    val (bytes, sought) = (data, other.data)
    val until = bytes.length - sought.length + 1 // first index at which they cannot begin
    var at = from.max(0)
    if sought.length == 0 then if at < until then at else -1
    else
      at = if at < until then Search.byte(bytes, at, until, sought(0)) else -1
      while at >= 0 && !rangeEquals(at, other) do
        at = Search.byte(bytes, at + 1, until, sought(0))
      at

  /** Index of the last occurrence of other bytes that begins at most at `from`, or -1.
    *
    * {{{
    * println(ByteString.utf8("a,b,c").lastIndexOf(ByteString.utf8(","))) // 3
    * }}}
    */
  def lastIndexOf(other: ByteString, from: Int = size): Int =
    val last = from.min(size - other.size)
    if last < 0 then -1
    else if other.isEmpty then last
    else
      val (bytes, sought) = (data, other.data)
      var at = last
      while at >= 0 && (bytes(at) != sought(0) ||
          !Arrays.equals(bytes, at, at + sought.length, sought, 0, sought.length))
      do at -= 1
      at

  /** A copy of the bytes.
    *
    * {{{
    * println(ByteString.of(1, 2, 255).toByteArray.toList) // List(1, 2, -1)
    * }}}
    */
  def toByteArray: Array[Byte] =
    val bytes = own
    if bytes != null then bytes.clone() else reading(source => source.copy(0, source.size))

  /** A read-only ByteBuffer over the bytes.
    *
    * {{{
    * println(ByteString.of(0, 0, 1, 2).asByteBuffer.getInt) // 258
    * }}}
    */
  def asByteBuffer: ByteBuffer = ByteBuffer.wrap(data).asReadOnlyBuffer()

  /** Copies `count` bytes at `from` to an array.
    *
    * {{{
    * val target = new Array[Byte](4)
    * ByteString.utf8("price").copyInto(0, target, 1, 3)
    * println(target.toList) // List(0, 112, 114, 105)
    * }}}
    */
  def copyInto(from: Int, target: Array[Byte], at: Int, count: Int): Unit =
    java.util.Objects.checkFromIndexSize(from, count, size): Unit
    java.util.Objects.checkFromIndexSize(at, count, target.length): Unit
    val bytes = own
    if bytes != null then System.arraycopy(bytes, from, target, at, count)
    else reading(_.copyInto(from, target, at, count))

  /** Writes all bytes to a stream.
    *
    * {{{
    * import java.io.ByteArrayOutputStream
    * val stream = ByteArrayOutputStream()
    * ByteString.utf8("price").write(stream)
    * println(stream) // price
    * }}}
    */
  def write(target: OutputStream): Unit =
    val bytes = own
    if bytes != null then target.write(bytes)
    else
      reading(_.arrays((data, from, count) => target.write(data, from, count)))

  /** Less than 0, 0 or more than 0, by the first differing byte; a prefix is less.
    *
    * {{{
    * val (a, b) = (ByteString.of(1, 2), ByteString.of(1, 255))
    * println(a.compareTo(b) < 0) // true
    * }}}
    */
  def compareTo(other: ByteString): Int = Arrays.compareUnsigned(data, other.data)

  /** Compares in constant time: the time does not depend on the position of a difference.
    *
    * {{{
    * val key = ByteString.utf8("key")
    * val expected = ByteString.utf8("message").hmacSha256(key)
    * println(ByteString.utf8("message").hmacSha256(key).equalsInConstantTime(expected)) // true
    * }}}
    */
  def equalsInConstantTime(other: ByteString): Boolean = MessageDigest.isEqual(data, other.data)

  override def equals(other: Any): Boolean = other match
    case that: ByteString =>
      (that eq this) || that.size == size &&
      (if own == null then rangeEquals(0, that) else that.rangeEquals(0, this))
    case _ => false

  override def hashCode: Int =
    val cachedHash = hash
    if cachedHash != 0 then cachedHash
    else
      val bytes = own
      val computed = if bytes != null then Arrays.hashCode(bytes) else reading(_.hash)
      hash = computed
      computed

  /** The first bytes: as text if they are UTF-8 without control characters other than line breaks
    * and tabs, which are escaped, else in hexadecimal; `[closed]` after the close.
    *
    * {{{
    * println(ByteString.utf8("5 €\n")) // [text=5 €\n]
    * println(ByteString.of(1, 2, 255)) // [hex=0102ff]
    * }}}
    */
  override def toString: String = if isClosed then "[closed]" else preview

  private def preview: String =
    val shown = substring(0, size.min(ByteString.Shown)).data
    val (sizeText, more) = if size <= ByteString.Shown then ("", "") else (s"size=$size ", "…")
    TextPreview.of(shown, isCut = shown.length < size) match
      case Some(text) => s"[${sizeText}text=$text$more]"
      case None       => s"[${sizeText}hex=${HexFormat.of.formatHex(shown)}$more]"

  private[buffer] def appendTo(buffer: Buffer): Unit =
    val bytes = own
    if bytes != null then buffer.append(bytes, 0, bytes.length) else reading(_.appendTo(buffer))

  private[buffer] def writeReplace(): Object = if own != null then this else ByteString.wrap(data)

  /** Releases the bytes: segments that a snapshot shares return to their pool at once, unless a
    * buffer or another byte string still shares them. Idempotent and thread-safe: a use by another
    * thread at the same time completes, or throws.
    *
    * Afterwards every use of this string but `close` and `toString` throws a [[ClosedException]],
    * whatever its size; so a string that is a key of a map must not be closed. Copies, substrings,
    * ByteBuffers and buffers to which it was written stay valid. [[ByteString.empty]] stays open.
    *
    * {{{
    * import scala.util.Using
    * given pool: SegmentPool = SegmentPool.lockFree()
    * val buffer = Buffer().write(new Array[Byte](100_000))
    * Using.resource(buffer.snapshot())(bytes => println(bytes.size)) // 100000
    * buffer.clear()
    * println(pool.metrics.live) // 0
    * }}}
    */
  def close(): Unit =
    val bytes = shared
    if bytes != null then bytes.close()
    else if this ne ByteString.empty then own = null
    hash = 0
    reachabilityFence(this)

  private def isClosed: Boolean =
    val bytes = shared
    val closed = own == null && (bytes == null || bytes.isClosed)
    reachabilityFence(this)
    closed

  /** A string with the same bytes, in the same memory, that is closed independently. */
  private def twin: ByteString =
    val bytes = own
    if bytes != null then ByteString.wrap(bytes)
    else reading(source => ByteString.managed(source.share()))

  /** Reads the segments, which stay out of their pool meanwhile. The string stays reachable, so
    * that its cleaner does not close it.
    */
  private inline def reading[A](inline use: SharedBytes => A): A =
    val source = segments
    source.acquire()
    try use(source)
    finally
      source.release()
      reachabilityFence(this)

  private def segments: SharedBytes =
    val bytes = shared
    if bytes == null then throw SharedBytes.closed else bytes
end ByteString

object ByteString:
  private val Shown = 64

  /** The largest array of the JVM. */
  private val MaxBytes = Int.MaxValue - 8
  val empty: ByteString = wrap(new Array[Byte](0))

  /** A copy of the bytes.
    *
    * {{{
    * val array = Array[Byte](1, 2)
    * val bytes = ByteString(array)
    * array(0) = 9
    * println(bytes.hex) // 0102
    * }}}
    */
  def apply(bytes: Array[Byte]): ByteString = wrap(bytes.clone())

  /** The low byte of each number.
    *
    * {{{
    * println(ByteString.of(0xca, 0xfe).hex) // cafe
    * }}}
    */
  def of(bytes: Int*): ByteString = wrap(bytes.map(_.toByte).toArray)

  /** The bytes of a text in UTF-8, or in another charset.
    *
    * {{{
    * println(ByteString.utf8("€").hex) // e282ac
    * }}}
    */
  def utf8(text: String): ByteString = wrap(text.getBytes(UTF_8))
  def string(text: String, charset: Charset): ByteString = wrap(text.getBytes(charset))

  /** The bytes of a ByteBuffer between its position, which advances, and its limit.
    *
    * {{{
    * import java.nio.ByteBuffer
    * val buffer = ByteBuffer.wrap(Array[Byte](1, 2, 3)).position(1)
    * println(ByteString.of(buffer).hex) // 0203
    * }}}
    */
  def of(bytes: ByteBuffer): ByteString =
    val copy = new Array[Byte](bytes.remaining)
    bytes.get(copy): Unit
    wrap(copy)

  /** Reads `byteCount` bytes; throws an EOFException if the stream has fewer.
    *
    * {{{
    * import java.io.ByteArrayInputStream
    * val stream = ByteArrayInputStream("price 251".getBytes)
    * println(ByteString.read(stream, 5).utf8) // price
    * }}}
    */
  def read(stream: InputStream, byteCount: Int): ByteString =
    Search.checkCount(byteCount)
    val bytes = stream.readNBytes(byteCount)
    if bytes.length < byteCount then
      throw EOFException(
        s"expected ${Bounds.bytes(byteCount)}, but only ${bytes.length} " +
          (if bytes.length == 1 then "follows" else "follow")
      )
    wrap(bytes)

  /** Decodes hexadecimal text; throws an IllegalArgumentException if it is malformed.
    *
    * {{{
    * println(ByteString.hex("CAfe").size) // 2
    * try println(ByteString.hex("xy"))
    * catch case _: IllegalArgumentException => println("not hexadecimal") // not hexadecimal
    * }}}
    */
  def hex(text: String): ByteString = wrap(HexFormat.of.parseHex(text))

  /** Decodes base64 of either alphabet; None if it is malformed. Blanks, tabs and line breaks are
    * ignored, and so is padding at the end: it may be missing or too long.
    *
    * {{{
    * println(ByteString.base64("cHJp Y2U=").map(_.utf8)) // Some(price)
    * println(ByteString.base64("?")) // None
    * }}}
    */
  def base64(text: String): Option[ByteString] =
    val dense = text.filterNot(" \t\r\n".contains(_)).replace('-', '+').replace('_', '/')
    val digits = dense.substring(0, dense.lastIndexWhere(_ != '=') + 1)
    try Some(wrap(Base64.getDecoder.decode(digits)))
    catch case _: IllegalArgumentException => None

  /** Wraps an array without copying it; no other code may change it afterwards. */
  private[undercroft] def wrap(bytes: Array[Byte]): ByteString = new ByteString(bytes, null)

  private[buffer] def share(buffer: Buffer, byteCount: Int): ByteString =
    managed(SharedBytes.of(buffer, byteCount))

  /** A string that releases its segments when it is closed or unreachable. */
  private def managed(shared: SharedBytes): ByteString =
    val string = new ByteString(null, shared)
    shared.closedBy(LoaderLifetime.onUnreachable(string, shared))
    string
end ByteString
