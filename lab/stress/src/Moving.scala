package undercroft.actor

/** An actor on two workers, which moves to the one that sends to it, for tests in Java. Another
  * actor passes messages on to it, so that its worker, too, sends to it.
  */
final class Moving:
  private val witness = Witness()
  private val target = spawn(witness.behavior)(using Moving.system)
  private val passing = spawn(Behavior.receive[Int] { n =>
    target ! n
    Behavior.same
  })(using Moving.system)

  /** From this thread: numbers from 1 to 9 have to come in their order. */
  def send(n: Int): Unit = target ! n

  /** From a worker. */
  def pass(n: Int): Unit = passing ! n

  /** Waits until `count` messages were handled, and tells what was wrong. */
  def end(count: Int): String = witness.end(count)
end Moving

object Moving:
  private val system = ActorSystem("moving", workers = 2)
