package undercroft.actor
package testkit

import java.util.ArrayDeque
import scala.concurrent.duration.FiniteDuration

/** An actor that keeps what it gets, for a test to look at. The test's thread. */
final class Probe[T] private (simulation: Simulation, name: String):
  private val unseen = ArrayDeque[T]()
  private var all = Vector.empty[T]

  /** Where to send to it. */
  val ref: ActorRef[T] = spawn(
    Behavior.receive[T] { message =>
      unseen.add(message): Unit
      all = all :+ message
      Behavior.same
    },
    name
  )(using simulation)

  /** All that it got so far, seen or not. */
  def received: Vector[T] = all

  /** The next message that was not seen yet, when it comes.
    *
    * @throws java.lang.AssertionError
    *   if none comes within that time of the simulation
    */
  def expect(within: FiniteDuration = Simulation.Patience): T =
    if !simulation.until(within)(!unseen.isEmpty) then
      throw AssertionError(s"$name got no message within $within${beforeThat}")
    unseen.poll.asInstanceOf[T]

  /** Lets so much time pass, in which no message must come.
    *
    * @throws java.lang.AssertionError
    *   if one comes, or was not seen yet
    */
  def expectNone(within: FiniteDuration): Unit =
    if simulation.until(within)(!unseen.isEmpty) then
      throw AssertionError(s"$name got ${unseen.peek} within $within, and was to get nothing")

  private def beforeThat: String = all.lastOption.fold("")(last => s"; the last one was $last")
end Probe

object Probe:
  /** A probe in the simulation around the call. */
  def apply[T](name: String = "probe")(using simulation: Simulation): Probe[T] =
    new Probe[T](simulation, name)
