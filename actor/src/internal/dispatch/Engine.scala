package undercroft.actor
package internal.dispatch

import internal.cell.ActorCell
import java.util.ArrayList
import java.util.concurrent.ThreadLocalRandom
import java.util.concurrent.locks.LockSupport
import scala.collection.immutable

/** The runtime under an actor system: threads and a clock, either real or simulated. */
private[actor] trait Engine:
  def clock: Clock

  /** The end of the system by a fatal error. */
  def failure: SystemFailure

  /** Ends the threads, because of a fatal error, and lets the clock's thread complete the end.
    * Thread-safe; allocates nothing. May be called again.
    */
  def fail(): Unit

  /** Ends the asks whose timeouts the clock has. Called by the clock's thread. */
  def endAsks(): Unit = ()

  /** The dispatcher for actors with this run model. */
  def runner(run: Run, isProcess: Boolean): Dispatcher

  /** Starts the threads; called once the guardian actor exists. */
  def start(guardian: ActorCell[?], tell: ActorEvent => Unit): Unit

  /** Blocks a user thread until `isSo` holds, for at most `withinNanos`. Returns whether it holds.
    */
  def await(withinNanos: Long)(isSo: () => Boolean): Boolean

  /** Parks this thread until [[unpark]], for at most `nanos`; it may return spuriously. */
  def park(by: AnyRef, nanos: Long): Unit
  def unpark(thread: Thread): Unit

  /** Called when a process takes its next message: a simulation may schedule other steps first. */
  def pass(): Unit

  /** Runs `body` as a part of one step of a simulation: no other step comes before its sends. For
    * code that sends under a lock.
    */
  def inOneStep[A](body: => A): A = body

  /** Whether all workers are idle. With auditing off this detects direct hand-offs, which are not
    * counted.
    */
  def areWorkersIdle: Boolean = true

  /** Whether time is simulated, so that it does not advance while a thread spins. */
  def isSimulated: Boolean

  /** A random number in `[0, 1)`. */
  def random(): Double

  /** The hash code of the actor with this number. */
  def hashOf(number: Long): Int = Engine.mixed(number)

  /** The hash code of a reply, which has no number. */
  def hashOf(reply: Reply[?]): Int = System.identityHashCode(reply)

  /** Ends the threads; called when all actors have stopped. */
  def end(): Unit

  /** Waits for the threads to end. Returns whether all did in time. */
  def join(withinNanos: Long): Boolean
end Engine

private[actor] object Engine:
  /** The longest time for which a wait does not see that the system has failed. */
  inline val FailureNanos = 1_000_000_000L

  /** A wait without a limit. */
  inline val Forever = Long.MaxValue

  /** Scrambles consecutive numbers: D. Knuth's multiplicative hashing, with 2^64 / phi. */
  def mixed(number: Long): Int = (number * 0x9e3779b97f4a7c15L >>> 32).toInt

/** The engine with real threads and the system clock. */
private[actor] final class MachineEngine(name: String, workers: Int, named: Map[String, Int])
    extends Engine:
  val failure: SystemFailure = SystemFailure(name)
  val clock: Clock.Real = Clock.Real(name, failure)
  private val pool = WorkerPool(name, workers, Run.Workers, failure)
  private val namedPools: Map[String, WorkerPool] =
    if named.isEmpty then immutable.Map.empty
    else
      named.map: (poolName, count) =>
        poolName -> WorkerPool(s"$name-$poolName", count, Run.Pool(poolName), failure)
  private val pools = new Array[WorkerPool](1 + named.size)
  pools(0) = pool
  if !named.isEmpty then namedPools.values.copyToArray(pools, 1): Unit
  private val virtual = PinnedDispatcher(name, Run.Virtual)
  private val threads = PinnedDispatcher(name, Run.Thread)
  private val callers = CallingThreadDispatcher()

  def runner(run: Run, isProcess: Boolean): Dispatcher = run match
    case Run.Thread => threads
    case Run.Pool(pool) =>
      val workers = namedPools.getOrElse(pool, unknownPool(pool))
      if isProcess then virtual else workers
    case _ if isProcess => virtual
    case Run.Workers    => pool
    case Run.Virtual    => virtual
    case Run.Caller     => callers
    case on: Run.On     => ExecutorDispatcher(on, on.executor)

  private def unknownPool(pool: String): Nothing =
    val known = if named.isEmpty then "it has none" else named.keys.toVector.sorted.mkString(", ")
    throw IllegalArgumentException(s"$name has no pool '$pool'; its pools: $known")

  def start(guardian: ActorCell[?], tell: ActorEvent => Unit): Unit =
    pool.adopt(guardian)
    try
      forPools(_.start())
      StallDetector(
        () =>
          val watched = ArrayList[MonitoredThread]()
          forPools(_.addWatched(watched))
          watched
        ,
        ActorSettings.stallNanos,
        clock,
        tell,
        () =>
          forPools(_.tidy())
          failure.beginIfNoted()
      ).start()
      val actorThreads = () =>
        val watched = ArrayList(virtual.watched)
        watched.addAll(threads.watched): Unit
        watched
      StallDetector(actorThreads, ActorSettings.threadStallNanos, clock, tell, () => ()).start()
    catch
      case cause: Throwable => // too few threads
        end()
        throw cause
    end try
  end start

  def await(withinNanos: Long)(isSo: () => Boolean): Boolean =
    val from = System.nanoTime
    var pause = MachineEngine.ShortestPauseNanos
    var isMet = !failure.isBegun && isSo()
    var isInterrupted = false
    while !isMet && System.nanoTime - from < withinNanos do
      if failure.isOver then throw failure.error
      LockSupport.parkNanos(pause)
      if Thread.interrupted() then isInterrupted = true // it would end each further pause at once
      pause = math.min(pause * 2, MachineEngine.LongestPauseNanos)
      isMet = !failure.isBegun && isSo()
    if isInterrupted then Thread.currentThread.interrupt()
    isMet

  def park(by: AnyRef, nanos: Long): Unit =
    if nanos == Engine.Forever then LockSupport.park(by) else LockSupport.parkNanos(by, nanos)
  def unpark(thread: Thread): Unit = LockSupport.unpark(thread)
  def pass(): Unit = ()
  override def areWorkersIdle: Boolean = allPools(_.areWorkersIdle)
  def isSimulated: Boolean = false
  def random(): Double = ThreadLocalRandom.current.nextDouble

  private inline def forPools(inline use: WorkerPool => Unit): Unit =
    var i = 0
    while i < pools.length do
      use(pools(i))
      i += 1

  private inline def allPools(inline isSo: WorkerPool => Boolean): Boolean =
    var are = true
    forPools(pool => are = are && isSo(pool))
    are

  def fail(): Unit =
    forPools(_.end())
    clock.wake()

  override def endAsks(): Unit = clock.endAsks()

  def end(): Unit =
    clock.stop()
    forPools(_.end())

  def join(withinNanos: Long): Boolean =
    await(withinNanos)(() => allPools(_.haveEnded))
end MachineEngine

private[actor] object MachineEngine:
  private val ShortestPauseNanos = 50_000L
  private val LongestPauseNanos = 5_000_000L
