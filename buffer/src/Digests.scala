package undercroft.buffer

import java.security.MessageDigest
import javax.crypto.Mac
import javax.crypto.spec.SecretKeySpec

extension (buffer: Buffer)
  /** The digest of a buffer's bytes, which are not consumed.
    *
    * {{{
    * val buffer = Buffer().writeUtf8("abc")
    * println(buffer.md5.hex) // 900150983cd24fb0d6963f7d28e17f72
    * println(buffer.size) // 3
    * }}}
    */
  def md5: ByteString = Digests.of(buffer, MessageDigest.getInstance("MD5"))
  def sha1: ByteString = Digests.of(buffer, MessageDigest.getInstance("SHA-1"))
  def sha256: ByteString = Digests.of(buffer, MessageDigest.getInstance("SHA-256"))
  def sha512: ByteString = Digests.of(buffer, MessageDigest.getInstance("SHA-512"))

  /** The message authentication code of a buffer's bytes, by a key of at least one byte.
    *
    * {{{
    * val key = ByteString.utf8("key")
    * println(Buffer().writeUtf8("message").hmacSha256(key).size) // 32
    * }}}
    */
  def hmacSha1(key: ByteString): ByteString = Digests.of(buffer, "HmacSHA1", key)
  def hmacSha256(key: ByteString): ByteString = Digests.of(buffer, "HmacSHA256", key)
  def hmacSha512(key: ByteString): ByteString = Digests.of(buffer, "HmacSHA512", key)
end extension

/** A source that digests the bytes read through it: of a read that fails, the bytes that it has
  * appended. For one thread at a time.
  *
  * {{{
  * import java.io.ByteArrayInputStream
  * import java.security.MessageDigest
  * val stream = ByteArrayInputStream(new Array[Byte](100))
  * val hashing = HashingSource(stream.source(), MessageDigest.getInstance("SHA-256"))
  * println(hashing.buffered.readByteArray().length)
  * println(hashing.hash.hex)
  * }}}
  */
final class HashingSource(source: Source, digest: MessageDigest) extends Source:
  /** Computes a message authentication code with an initialized Mac.
    *
    * {{{
    * import javax.crypto.Mac
    * import javax.crypto.spec.SecretKeySpec
    * val mac = Mac.getInstance("HmacSHA256")
    * mac.init(SecretKeySpec("key".getBytes, "HmacSHA256"))
    * val source = HashingSource(Buffer().writeUtf8("message"), mac)
    * println(source.buffered.readUtf8()) // message
    * println(source.hash == ByteString.utf8("message").hmacSha256(ByteString.utf8("key"))) // true
    * }}}
    */
  def this(source: Source, mac: Mac) = this(source, Digests.digest(mac))

  def read(sink: Buffer, byteCount: Long): Long =
    val before = sink.size
    try source.read(sink, byteCount)
    finally
      val bytes = sink.size - before
      if bytes > 0 then
        sink.pieces(before, bytes)((data, from, count) => digest.update(data, from, count))
  override def timeout: Timeout = source.timeout
  def close(): Unit = source.close()

  /** The digest of the bytes read since the last call. */
  def hash: ByteString = ByteString.wrap(digest.digest())
end HashingSource

/** A sink that digests the bytes written through it: of a write that fails, the bytes that left the
  * source. For one thread at a time.
  *
  * {{{
  * import java.security.MessageDigest
  * val hashing = HashingSink(Sink.blackhole(), MessageDigest.getInstance("SHA-256"))
  * hashing.write(Buffer().writeUtf8("abc"), 3)
  * println(hashing.hash.hex)
  * }}}
  */
final class HashingSink(sink: Sink, digest: MessageDigest) extends Sink:
  /** Computes a message authentication code with an initialized Mac. */
  def this(sink: Sink, mac: Mac) = this(sink, Digests.digest(mac))

  def write(source: Buffer, byteCount: Long): Unit =
    source.require(byteCount)
    val before = source.position
    // Shares the bytes: the sink may move some of them before it fails.
    val copy = Buffer(using Digests.copies)
    source.copyTo(copy, 0, byteCount): Unit
    try sink.write(source, byteCount)
    finally
      val movedBytes = source.position - before
      copy.pieces(0, movedBytes)((data, from, count) => digest.update(data, from, count))
      copy.clear()
  override def timeout: Timeout = sink.timeout
  def flush(): Unit = sink.flush()
  def close(): Unit = sink.close()

  /** The digest of the bytes written since the last call.
    *
    * {{{
    * import java.security.MessageDigest
    * val hashing = HashingSink(Sink.blackhole(), MessageDigest.getInstance("MD5"))
    * hashing.write(Buffer().writeUtf8("abc"), 3)
    * println(hashing.hash.hex) // 900150983cd24fb0d6963f7d28e17f72
    * }}}
    */
  def hash: ByteString = ByteString.wrap(digest.digest())
end HashingSink

private[buffer] object Digests:
  /** For copies of bytes that are too few to be shared: a write needs no memory of a budget. */
  private[buffer] val copies: SegmentPool = SegmentPool.none(segmentBytes = 1024)

  def of(buffer: Buffer, digest: MessageDigest): ByteString =
    buffer.pieces(0, buffer.size)((data, from, count) => digest.update(data, from, count))
    ByteString.wrap(digest.digest())

  def of(buffer: Buffer, name: String, key: ByteString): ByteString =
    of(buffer, digest(mac(name, key)))

  /** Adapts a Mac to MessageDigest. */
  def digest(mac: Mac): MessageDigest = new MessageDigest(mac.getAlgorithm):
    def engineUpdate(byte: Byte): Unit = mac.update(byte)
    def engineUpdate(bytes: Array[Byte], from: Int, count: Int): Unit =
      mac.update(bytes, from, count)
    def engineDigest(): Array[Byte] = mac.doFinal()
    def engineReset(): Unit = mac.reset()

  def mac(name: String, key: ByteString): Mac =
    val mac = Mac.getInstance(name)
    mac.init(SecretKeySpec(key.data, name))
    mac
end Digests
