package undercroft.actor

import scala.concurrent.blocking

/** An actor on a worker whose other actors block in `blocking`, for tests in Java. The system has
  * only this worker, for which a compensating worker takes over meanwhile.
  */
final class BlockingWorkerActor:
  private val witness = OrderCheck()
  private val target = spawn(witness.behavior)(using BlockingWorkerActor.system)
  private def leaver(first: Int): ActorRef[Int] = spawn(Behavior.setup[Int]:
    Behavior.receive:
      case 0 =>
        target ! first
        blocking:
          target ! first + 1
          self[Int] ! 1 // waits for this handler to return
        target ! first + 2
        Behavior.same
      case _ =>
        target ! 20
        Behavior.same)(using BlockingWorkerActor.system)
  private val first = leaver(11)
  private val second = leaver(21)

  /** Sends 1, 2 and 3 from this thread. */
  def send(): Unit = for n <- 1 to 3 do target ! n

  /** As [[send]], from a virtual thread. */
  def sendVirtually(): Unit = Thread.ofVirtual.start(() => send()).join()

  /** An actor sends 11, blocks, sends 12 while it blocks, and sends 13 and 20 afterwards. */
  def block(): Unit = first ! 0

  /** Another actor does the same with 21, 22, 23 and 20, in no checked order. */
  def blockToo(): Unit = second ! 0

  /** Waits until `count` messages are handled, and returns the result as text. */
  def end(count: Int): String = witness.end(count)
end BlockingWorkerActor

object BlockingWorkerActor:
  private val system = ActorSystem("leaving", workers = 1)
