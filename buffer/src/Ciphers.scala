package undercroft.buffer

import internal.codec.Search
import internal.io.{Closing, PendingOutput}
import java.io.IOException
import java.security.GeneralSecurityException
import javax.crypto.Cipher
import undercroft.memory.MemoryLimitException

/** A source that encrypts or decrypts the bytes read through it with an initialized cipher. For one
  * thread at a time. If the cipher rejects the input at its end, for example because of a wrong tag
  * or padding, the read throws an IOException with the cipher's error as its cause, and so does
  * every later read.
  *
  * {{{
  * import javax.crypto.Cipher
  * import javax.crypto.spec.{IvParameterSpec, SecretKeySpec}
  * val cipher = Cipher.getInstance("AES/CBC/PKCS5Padding")
  * val key = SecretKeySpec(new Array[Byte](16), "AES")
  * cipher.init(Cipher.ENCRYPT_MODE, key, IvParameterSpec(new Array[Byte](16)))
  * val secret = CipherSource(Buffer().writeUtf8("a secret"), cipher).buffered.readByteString()
  * }}}
  */
final class CipherSource(source: BufferedSource, cipher: Cipher) extends Source:
  private var isFinished = false
  private var failure: Throwable | Null = null
  private var open = true
  private val output = Buffer(using source.buffer.pool)
  private val pending = PendingOutput()

  override def timeout: Timeout = source.timeout

  def read(sink: Buffer, byteCount: Long): Long =
    Search.checkCount(byteCount)
    if !open then throw ClosedException("the cipher's source")
    if byteCount == 0 then 0
    else
      deliver()
      while output.size == 0 && !isFinished do
        if source.exhausted then finish()
        else
          val input = source.buffer
          input.emptied(Math.min(input.head.size, Ciphers.PassBytes))((bytes, from, count) =>
            Ciphers.pass(cipher, bytes, from, count, output, pending)
          )
        deliver()
      output.read(sink, byteCount)

  /** Delivers pending output, unless there is output that this read passes on, which makes room. */
  private def deliver(): Unit =
    if output.size == 0 then
      try pending.deliver(output)
      catch case _: MemoryLimitException if output.size > 0 => ()

  /** Appends the cipher's last block. Called again after an error, it throws the same error: the
    * cipher would begin another message.
    */
  private def finish(): Unit =
    val error = failure
    if error != null then throw error
    try
      val last = Ciphers.end(cipher)
      pending.append(output, last, 0, last.length)
    catch
      case e: Throwable =>
        failure = e
        throw e
    isFinished = true

  def close(): Unit =
    open = false
    Closing.all(() => source.close(), () => output.clear(), () => pending.clear())
end CipherSource

/** A sink that encrypts or decrypts the bytes written through it with an initialized cipher. For
  * one thread at a time. The close writes the cipher's last block; it throws an IOException if the
  * cipher rejects the input. A write that fails has consumed the bytes that the cipher has
  * processed; the next call passes their output on.
  *
  * {{{
  * import javax.crypto.Cipher
  * import javax.crypto.spec.{IvParameterSpec, SecretKeySpec}
  * val cipher = Cipher.getInstance("AES/CBC/PKCS5Padding")
  * val key = SecretKeySpec(new Array[Byte](16), "AES")
  * cipher.init(Cipher.ENCRYPT_MODE, key, IvParameterSpec(new Array[Byte](16)))
  * val secret = Buffer()
  * CipherSink(secret, cipher).buffered.writeUtf8("a secret").close()
  * println(secret.size) // 16
  * }}}
  */
final class CipherSink(sink: BufferedSink, cipher: Cipher) extends Sink:
  private val pending = PendingOutput()
  private var open = true

  override def timeout: Timeout = sink.timeout

  def write(source: Buffer, byteCount: Long): Unit =
    if !open then throw ClosedException("the cipher's sink")
    source.require(byteCount)
    pending.deliver(sink)
    var rest = byteCount
    while rest > 0 do
      val step = Math.min(rest, Ciphers.PassBytes)
      source.emptied(step)((bytes, from, count) =>
        Ciphers.pass(cipher, bytes, from, count, sink.buffer, pending)
      )
      pending.deliver(sink)
      sink.written() // if it fails, the bytes are consumed, and are not processed again
      rest -= step

  def flush(): Unit =
    pending.deliver(sink)
    sink.flush()

  def close(): Unit =
    if open then
      open = false
      Closing.all(() => finish(), () => pending.finish(sink), () => sink.close())

  private def finish(): Unit =
    val last = Ciphers.end(cipher)
    pending.append(sink.buffer, last, 0, last.length)
end CipherSink

private[buffer] object Ciphers:
  /** Bytes that are processed at a time. */
  val PassBytes = 8192

  /** Appends the cipher's output for at most [[PassBytes]] bytes; directly into the array of a
    * segment if it has room. Output for which a budget has no room is pending.
    */
  def pass(
      cipher: Cipher,
      bytes: Array[Byte],
      from: Int,
      count: Int,
      to: Buffer,
      pending: PendingOutput
  ): Unit =
    val maxOutputBytes = cipher.getOutputSize(count)
    val target = to.writable()
    try
      val array = target.data
      if array != null && pending.isEmpty && maxOutputBytes <= target.until - target.limit then
        to.grown(cipher.update(bytes, from, count, array, target.limit))
      else
        val output = cipher.update(bytes, from, count)
        if output != null then pending.append(to, output, 0, output.length)
    finally to.withdrawEmpty()

  def end(cipher: Cipher): Array[Byte] =
    try cipher.doFinal()
    catch
      case e: GeneralSecurityException =>
        throw IOException(s"${cipher.getAlgorithm} rejected its input: ${e.getMessage}", e)
end Ciphers
