package undercroft.actor

import java.util.concurrent.ThreadLocalRandom
import java.util.concurrent.locks.LockSupport

/** What the actors of one system run on, and the time they go by: threads and the machine's clock,
  * or a simulation of both.
  */
private[actor] trait Engine:
  def clock: Clock

  /** What gives turns to actors that are spawned so. */
  def runner(run: Run, isProcess: Boolean): Runner

  /** Begins, when the actor above all others is there. */
  def start(guardian: Cell[?], tell: Event => Unit): Unit

  /** Waits on a thread of the user's until `isSo`, at most so long; whether it came to be. */
  def await(withinNanos: Long)(isSo: () => Boolean): Boolean

  /** Has this thread wait until [[unpark]], at most so long; it may return before, for no reason.
    */
  def park(by: AnyRef, nanos: Long): Unit
  def unpark(thread: Thread): Unit

  /** A process asks for its next message: others may come first. */
  def pass(): Unit

  /** Whether no worker has anything in hand: what goes uncounted from hand to hand is seen so. */
  def isAtRest: Boolean = true

  /** Whether time is none that passes while a thread looks at it. */
  def isSimulated: Boolean

  /** A number from 0 to 1 at random. */
  def random(): Double

  /** All actors have stopped. */
  def end(): Unit

  /** Waits for its threads to end. Whether all did in time. */
  def join(withinNanos: Long): Boolean
end Engine

private[actor] object Engine:
  /** A wait without a limit. */
  inline val Forever = Long.MaxValue

/** The machine's threads and clock. */
private[actor] final class Machine(name: String, workers: Int) extends Engine:
  val clock: Clock = Clock.Real(name)
  private val pool = Workers(name, workers)
  private val virtual = OwnThreads(name, Run.Virtual)
  private val threads = OwnThreads(name, Run.Thread)
  private val callers = Callers()

  def runner(run: Run, isProcess: Boolean): Runner = run match
    case Run.Thread     => threads
    case _ if isProcess => virtual
    case Run.Workers    => pool
    case Run.Virtual    => virtual
    case Run.Caller     => callers

  def start(guardian: Cell[?], tell: Event => Unit): Unit =
    pool.adopt(guardian)
    pool.start()
    Watch(() => pool.watched, Switches.stuckNanos, clock, tell).start()
    val own = () => virtual.watched ++ threads.watched
    Watch(own, Switches.heldNanos, clock, tell).start()

  def await(withinNanos: Long)(isSo: () => Boolean): Boolean =
    val from = System.nanoTime
    var pause = Machine.ShortestPauseNanos
    var so = isSo()
    while !so && System.nanoTime - from < withinNanos do
      LockSupport.parkNanos(pause)
      pause = math.min(pause * 2, Machine.LongestPauseNanos)
      so = isSo()
    so

  def park(by: AnyRef, nanos: Long): Unit =
    if nanos == Engine.Forever then LockSupport.park(by) else LockSupport.parkNanos(by, nanos)
  def unpark(thread: Thread): Unit = LockSupport.unpark(thread)
  def pass(): Unit = ()
  override def isAtRest: Boolean = pool.isAtRest
  def isSimulated: Boolean = false
  def random(): Double = ThreadLocalRandom.current.nextDouble

  def end(): Unit =
    clock.stop()
    pool.end()

  def join(withinNanos: Long): Boolean = pool.join(withinNanos)
end Machine

private[actor] object Machine:
  private val ShortestPauseNanos = 50_000L
  private val LongestPauseNanos = 5_000_000L
