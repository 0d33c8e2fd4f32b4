package undercroft.actor
package testkit

import java.util.ArrayDeque
import scala.concurrent.duration.FiniteDuration

/** An actor that records the messages it receives, for a test to check. Confined to the test's
  * thread.
  *
  * {{{
  * import undercroft.actor.*
  * simulate(seeds = 1):
  *   val probe = Probe[String]()
  *   val greeter = spawn(Behavior.receive[String] { name =>
  *     probe.ref ! "Hello, " + name
  *     Behavior.same
  *   })
  *   greeter ! "Ada"
  *   println(probe.receiveMessage()) // Hello, Ada
  * }}}
  */
final class Probe[T] private (simulation: Simulation, name: String):
  private val unseen = ArrayDeque[T]()
  private var messages = Vector.empty[T]

  /** The reference to send messages to. */
  val ref: ActorRef[T] = spawn(
    Behavior.receive[T] { message =>
      unseen.add(message): Unit
      messages = messages :+ message
      Behavior.same
    },
    name
  )(using simulation)

  /** All messages received so far, whether [[receiveMessage]] has returned them or not.
    *
    * {{{
    * import undercroft.actor.*
    * simulate(seeds = 1):
    *   val probe = Probe[Int]()
    *   for n <- 1 to 3 do probe.ref ! n
    *   simulation.runUntilIdle()
    *   println(probe.received) // Vector(1, 2, 3)
    * }}}
    */
  def received: Vector[T] = messages

  /** Returns the oldest message that was not returned yet; runs the simulation until there is one.
    *
    * {{{
    * import undercroft.actor.*
    * simulate(seeds = 1):
    *   val probe = Probe[Int]()
    *   probe.ref ! 7
    *   println(probe.receiveMessage()) // 7
    * }}}
    *
    * @throws java.lang.AssertionError
    *   if no message arrives within `within` of simulated time
    */
  def receiveMessage(within: FiniteDuration = Simulation.DefaultTimeout): T =
    if !simulation.runUntil(within)(!unseen.isEmpty) then
      throw AssertionError(s"$name got no message within $within${beforeThat}")
    unseen.poll.asInstanceOf[T]

  /** Lets `within` of simulated time pass and fails if a message arrives.
    *
    * {{{
    * import scala.concurrent.duration.*
    * import undercroft.actor.*
    * simulate(seeds = 1):
    *   val probe = Probe[Int]()
    *   probe.ref ! 7
    *   println(probe.receiveMessage()) // 7
    *   probe.expectNoMessage(within = 1.hour) // takes no real time
    * }}}
    *
    * @throws java.lang.AssertionError
    *   if a message arrives, or an earlier one was not returned by [[receiveMessage]] yet
    */
  def expectNoMessage(within: FiniteDuration): Unit =
    if simulation.runThrough(within)(!unseen.isEmpty) then
      val text = ValueText.of(unseen.peek)
      throw AssertionError(s"$name expected no message within $within, but got $text")

  private def beforeThat: String =
    messages.lastOption.fold("")(last => s"; the last one was ${ValueText.of(last)}")
end Probe

object Probe:
  /** Creates a probe in the current simulation. */
  def apply[T](name: String = "probe")(using simulation: Simulation): Probe[T] =
    new Probe[T](simulation, name)
