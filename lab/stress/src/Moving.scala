package undercroft.actor

import java.util.concurrent.atomic.AtomicInteger

/** An actor on two workers, which moves to the one that sends to it, for tests in Java. Another
  * actor passes messages on to it, so that its worker, too, sends to it.
  */
final class Moving:
  private val handled = AtomicInteger()
  private val misplaced = AtomicInteger()
  private val atOnce = AtomicInteger()
  private val doubled = AtomicInteger()
  private var last = 0
  private val target = spawn(Behavior.receive[Int] { n =>
    if atOnce.incrementAndGet() != 1 then doubled.incrementAndGet(): Unit
    if n < 10 then
      if n != last + 1 then misplaced.incrementAndGet(): Unit
      last = n
    atOnce.decrementAndGet(): Unit
    handled.incrementAndGet(): Unit
    Behavior.same
  })(using Moving.system)
  private val passing = spawn(Behavior.receive[Int] { n =>
    target ! n
    Behavior.same
  })(using Moving.system)

  /** From this thread: numbers below 10 have to come in their order. */
  def send(n: Int): Unit = target ! n

  /** From a worker. */
  def pass(n: Int): Unit = passing ! n

  /** Waits until `count` messages were handled, and tells what was wrong. */
  def end(count: Int): String =
    val until = System.nanoTime + Moving.PatienceNanos
    while handled.get < count && System.nanoTime < until do Thread.onSpinWait()
    (handled.get, misplaced.get, doubled.get) match
      case (`count`, 0, 0)            => "once, in order"
      case (n, _, _) if n != count    => s"$n of $count handled"
      case (_, wrong, 0) if wrong > 0 => "out of order"
      case _                          => "by two workers at once"
end Moving

object Moving:
  private val PatienceNanos = 20_000_000_000L
  private val system = ActorSystem("moving", workers = 2)
