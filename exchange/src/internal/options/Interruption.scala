package undercroft.exchange
package internal.options

import java.util.concurrent.{CountDownLatch, TimeUnit}

/** Lets a run finish early if the JVM is about to end by a signal, such as SIGINT of Ctrl-C: calls
  * `stop` on another thread, and delays the JVM's end until `close` or for
  * [[Interruption.MostSeconds]]. The JVM then ends with the signal's exit code.
  */
private[exchange] final class Interruption(stop: () => Unit) extends AutoCloseable:
  private val finished = CountDownLatch(1)

  private val hook = Thread(
    () =>
      stop()
      finished.await(Interruption.MostSeconds, TimeUnit.SECONDS): Unit
    ,
    "exchange-interruption"
  )
  Runtime.getRuntime.nn.addShutdownHook(hook)

  /** The run is over; the JVM may end. */
  def close(): Unit =
    finished.countDown()
    try Runtime.getRuntime.nn.removeShutdownHook(hook): Unit
    catch case _: IllegalStateException => () // the JVM ends already
end Interruption

private[exchange] object Interruption:
  /** The longest that the files of a result may take to be written. */
  val MostSeconds = 20L
