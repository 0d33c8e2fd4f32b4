package undercroft.actor

import scala.concurrent.blocking

/** An actor whose worker others leave, because their handlers block with a word; for tests in Java.
  * The worker is the only one that its system has of its own.
  */
final class Leaving:
  private val witness = Witness()
  private val target = spawn(witness.behavior)(using Leaving.system)
  private def leaver(first: Int): ActorRef[Int] = spawn(Behavior.setup[Int]:
    Behavior.receive:
      case 0 =>
        target ! first
        blocking:
          target ! first + 1
          self[Int] ! 1 // its own mailbox stays its own
        target ! first + 2
        Behavior.same
      case _ =>
        target ! 20
        Behavior.same)(using Leaving.system)
  private val one = leaver(11)
  private val other = leaver(21)

  /** From this thread: 1, 2 and 3. */
  def send(): Unit = for n <- 1 to 3 do target ! n

  /** An actor sends 11, blocks and sends 12 meanwhile, and 13 and 20 when it does not any more. */
  def block(): Unit = one ! 0

  /** Another one does the same, with numbers of no order. */
  def blockToo(): Unit = other ! 0

  /** Waits until `count` messages were handled, and tells what was wrong. */
  def end(count: Int): String = witness.end(count)
end Leaving

object Leaving:
  private val system = ActorSystem("leaving", workers = 1)
