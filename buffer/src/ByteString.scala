package undercroft.buffer

import java.nio.ByteBuffer
import java.nio.charset.Charset
import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import java.util.{Base64, HexFormat}

/** Bytes that never change. Any thread. Compared as unsigned bytes. */
final class ByteString private (private[buffer] val data: Array[Byte])
    extends Comparable[ByteString],
      java.io.Serializable derives CanEqual:
  def size: Int = data.length
  def isEmpty: Boolean = data.length == 0
  def apply(index: Int): Byte = data(index)

  def utf8: String = String(data, UTF_8)
  def string(charset: Charset): String = String(data, charset)
  def hex: String = HexFormat.of.formatHex(data)
  def base64: String = Base64.getEncoder.encodeToString(data)
  def base64Url: String = Base64.getUrlEncoder.encodeToString(data)

  def md5: ByteString = digest("MD5")
  def sha1: ByteString = digest("SHA-1")
  def sha256: ByteString = digest("SHA-256")
  def sha512: ByteString = digest("SHA-512")
  private def digest(name: String) = ByteString(MessageDigest.getInstance(name).digest(data))

  /** A copy of `[from, until)`. */
  def substring(from: Int, until: Int = size): ByteString =
    java.util.Objects.checkFromToIndex(from, until, size): Unit
    if from == 0 && until == size then this
    else ByteString(java.util.Arrays.copyOfRange(data, from, until))

  def startsWith(other: ByteString): Boolean = rangeEquals(0, other)
  def endsWith(other: ByteString): Boolean = rangeEquals(size - other.size, other)
  def rangeEquals(at: Int, other: ByteString): Boolean =
    at >= 0 && at <= size - other.size &&
      java.util.Arrays.equals(data, at, at + other.size, other.data, 0, other.size)

  /** Where other bytes are first found from `from` on, or -1. */
  def indexOf(other: ByteString, from: Int = 0): Int =
    var at = from.max(0)
    while at <= size - other.size && !rangeEquals(at, other) do at += 1
    if at <= size - other.size then at else -1

  def lastIndexOf(other: ByteString, from: Int = size): Int =
    var at = from.min(size - other.size)
    while at >= 0 && !rangeEquals(at, other) do at -= 1
    at

  def toByteArray: Array[Byte] = data.clone()
  def asByteBuffer: ByteBuffer = ByteBuffer.wrap(data).asReadOnlyBuffer()

  def compareTo(other: ByteString): Int = java.util.Arrays.compareUnsigned(data, other.data)

  /** Compares every byte, so that the time says nothing about where they differ. */
  def equalsInConstantTime(other: ByteString): Boolean = MessageDigest.isEqual(data, other.data)

  override def equals(other: Any): Boolean = other match
    case that: ByteString => java.util.Arrays.equals(data, that.data)
    case _                => false
  override def hashCode: Int = java.util.Arrays.hashCode(data)

  /** The beginning, in hexadecimal digits. */
  override def toString: String =
    val shown = HexFormat.of.formatHex(data, 0, size.min(ByteString.Shown))
    if size <= ByteString.Shown then s"[hex=$shown]" else s"[size=$size hex=$shown…]"
end ByteString

object ByteString:
  private val Shown = 64
  val empty: ByteString = new ByteString(new Array[Byte](0))

  def apply(bytes: Array[Byte]): ByteString = new ByteString(bytes.clone())
  def of(bytes: Int*): ByteString = new ByteString(bytes.map(_.toByte).toArray)
  def utf8(text: String): ByteString = new ByteString(text.getBytes(UTF_8))

  /** Of what is no hexadecimal text an IllegalArgumentException. */
  def hex(text: String): ByteString = new ByteString(HexFormat.of.parseHex(text))

  /** Of what is no base64, of either alphabet, None. */
  def base64(text: String): Option[ByteString] =
    try Some(new ByteString(Base64.getDecoder.decode(text.replace('-', '+').replace('_', '/'))))
    catch case _: IllegalArgumentException => None

  /** Takes an array over, which nobody else may change. */
  private[buffer] def wrap(bytes: Array[Byte]): ByteString = new ByteString(bytes)
end ByteString
