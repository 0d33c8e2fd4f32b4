package undercroft.actor
package testkit

import scala.concurrent.{ExecutionContext, Future}
import scala.concurrent.duration.{DurationInt, DurationLong, FiniteDuration}
import scala.util.Try

/** A whole system of actors in one thread, by a time of its own: what [[simulate]] gives its body.
  *
  * What actors do happens in steps, in an order that the seed decides; nothing happens but in the
  * methods here and in `ask`. Behaviours are those of the real system, whatever [[Run]] they are
  * spawned with: those on workers may not wait, those with a thread of their own may.
  *
  * It is for the body's own thread. Actors may be spawned in it, as in an `ActorSystem`.
  */
final class Simulation private[testkit] (
    stepper: Stepper,
    schedule: Schedule,
    val system: ActorSystem,
    told: Told
) extends Scope:
  private[actor] def spawnHere[T](
      behavior: Behavior[T],
      name: String,
      run: Run,
      mailbox: Mailbox
  ): ActorRef[T] = system.spawnHere(behavior, name, run, mailbox)

  /** What decides over the order. */
  def seed: Long = schedule.seed

  /** The time that has passed: a little with each step, and what [[advance]] and waiting let pass.
    */
  def now: FiniteDuration = stepper.clock.nanos.nanos

  /** Lets happen what can happen now, and what follows from it, until only time could bring more.
    *
    * @throws EndlessException
    *   if that is more than the simulation's `steps`, as in all methods here
    */
  def settle(): Unit =
    stepper.requireBody("settles")
    stepper.settle()

  /** Lets so much time pass, and happen what falls into it. */
  def advance(time: FiniteDuration): Unit =
    stepper.requireBody("advances")
    val until = stepper.clock.after(time.toNanos)
    while stepper.stepUntil(until, watched = false) do ()
    stepper.clock.passTo(until)

  /** Lets one thing after another happen until `isSo`, for so much time at most; whether it came to
    * be.
    */
  def until(within: FiniteDuration = Simulation.Patience)(isSo: => Boolean): Boolean =
    stepper.requireBody("waits for")
    val end = stepper.clock.after(within.toNanos)
    while !isSo && stepper.stepUntil(end) do ()
    isSo

  /** What becomes of a future, for so much time at most: the test's way to wait for one, as `Await`
    * lets no time pass.
    *
    * @throws java.lang.IllegalStateException
    *   if it is not completed in time
    */
  def result[A](future: Future[A], within: FiniteDuration = Simulation.Patience): Try[A] =
    if !until(within)(future.isCompleted) then
      throw IllegalStateException(s"a future was not completed within $within")
    future.value.get

  /** A number from 0 until `bound` that the seed chooses, and that is made smaller where that fails
    * as well: for the number of actors, messages and so on.
    *
    * @throws java.lang.IllegalArgumentException
    *   if `bound` is below 1
    */
  def choose(bound: Int): Int =
    if bound < 1 then throw IllegalArgumentException(s"a choice from 0 until $bound")
    stepper.order.take(bound)

  /** Runs tasks as steps of the simulation, when their turn comes: for futures that actors use. */
  def tasks: ExecutionContext = stepper

  /** What the system told so far: failures and dead letters. */
  def events: Vector[Event] = told.all

  override def toString: String = s"the simulation of seed $seed"
end Simulation

object Simulation:
  /** For how much of its own time a simulation waits unless said otherwise. It costs nothing. */
  val Patience: FiniteDuration = 1.minute

/** The simulation around the call. */
def simulation(using simulation: Simulation): Simulation = simulation
