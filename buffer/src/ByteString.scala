package undercroft.buffer

import java.io.{EOFException, InputStream, OutputStream}
import java.lang.ref.Reference.reachabilityFence
import java.nio.ByteBuffer
import java.nio.charset.Charset
import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import java.util.{Arrays, Base64, HexFormat}

/** Bytes that never change. Any thread. Compared as unsigned bytes.
  *
  * A large one that a buffer's `snapshot` made shares the buffer's segments, which go home when the
  * garbage collector finds the last string that has them. Single bytes of it, ranges, comparisons,
  * digests and writing it to a buffer go straight to the segments, everything else copies them once
  * to an array.
  */
final class ByteString private (
    own: Array[Byte] | Null,
    private[buffer] val shared: SharedBytes | Null
) extends Comparable[ByteString],
      java.io.Serializable derives CanEqual:
  private[buffer] def data: Array[Byte] =
    val bytes = own
    if bytes != null then bytes else reading(_.flat)

  def size: Int =
    val bytes = own
    if bytes != null then bytes.length else shared.nn.size
  def isEmpty: Boolean = size == 0

  /** The byte at an index; O(log n) of the segments of one that shares them. */
  def apply(index: Int): Byte =
    val bytes = own
    if bytes != null then bytes(index) else reading(_(index))

  def utf8: String = String(data, UTF_8)
  def string(charset: Charset): String = String(data, charset)
  def hex: String = HexFormat.of.formatHex(data)
  def base64: String = Base64.getEncoder.encodeToString(data)
  def base64Url: String = Base64.getUrlEncoder.encodeToString(data)

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

  /** The authentication code, by a key of at least one byte. */
  def hmacSha1(key: ByteString): ByteString = mac("HmacSHA1", key)
  def hmacSha256(key: ByteString): ByteString = mac("HmacSHA256", key)
  def hmacSha512(key: ByteString): ByteString = mac("HmacSHA512", key)
  private def mac(name: String, key: ByteString) =
    ByteString.wrap(Digests.mac(name, key).doFinal(data))

  /** With the letters A to Z, or a to z, turned into the other case; other bytes stay. */
  def toAsciiLowercase: ByteString = turned('A', 'Z')
  def toAsciiUppercase: ByteString = turned('a', 'z')
  private def turned(first: Char, last: Char) =
    ByteString.wrap(data.map(byte =>
      if byte >= first && byte <= last then (byte ^ 32).toByte else byte
    ))

  /** A copy of `[from, until)`. */
  def substring(from: Int, until: Int = size): ByteString =
    java.util.Objects.checkFromToIndex(from, until, size): Unit
    val bytes = own
    if from == 0 && until == size then this
    else
      ByteString.wrap(
        if bytes != null then Arrays.copyOfRange(bytes, from, until)
        else reading(_.copy(from, until))
      )

  def startsWith(other: ByteString): Boolean = rangeEquals(0, other)
  def endsWith(other: ByteString): Boolean = rangeEquals(size - other.size, other)
  def rangeEquals(at: Int, other: ByteString): Boolean = rangeEquals(at, other, 0, other.size)

  /** Whether `count` bytes from `at` on are those of another one from `from` on. */
  def rangeEquals(at: Int, other: ByteString, from: Int, count: Int): Boolean =
    at >= 0 && from >= 0 && count >= 0 && at <= size - count && from <= other.size - count && {
      val bytes = own
      if bytes != null then Arrays.equals(bytes, at, at + count, other.data, from, from + count)
      else reading(_.same(at, other.data, from, count))
    }

  /** Where other bytes are first found from `from` on, or -1. */
  def indexOf(other: ByteString, from: Int = 0): Int =
    val (bytes, sought) = (data, other.data)
    val until = bytes.length - sought.length + 1 // where it can not begin any more
    var at = from.max(0)
    if sought.length == 0 then if at < until then at else -1
    else
      at = if at < until then Search.byte(bytes, at, until, sought(0)) else -1
      while at >= 0 && !rangeEquals(at, other) do
        at = Search.byte(bytes, at + 1, until, sought(0))
      at

  def lastIndexOf(other: ByteString, from: Int = size): Int =
    var at = from.min(size - other.size)
    while at >= 0 && !rangeEquals(at, other) do at -= 1
    at

  def toByteArray: Array[Byte] =
    val bytes = own
    if bytes != null then bytes.clone() else reading(it => it.copy(0, it.size))
  def asByteBuffer: ByteBuffer = ByteBuffer.wrap(data).asReadOnlyBuffer()

  /** Copies `count` bytes from `from` on to an array. */
  def copyInto(from: Int, target: Array[Byte], at: Int, count: Int): Unit =
    java.util.Objects.checkFromIndexSize(from, count, size): Unit
    java.util.Objects.checkFromIndexSize(at, count, target.length): Unit
    val bytes = own
    if bytes != null then System.arraycopy(bytes, from, target, at, count)
    else reading(_.copyInto(from, target, at, count))

  /** Writes all bytes to a stream. */
  def write(target: OutputStream): Unit =
    val bytes = own
    if bytes != null then target.write(bytes)
    else
      reading(_.arrays((data, from, count) => target.write(data, from, count)))

  def compareTo(other: ByteString): Int = Arrays.compareUnsigned(data, other.data)

  /** Compares every byte, so that the time says nothing about where they differ. */
  def equalsInConstantTime(other: ByteString): Boolean = MessageDigest.isEqual(data, other.data)

  override def equals(other: Any): Boolean = other match
    case that: ByteString =>
      (that eq this) || that.size == size &&
      (if own == null then rangeEquals(0, that) else that.rangeEquals(0, this))
    case _ => false
  override def hashCode: Int =
    val bytes = own
    if bytes != null then Arrays.hashCode(bytes) else reading(_.hash)

  /** The beginning, in hexadecimal digits. */
  override def toString: String =
    val shown = substring(0, size.min(ByteString.Shown)).hex
    if size <= ByteString.Shown then s"[hex=$shown]" else s"[size=$size hex=$shown…]"

  private[buffer] def appendTo(buffer: Buffer): Unit =
    val bytes = own
    if bytes != null then buffer.append(bytes, 0, bytes.length) else reading(_.appendTo(buffer))

  private[buffer] def writeReplace(): Object = if own != null then this else ByteString.wrap(data)

  /** Uses the segments while the string keeps them. */
  private inline def reading[A](inline use: SharedBytes => A): A =
    try use(shared.nn)
    finally reachabilityFence(this)
