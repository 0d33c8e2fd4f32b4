package undercroft.actor

/** An actor on two workers, which migrates to the worker that sends to it, for tests in Java.
  * Another actor forwards messages to it, so that its worker sends to it, too.
  */
final class MigratingActor:
  private val witness = OrderCheck()
  private val target = spawn(witness.behavior)(using MigratingActor.system)
  private val passing = spawn(Behavior.receive[Int] { n =>
    target ! n
    Behavior.same
  })(using MigratingActor.system)

  /** Sends from this thread; numbers from 1 to 9 must arrive in order. */
  def send(n: Int): Unit = target ! n

  /** Sends from a worker. */
  def pass(n: Int): Unit = passing ! n

  /** Waits until `count` messages are handled, and returns the result as text. */
  def end(count: Int): String = witness.end(count)
end MigratingActor

object MigratingActor:
  private val system = ActorSystem("moving", workers = 2)
