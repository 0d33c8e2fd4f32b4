package undercroft.buffer

import scala.concurrent.duration.FiniteDuration

/** A Timeout that passes each call to another one, which can be exchanged while sources and sinks
  * use it. So a stream that users configure can take over the limits of a connection, and give them
  * up with the connection.
  *
  * The delegate may be set by any thread; the other calls are for the thread that uses the source
  * or sink, as those of every Timeout. A wait keeps the limits that it began with: they are those
  * of the delegate at that moment, and a [[cancel]] after an exchange does not reach it.
  *
  * {{{
  * import scala.concurrent.duration.DurationInt
  * val connection = Timeout().timeout(5.seconds)
  * val body = ForwardingTimeout(connection)
  * println(body.timeoutNanos) // 5000000000
  * body.delegate = Timeout.none // the connection has another user now
  * body.timeout(1.milli)
  * println(connection.timeoutNanos) // 5000000000
  * }}}
  */
final class ForwardingTimeout(target: Timeout) extends Timeout:
  @volatile private var forwardsTo: Timeout = target

  /** The Timeout to which calls are passed. */
  def delegate: Timeout = forwardsTo

  /** Exchanges the delegate; later calls and waits use it.
    *
    * {{{
    * import scala.concurrent.duration.DurationInt
    * val timeout = ForwardingTimeout(Timeout().timeout(1.hour))
    * timeout.delegate = Timeout().timeout(5.millis)
    * println(timeout.timeoutNanos) // 5000000
    * }}}
    *
    * @throws java.lang.IllegalArgumentException
    *   if `other` is this Timeout or forwards to it; the delegate is unchanged
    */
  def delegate_=(other: Timeout): Unit = Timeout.exchange.synchronized:
    if other.forwards(to = this) then
      throw IllegalArgumentException("the delegate must not forward to this timeout, but does")
    forwardsTo = other

  override def timeoutNanos: Long = current.timeoutNanos

  override def timeout(each: FiniteDuration): this.type =
    current.timeout(each): Unit
    this

  override def clearTimeout(): this.type =
    current.clearTimeout(): Unit
    this

  override def hasDeadline: Boolean = current.hasDeadline
  override def deadlineNanoTime: Long = current.deadlineNanoTime

  override def deadlineNanoTime(at: Long): this.type =
    current.deadlineNanoTime(at): Unit
    this

  override def deadline(within: FiniteDuration): this.type =
    current.deadline(within): Unit
    this

  override def clearDeadline(): this.type =
    current.clearDeadline(): Unit
    this

  override def throwIfReached(): Unit = current.throwIfReached()
  override def cancel(): Unit = current.cancel()
  override def intersectWith[A](other: Timeout)(body: => A): A = current.intersectWith(other)(body)

  private[buffer] override def current: Timeout = forwardsTo.current

  private[buffer] override def forwards(to: Timeout): Boolean =
    (this eq to) || forwardsTo.forwards(to)
end ForwardingTimeout