end ByteString

object ByteString:
  private val Shown = 64
  val empty: ByteString = wrap(new Array[Byte](0))

  def apply(bytes: Array[Byte]): ByteString = wrap(bytes.clone())
  def of(bytes: Int*): ByteString = wrap(bytes.map(_.toByte).toArray)
  def utf8(text: String): ByteString = wrap(text.getBytes(UTF_8))
  def string(text: String, charset: Charset): ByteString = wrap(text.getBytes(charset))

  /** What a ByteBuffer has between its position, which moves, and its limit. */
  def of(bytes: ByteBuffer): ByteString =
    val copy = new Array[Byte](bytes.remaining)
    bytes.get(copy): Unit
    wrap(copy)

  /** Reads so many bytes; an EOFException where the stream has fewer. */
  def read(stream: InputStream, byteCount: Int): ByteString =
    Search.checkCount(byteCount)
    val bytes = stream.readNBytes(byteCount)
    if bytes.length < byteCount then
      throw EOFException(s"expected $byteCount bytes, but only ${bytes.length} follow")
    wrap(bytes)

  /** Of what is no hexadecimal text an IllegalArgumentException. */
  def hex(text: String): ByteString = wrap(HexFormat.of.parseHex(text))

  /** Of what is no base64, of either alphabet, None. */
  def base64(text: String): Option[ByteString] =
    try Some(wrap(Base64.getDecoder.decode(text.replace('-', '+').replace('_', '/'))))
    catch case _: IllegalArgumentException => None

  /** Takes an array over, which nobody else may change. */
  private[buffer] def wrap(bytes: Array[Byte]): ByteString = new ByteString(bytes, null)

  private[buffer] def share(buffer: Buffer, byteCount: Int): ByteString =
    val shared = SharedBytes.of(buffer, byteCount)
    val string = new ByteString(null, shared)
    Held.cleaner.register(string, shared): Unit
    string
end ByteString
