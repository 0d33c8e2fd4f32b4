package undercroft.actor

import scala.concurrent.duration.*

/** An actor on a worker, asked by virtual threads, for tests in Java. Another actor forwards
  * messages to it, so that a worker sends to it, too.
  */
final class AskedActor:
  import AskedActor.Asked
  private val witness = OrderCheck()
  private val target = spawn(Behavior.receive[Asked] { message =>
    witness.check(message.n)
    val reply = message.reply
    if reply != null then reply ! message.n
    Behavior.same
  })(using AskedActor.system)
  private val passing = spawn(Behavior.receive[Int] { n =>
    target ! Asked(n, null)
    Behavior.same
  })(using AskedActor.system)

  /** Asks with `first` and the following number, on a virtual thread; returns when that has ended.
    */
  def ask(first: Int): Unit = Thread.ofVirtual.start(() =>
    for n <- first to first + 1 do target.ask[Int](1.hour)(Asked(n, _)): Unit
  ).join()

  /** Sends from this thread. */
  def send(n: Int): Unit = target ! Asked(n, null)

  /** Sends from a worker. */
  def pass(n: Int): Unit = passing ! n

  /** Waits until `count` messages are handled, and returns the result as text. */
  def end(count: Int): String = witness.end(count)
end AskedActor

object AskedActor:
  private final case class Asked(n: Int, reply: Reply[Int] | Null)
  private val system = ActorSystem("asked", workers = 2)
