package undercroft.buffer

import java.io.IOException
import java.security.GeneralSecurityException
import javax.crypto.Cipher

/** Encrypts or decrypts what is read through it, by a cipher that is initialised. For one thread at
  * a time. Input that the cipher refuses in the end, such as one whose tag or padding is wrong, is
  * an IOException with the cipher's error as its cause.
  */
final class CipherSource(source: BufferedSource, cipher: Cipher) extends Source:
  private var ended = false
  private var open = true
  private val output = Buffer(using source.buffer.pool)

  override def timeout: Timeout = source.timeout

  def read(sink: Buffer, byteCount: Long): Long =
    Search.checkCount(byteCount)
    if !open then throw ClosedException("the cipher's source")
    if byteCount == 0 then 0
    else
      while output.size == 0 && !ended do
        if source.exhausted then
          ended = true
          output.write(Ciphers.end(cipher)): Unit
        else
          val input = source.buffer
          input.emptied(input.head.size)((bytes, from, count) =>
            Ciphers.pass(cipher, bytes, from, count, output)
          )
      output.read(sink, byteCount)

  def close(): Unit =
    if open then
      open = false
      output.clear()
      source.close()
end CipherSource

/** Encrypts or decrypts what is written through it, by a cipher that is initialised; the close
  * writes the cipher's last block, or what it refuses is an IOException. For one thread at a time.
  */
final class CipherSink(sink: BufferedSink, cipher: Cipher) extends Sink:
  private var open = true

  override def timeout: Timeout = sink.timeout

  def write(source: Buffer, byteCount: Long): Unit =
    if !open then throw ClosedException("the cipher's sink")
    source.emptied(byteCount): (bytes, from, count) =>
      Ciphers.pass(cipher, bytes, from, count, sink.buffer)
      sink.written()

  def flush(): Unit = sink.flush()

  def close(): Unit =
    if open then
      open = false
      try sink.write(Ciphers.end(cipher)): Unit
      finally sink.close()
end CipherSink

private[buffer] object Ciphers:
  /** Bytes that pass at a time. */
  private val PassBytes = 8192

  /** Appends what the cipher makes of bytes; straight into an array of a segment where it fits. */
  def pass(cipher: Cipher, bytes: Array[Byte], from: Int, count: Int, to: Buffer): Unit =
    var at = from
    val until = from + count
    while at < until do
      val some = Math.min(PassBytes, until - at)
      val most = cipher.getOutputSize(some)
      val target = to.writable()
      try
        val array = target.data
        if array != null && most <= target.until - target.limit then
          to.grown(cipher.update(bytes, at, some, array, target.limit))
        else
          val made = cipher.update(bytes, at, some)
          if made != null then to.append(made, 0, made.length)
      finally to.withdrawEmpty()
      at += some

  def end(cipher: Cipher): Array[Byte] =
    try cipher.doFinal()
    catch
      case e: GeneralSecurityException =>
        throw IOException(s"${cipher.getAlgorithm} refused its input: ${e.getMessage}", e)
end Ciphers
