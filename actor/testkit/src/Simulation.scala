package undercroft.actor
package testkit

import scala.concurrent.{ExecutionContext, Future}
import scala.concurrent.duration.{DurationInt, DurationLong, FiniteDuration}
import scala.util.Try

/** A deterministic simulation of an actor system, in one thread and simulated time: the argument of
  * the body of [[simulate]].
  *
  * Actors run in steps, in an order that the seed determines. Steps run only in the methods of this
  * class, in `ask`, and before the body sends a message. Actors behave as in the real system, with
  * every [[Run]]: actors on workers must not wait, actors with a thread of their own may.
  *
  * Steps take simulated time, which counts in the limits of `runUntil`, `await`, `ask` and a
  * [[Probe]]. But `advance`, and `awaitQuiescence` and `shutdown` of the system, limit only the
  * time in which no step is possible: they run all possible steps and those that follow from them,
  * even if that takes longer.
  *
  * Confined to the thread that runs the body. Actors are spawned in it as in an `ActorSystem`.
  *
  * {{{
  * import scala.concurrent.duration.*
  * import undercroft.actor.*
  * simulate(seeds = 1):
  *   val probe = Probe[String]()
  *   spawn(Behavior.setup[String]:
  *     context.startSingleTimer("tea", "ready", 3.minutes)
  *     Behavior.receive: word =>
  *       probe.ref ! word
  *       Behavior.same)
  *   simulation.advance(4.minutes)
  *   println(probe.received) // Vector(ready)
  * }}}
  */
