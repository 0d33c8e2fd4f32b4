import java.io.ByteArrayInputStream
import java.util.concurrent.locks.ReentrantLock
import javax.crypto.Cipher
import javax.crypto.spec.{IvParameterSpec, SecretKeySpec}
import scala.concurrent.duration.DurationInt
import undercroft.buffer.*

enum Method(val bytes: ByteString):
  case Get extends Method(ByteString.utf8("GET "))
  case Put extends Method(ByteString.utf8("PUT "))

@main def streams(): Unit =
  val methods = TypedOptions(Method.values)(_.bytes)
  val request = Buffer().writeUtf8("PUT /orders")
  println(request.select(methods)) // reads the option that it finds
  println(request.readUtf8())

  def aes(mode: Int) =
    val cipher = Cipher.getInstance("AES/CBC/PKCS5Padding")
    cipher.init(mode, SecretKeySpec(new Array(16), "AES"), IvParameterSpec(new Array(16)))
    cipher
  val secret = CipherSource(Buffer().writeUtf8("a secret"), aes(Cipher.ENCRYPT_MODE)).buffered
  println(CipherSource(secret, aes(Cipher.DECRYPT_MODE)).buffered.readUtf8())

  val throttler = Throttler(bytesPerSecond = 1_000_000) // for all that take from it
  val slow = throttler.source(ByteArrayInputStream("bit by bit".getBytes).source()).buffered
  println(slow.readUtf8())

  val pipe = Pipe(maxBytes = 1024)
  val call = new AsyncTimeout(onTimeout = () => pipe.sink.close()) // makes a call that waits end
  call.timeout(20.millis)
  try call.withTimeout(pipe.source.read(request, 1))
  catch case error: TimedOutException => println(error.getMessage)

  val lock = ReentrantLock()
  val ready = lock.newCondition()
  val timeout = Timeout().deadline(10.millis)
  lock.lock()
  try while true do timeout.awaitSignal(ready) // no thread signals it
  catch case _: TimedOutException => println("too late")
  finally lock.unlock()
end streams

// prints:
// Some(Put)
// /orders
// a secret
// bit by bit
// the timeout of 20 milliseconds has passed
// too late
