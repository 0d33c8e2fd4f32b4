package undercroft.actor

import java.util.concurrent.atomic.AtomicInteger

/** Checks the numbers that an actor receives from two senders: 1 to 9 and 11 to 19 must each arrive
  * in ascending order; 10, and numbers from 20 on, may arrive at any time.
  */
private[actor] final class OrderCheck:
  private val handled = AtomicInteger()
  private val misplaced = AtomicInteger()
  private val atOnce = AtomicInteger()
  private val doubled = AtomicInteger()
  private val last = new Array[Int](2)

  val behavior: Behavior[Int] = Behavior.receive[Int] { n =>
    check(n)
    Behavior.same
  }

  /** Checks a number that the actor handles. */
  def check(n: Int): Unit =
    if atOnce.incrementAndGet() != 1 then doubled.incrementAndGet(): Unit
    if n < 20 && n % 10 != 0 then
      if n % 10 != last(n / 10) + 1 then misplaced.incrementAndGet(): Unit
      last(n / 10) = n % 10
    atOnce.decrementAndGet(): Unit
    handled.incrementAndGet(): Unit

  /** Waits until `count` messages are handled, and returns the result as text. */
  def end(count: Int): String =
    val until = System.nanoTime + OrderCheck.PatienceNanos
    while handled.get < count && System.nanoTime < until do Thread.onSpinWait()
    (handled.get, misplaced.get, doubled.get) match
      case (`count`, 0, 0)            => "once, in order"
      case (n, _, _) if n != count    => s"$n of $count handled"
      case (_, wrong, 0) if wrong > 0 => "out of order"
      case _                          => "by two workers at once"
end OrderCheck

private[actor] object OrderCheck:
  private val PatienceNanos = 20_000_000_000L