final class Simulation private[testkit] (
    stepper: StepScheduler,
    schedule: Schedule,
    val system: ActorSystem,
    eventLog: EventLog
) extends ActorScope:
  private[actor] def spawnHere[T](
      behavior: Behavior[T],
      name: String,
      run: Run,
      mailbox: Mailbox
  ): ActorRef[T] = system.spawnHere(behavior, name, run, mailbox)

  /** The seed that determines the order of steps.
    *
    * {{{
    * simulate(seeds = 2)(println(simulation.seed)) // prints 1 and 2
    * }}}
    */
  def seed: Long = schedule.seed

  /** The simulated time: each step adds a little, [[advance]] and waiting add the rest.
    *
    * {{{
    * import scala.concurrent.duration.*
    * simulate(seeds = 1):
    *   val before = simulation.now
    *   simulation.advance(1.hour)
    *   println(simulation.now - before >= 1.hour) // true
    * }}}
    */
  def now: FiniteDuration = stepper.clock.nanos.nanos

  /** Runs all possible steps and the steps that follow from them, until only the passing of time
    * could make another one possible.
    *
    * {{{
    * import undercroft.actor.*
    * simulate(seeds = 1):
    *   val probe = Probe[Int]()
    *   probe.ref ! 7
    *   simulation.runUntilIdle()
    *   println(probe.received.size) // 1
    * }}}
    *
    * @throws StepLimitException
    *   if the simulation exceeds its limit `steps`; this holds for all methods here
    */
  def runUntilIdle(): Unit =
    stepper.requireBody("settles")
    stepper.settle()

  /** Lets `time` of simulated time pass, and runs the steps that become possible in it and those
    * that follow from them, as [[runUntilIdle]] does. More time passes if they take longer.
    *
    * {{{
    * import scala.concurrent.duration.*
    * simulate(seeds = 1):
    *   simulation.advance(1.hour)
    *   println(simulation.now >= 1.hour) // true
    * }}}
    *
    * @throws java.lang.IllegalArgumentException
    *   if the simulated time would exceed 146 years (2^62 ns)
    */
  def advance(time: FiniteDuration): Unit =
    stepper.requireBody("advances")
    if time > VirtualClock.Latest - now then
      throw IllegalArgumentException(
        s"the simulated time must be at most ${VirtualClock.Latest}: $now + $time"
      )
    val until = stepper.clock.after(time.toNanos)
    while stepper.stepUntil(until, watched = false) do ()
    stepper.clock.passTo(until)

  /** Runs steps until `isSo` holds, for at most `within` of simulated time; returns whether it
    * holds. The step in which the time ends is the last one.
    *
    * {{{
    * import undercroft.actor.*
    * simulate(seeds = 1):
    *   var sum = 0
    *   val adder = spawn(Behavior.receive[Int] { n =>
    *     sum += n
    *     Behavior.same
    *   })
    *   for n <- 1 to 3 do adder ! n
    *   println(simulation.runUntil()(sum == 6)) // true
    * }}}
    */
  def runUntil(within: FiniteDuration = Simulation.DefaultTimeout)(isSo: => Boolean): Boolean =
    stepper.requireBody("waits for")
    val end = stepper.clock.after(within.toNanos)
    while !isSo && stepper.clock.nanos <= end && stepper.stepUntil(end) do ()
    isSo

  /** As [[runUntil]], but all of `within` passes if `isSo` does not hold. */
  private[testkit] def runThrough(within: FiniteDuration)(isSo: => Boolean): Boolean =
    val end = stepper.clock.after(within.toNanos)
    val holds = runUntil(within)(isSo)
    if !holds then stepper.clock.passTo(end)
    holds

  /** Runs steps until a future is completed, for at most `within` of simulated time, and returns
    * its result. A test uses it instead of `Await`, which lets no simulated time pass.
    *
    * {{{
    * import scala.concurrent.duration.*
    * import undercroft.actor.*
    * simulate(seeds = 1):
    *   val answers = spawn(Behavior.receive[Reply[Int]] { reply =>
    *     reply ! 42
    *     Behavior.same
    *   })
    *   val answer = answers.askAsync[Int](1.second)(reply => reply)
    *   println(simulation.await(answer)) // Success(42)
    * }}}
    *
    * @throws java.lang.IllegalStateException
    *   if the future is not completed in time
    */
  def await[A](future: Future[A], within: FiniteDuration = Simulation.DefaultTimeout): Try[A] =
    if !runUntil(within)(future.isCompleted) then
      throw IllegalStateException(s"a future was not completed within $within")
    future.value.get

  /** Returns a number in `[0, bound)` chosen by the seed, such as a number of actors or messages. A
    * failing test is shrunk to smaller numbers.
    *
    * {{{
    * import undercroft.actor.*
    * simulate(seeds = 1):
    *   val probe = Probe[Int]()
    *   val count = 1 + simulation.nextInt(10)
    *   for n <- 1 to count do probe.ref ! n
    *   simulation.runUntilIdle()
    *   println(probe.received.size == count) // true
    * }}}
    *
    * @throws java.lang.IllegalArgumentException
    *   if `bound` is below 1
    */
  def nextInt(bound: Int): Int =
    if bound < 1 then throw IllegalArgumentException(s"bound must be at least 1, but is $bound")
    stepper.order.take(bound)

  /** Runs tasks as steps of the simulation: the execution context for futures that actors use.
    *
    * {{{
    * import scala.concurrent.Future
    * simulate(seeds = 1):
    *   val price = Future(250)(using simulation.executionContext)
    *   println(simulation.await(price)) // Success(250)
    * }}}
    */
  def executionContext: ExecutionContext = stepper

  /** The events that the system reported so far: failures and dead letters.
    *
    * {{{
    * import undercroft.actor.*
    * simulate(seeds = 1):
    *   spawn(Behavior.empty[Int]) ! 7
    *   simulation.runUntilIdle()
    *   println(simulation.events.size) // 1
    * }}}
    */
  def events: Vector[ActorEvent] = eventLog.all

  override def toString: String = s"the simulation of seed $seed"
end Simulation

object Simulation:
  /** The default timeout of waits, in simulated time. Waiting takes no real time. */
  val DefaultTimeout: FiniteDuration = 1.minute

/** The current simulation.
  *
  * {{{
  * def settle()(using Simulation): Unit = simulation.runUntilIdle()
  * simulate(seeds = 1)(settle())
  * }}}
  */
def simulation(using simulation: Simulation): Simulation = simulation
