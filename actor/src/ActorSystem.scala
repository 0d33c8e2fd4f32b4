package undercroft.actor

import internal.cell.{ActorCell, ActorPaths, DeadLetterLog, Lifecycle, StopFutures, Tracing}
import internal.dispatch.{ActorSettings, Clock, Dispatcher, Engine, MachineEngine}
import internal.dispatch.SystemFailure
import internal.observe.{ActorJfr, CellDiagnostics}
import java.util.ArrayDeque
import java.util.concurrent.{ConcurrentHashMap, CopyOnWriteArrayList}
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.atomic.AtomicLong
import scala.collection.immutable
import scala.concurrent.Future
import scala.concurrent.duration.FiniteDuration

/** A hierarchy of actors and the threads that run them. Thread-safe.
  *
  * Its threads are daemons. An idle system wakes up twice a second to check its workers. An actor
  * that is spawned with the system as its scope is a child of the guardian actor, and stops with
  * it.
  *
  * {{{
  * def greeter: Behavior[String] = Behavior.receive: name =>
  *   println("Hello, " + name)
  *   Behavior.same
  *
  * ActorSystem.scoped("greetings"): // shut down when all messages are handled
  *   spawn(greeter, "greeter") ! "Ada"
  * }}}
  */
final class ActorSystem private[actor] (
    val name: String,
    private[actor] val engine: Engine,
    listener: ActorEvent => Unit
) extends ActorScope,
      AutoCloseable:
  private[actor] val clock: Clock = engine.clock
  private[actor] val failure: SystemFailure = engine.failure
  private[actor] val deadLetters: DeadLetterLog =
    DeadLetterLog(name, clock, ActorSettings.deadLetterNanos)
  private val numbers = AtomicLong()
  private[actor] val stopFutures: StopFutures = StopFutures()

  /** The asks of actors of other runtimes that wait for a reply: they end with the system. */
  private[actor] val openAsks: java.util.Set[Reply[?]] = ConcurrentHashMap.newKeySet()

  /** The tracer of the system, if a module of traces has set one. */
  private[undercroft] val tracing: Tracing = Tracing()

  private val guardian: ActorCell[Nothing] =
    val runner = engine.runner(Run.Workers, isProcess = false)
    val number = numbers.getAndIncrement
    ActorCell[Nothing](this, null, runner, Behavior.empty, Mailbox.default, number)

  /** Its counts, its actors and the durations of their handlers.
    *
    * {{{
    * def backlog(system: ActorSystem): Long = system.observe.audit.waiting
    * }}}
    */
  val observe: ActorObservation = ActorObservation(name, guardian)

  private[actor] def start(): Unit =
    failure.prepare(this)
    Lifecycle.prepare(guardian, name)
    val _ = guardian.family()
    engine.start(guardian, report)
    ActorJfr.begun(this)

  private[actor] def spawnHere[T](
      behavior: Behavior[T],
      name: String,
      run: Run,
      mailbox: Mailbox
  ): ActorRef[T] = make(guardian, behavior, name, run, mailbox)

  private[actor] def make[T](
      parent: ActorCell[?],
      behavior: Behavior[T],
      name: String,
      run: Run,
      mailbox: Mailbox
  ): ActorRef[T] =
    requirePart("behavior", behavior)
    requirePart("name", name)
    requirePart("mailbox", mailbox)
    requirePart("run model", run)
    run match
      case Run.On(executor) => requirePart("executor", executor)
      case Run.Pool(pool)   => requirePart("name of the pool", pool)
      case _                => ()
    if failure.isBegun then throw failure.error
    val runner = engine.runner(run, Behavior.isProcess(behavior))
    val number = numbers.getAndIncrement
    val cell = ActorCell[T](this, parent, runner, behavior, mailbox, number)
    Lifecycle.prepare(cell, name)
    runner.adopt(cell) // first: a child can be stopped
    if !parent.family().add(cell) then
      throw SpawnRejectedException(s"${parent.name} is stopping and cannot spawn actors")
    SystemFailure.guard(cell):
      try runner.started(cell)
      catch
        case rejected: SpawnRejectedException => // no thread
          Lifecycle.withdraw(cell)
          throw rejected
      if cell.needsStart then cell.wake()
      if failure.isBegun then
        cell.closeBySystem() // if it was added after the others were closed
        throw failure.error
      cell
  end make

  private def requirePart(noun: String, part: Any): Unit =
    if part == null then throw NullPointerException(s"the $noun of an actor of $name is null")

  private val parked = ArrayDeque[ParkedMessage]()

  /** Removes and returns the parked messages, oldest first: see [[MessageFailure.Park]]. They are
    * counted as failed; the caller decides what to do with them.
    *
    * {{{
    * def reject(system: ActorSystem): Unit =
    *   for parked <- system.drainParked() do println(s"${parked.message}: ${parked.cause}")
    * }}}
    */
  def drainParked(): Vector[ParkedMessage] = parked.synchronized:
    val messages = parked.toArray(Array.empty[ParkedMessage]).toVector
    parked.clear()
    messages

  private[actor] def park(message: ParkedMessage): Unit =
    val evictedMessage = parked.synchronized:
      parked.addLast(message)
      if parked.size > ActorSystem.ParkedLimit then parked.pollFirst else null
    report(ActorEvent.MessageParked(message, isKept = true))
    if evictedMessage != null then report(ActorEvent.MessageParked(evictedMessage, isKept = false))

  private[actor] def report(event: ActorEvent): Unit =
    try ActorJfr.told(event)
    catch case cause: Throwable => notTold(event, s"the recording of $name", cause)
    subscriptions.forEach: subscription =>
      try subscription.listener(event)
      catch case cause: Throwable => notTold(event, s"a listener of $name", cause)

  private def notTold(event: ActorEvent, source: String, cause: Throwable): Unit =
    if SystemFailure.isFatal(cause) then failure.begin(cause, null, SystemFailure.Place.Listener)
    ActorEvent.notTold(event, source, cause)

  private final class Subscription(val listener: ActorEvent => Unit) extends AutoCloseable:
    /** Whether it has received the failure of the system. */
    var isFailureTold = false
    def close(): Unit = subscriptions.remove(this): Unit

  /** The listener of the system, and the listeners that [[subscribe]] has added. */
  private val subscriptions = CopyOnWriteArrayList(java.util.List.of(Subscription(listener)))

  /** Calls `listener` for each event from now on, besides the system's own listener, until the
    * result is closed. It is called on the thread on which the event happens, so it must not wait.
    * Thread-safe.
    *
    * {{{
    * ActorSystem.scoped("shop"):
    *   val system = summon[ActorSystem]
    *   var lost = List.empty[Any]
    *   val subscription = system.subscribe:
    *     case ActorEvent.DeadLetter(_, message, _) => lost ::= message
    *     case _                                    => ()
    *   spawn(Behavior.empty[Int], run = Run.Caller) ! 250
    *   subscription.close()
    *   println(lost) // List(250)
    * }}}
    */
  def subscribe(listener: ActorEvent => Unit): AutoCloseable =
    if listener == null then throw NullPointerException(s"a subscriber of $name is null")
    val subscription = Subscription(listener)
    subscriptions.add(subscription): Unit
    subscription

  /** Reports a message that a sender of this system could not deliver to another node. */
  private[undercroft] def reportUndelivered(to: ActorRef[Nothing], message: Any): Unit =
    observe.totals.refused(DeadLetterReason.Undelivered)
    report(ActorEvent.DeadLetter(to, message, DeadLetterReason.Undelivered))

  private[actor] def stopped(cell: ActorCell[?]): Unit =
    if cell ne guardian then observe.stopped(cell) else endOpen()

  /** Ends the asks of other runtimes, the log of dead letters and the observers. */
  private def endOpen(): Unit =
    openAsks.forEach(_.stopWithSystem())
    deadLetters.end()
    ActorJfr.ended(this)
    observe.ended()

  // ---- the end by a fatal error, in this order

  /** Closes the actors, so that there is memory for the other steps. Allocates little. */
  private[actor] def closeTree(): Unit =
    guardian.closeBySystem()
    guardian.family().closeBySystem(ActorSystem.ClosedDepth)

  /** Throws only fatal errors: then the caller tries again. */
  private[actor] def tellFailure(event: ActorEvent): Unit =
    subscriptions.forEach: subscription =>
      if !subscription.isFailureTold then
        try subscription.listener(event)
        catch
          case cause: Throwable if !SystemFailure.isFatal(cause) =>
            ActorEvent.notTold(event, s"a listener of $name", cause)
        subscription.isFailureTold = true

  private[actor] def closeAll(): Unit =
    CellDiagnostics.below(guardian).forEach(_.closeBySystem())

  private[actor] def endWaits(): Unit =
    engine.endAsks()
    stopFutures.fail(failure.error)
    endOpen()

  /** Parks this thread for at most `nanos`, or until it should look whether the system has failed.
    */
  private[actor] def park(by: AnyRef, nanos: Long): Unit =
    engine.park(by, if engine.isSimulated then nanos else math.min(nanos, Engine.FailureNanos))

  /** Finds a live actor by its [[ActorRef.path]]; a name without a number is the oldest live actor
    * of this name. The type of its messages is not known, so the result can be watched and
    * observed; [[Registry]] finds actors to send to. Cost: O(children) for each level. Thread-safe.
    *
    * {{{
    * val system = ActorSystem("shop")
    * val till = spawn(Behavior.ignore[Int], "till")(using system)
    * println(system.find("till").contains(till)) // true
    * println(system.find("till/drawer")) // None
    * system.close()
    * }}}
    */
  def find(path: String): Option[ActorRef[Nothing]] =
    if path == null then throw NullPointerException(s"the path of an actor of $name is null")
    Option(ActorPaths.find(guardian, path))

  /** Waits until the system is quiescent: no message waits and no actor runs. Returns whether this
    * happened before the timeout. Timers that are not yet due and threads that may still send are
    * not considered. In a handler of one of its own actors it blocks the thread for `within` and
    * returns false.
    *
    * {{{
    * import scala.concurrent.duration.*
    * val system = ActorSystem("shop")
    * spawn(Behavior.ignore[Int])(using system) ! 1
    * println(system.awaitQuiescence(10.seconds)) // true
    * system.close()
    * }}}
    */
  def awaitQuiescence(within: FiniteDuration): Boolean = engine.await(within.toNanos)(() => isQuiet)

  /** F. Mattern's four-counter method ("Algorithms for distributed termination detection", 1987):
    * the system is quiescent if the number of completed messages, read first, equals the number of
    * sent messages, read afterwards.
    */
  private def isQuiet: Boolean =
    val first = CellDiagnostics.below(guardian)
    var done = 0L
    var idle = true
    first.forEach: cell =>
      done += cell.completedAcquire
      idle &= CellDiagnostics.isQuiescent(cell)
    // With auditing off, direct hand-offs are not counted, so also check that no worker has one in
    // flight.
    idle = idle && (ActorSettings.audits || guardian.isStopped || engine.areWorkersIdle)
    val second = CellDiagnostics.below(guardian)
    var sent = 0L
    second.forEach: cell =>
      sent += cell.sentCount
      idle &= CellDiagnostics.isQuiescent(cell)
    idle && first.equals(second) && sent == done &&
    (guardian.isStopped || CellDiagnostics.isQuiescent(guardian))

  /** Whether all actors, and with them the system, have stopped.
    *
    * {{{
    * val system = ActorSystem("shop")
    * println(system.isStopped) // false
    * system.close()
    * println(system.isStopped) // true
    * }}}
    */
  def isStopped: Boolean = guardian.isStopped

  /** A future that completes, once, when all actors of the system have stopped, for whatever
    * reason; at once if they have. It does not stop them.
    *
    * {{{
    * import scala.concurrent.ExecutionContext.Implicits.global
    * val system = ActorSystem("shop")
    * val end = system.whenStopped.map(_ => "closed")
    * system.close()
    * println(scala.concurrent.Await.result(end, scala.concurrent.duration.Duration.Inf)) // closed
    * }}}
    */
  def whenStopped: Future[Unit] = stopFutures.of(guardian)

  /** Shuts the system down: waits at most `drain` until all messages are handled, then stops all
    * actors, children before their parents, and waits at most `within` until they have stopped. An
    * interrupt does not end the wait: the thread's interrupt status is set afterwards.
    *
    * {{{
    * import scala.concurrent.duration.*
    * val system = ActorSystem("shop")
    * spawn(Behavior.ignore[Int])(using system) ! 1
    * println(system.shutdown(drain = 10.seconds)) // true
    * println(system.isStopped) // true
    * }}}
    *
    * @return
    *   whether all messages were handled and all actors stopped in time. Messages that were not
    *   handled are dead letters in the audit. If the result is false, the shutdown continues in the
    *   background and ends with the last actor; another call waits for it again
    * @throws java.lang.IllegalStateException
    *   in a handler of one of its own actors, or on a worker of any system, which must not block
    * @throws SystemFailedException
    *   if the system has ended by a fatal error
    */
  def shutdown(
      drain: FiniteDuration = FiniteDuration(10, SECONDS),
      within: FiniteDuration = FiniteDuration(10, SECONDS)
  ): Boolean = shutdownNanos(drain.toNanos, within.toNanos)

  private def shutdownNanos(drain: Long, within: Long): Boolean =
    Dispatcher.requireMayShutDown(this)
    val drained = engine.await(drain)(() => isQuiet)
    val from = clock.nanos
    guardian.tellSystem(Lifecycle.Stop(null)): Unit
    val isOver = engine.await(within)(() => guardian.isStopped)
    drained && isOver && engine.join(math.max(1L, within - (clock.nanos - from)))

  /** Calls [[shutdown]] with its default limits. */
  def close(): Unit =
    val _ = shutdownNanos(ActorSystem.LimitNanos, ActorSystem.LimitNanos)

  override def toString: String = name
end ActorSystem

object ActorSystem:
  /** The largest number of parked messages that a system keeps, each with its exception; beyond it
    * the oldest one is discarded.
    */
  val ParkedLimit = 1024

  /** The largest number of asks on the stack of one thread whose actors run on this thread
    * ([[Run.Caller]] and [[Run.On]]), each in a handler of the one before. With more, the stack
    * could overflow; a further ask throws an [[AskNestingException]].
    */
  val NestedAskLimit = 128

  /** The largest number of compensating workers of a pool: they replace workers blocked in
    * `scala.concurrent.blocking` or `Await`. The default of Scala's own pool is the same. Beyond
    * the limit, the other actors of a blocked worker wait until a worker is available. A
    * compensating worker ends after two seconds without work.
    */
  val CompensatingLimit = 256

  /** Creates and starts a system. End it by `shutdown` or `close`.
    *
    * {{{
    * val system = ActorSystem("shop", workers = 2)
    * val till = spawn(Behavior.ignore[Int], "till")(using system)
    * till ! 250
    * system.close()
    * }}}
    *
    * @param workers
    *   the number of threads that run actors
    * @param listener
    *   receives failures, dead letters and other events; it must be fast and thread-safe
    * @param pools
    *   the names of further pools of workers, for [[Run.Pool]], each with its number of threads
    * @throws java.lang.IllegalArgumentException
    *   if a number of threads is less than 1
    */
  def apply(
      name: String,
      workers: Int = Runtime.getRuntime.availableProcessors,
      listener: ActorEvent => Unit = ActorEvent.log,
      pools: Map[String, Int] = immutable.Map.empty
  ): ActorSystem =
    if name == null then throw NullPointerException("the name of a system is null")
    if listener == null then throw NullPointerException(s"the listener of $name is null")
    if pools == null then throw NullPointerException(s"the map of pools of $name is null")
    if workers < 1 then
      throw IllegalArgumentException(s"workers must be at least 1, but is $workers")
    if !pools.isEmpty then requireThreads(name, pools)
    val system = new ActorSystem(name, MachineEngine(name, workers, pools), listener)
    system.start()
    system

  private def requireThreads(name: String, pools: Map[String, Int]): Unit =
    for (pool, threads) <- pools do
      if pool == null then throw NullPointerException(s"the name of a pool of $name is null")
      if threads < 1 then
        throw IllegalArgumentException(
          s"the pool '$pool' must have at least 1 thread, but has $threads"
        )

  /** Runs `body` with a new system, and shuts the system down when `body` returns and all messages
    * are handled, also if it leaves by a `break` to a `boundary` outside. If `body` throws, waiting
    * messages are not handled: every actor stops after its current message, and the exception is
    * rethrown when all have stopped, after at most a second.
    *
    * {{{
    * val answer = ActorSystem.scoped("shop"):
    *   spawn(Behavior.ignore[Int]) ! 1
    *   42
    * println(answer) // 42
    * }}}
    *
    * @param drain
    *   the longest time to wait for messages to be handled after `body` returned or was left by a
    *   `break`
    * @throws java.lang.IllegalStateException
    *   on a worker, which must not block
    */
  def scoped[A](
      name: String,
      workers: Int = Runtime.getRuntime.availableProcessors,
      listener: ActorEvent => Unit = ActorEvent.log,
      drain: FiniteDuration = OneMinute,
      pools: Map[String, Int] = immutable.Map.empty
  )(body: ActorSystem ?=> A): A =
    if Dispatcher.isShared(Thread.currentThread) then
      throw IllegalStateException(s"the scope of the system $name would block a worker")
    val system = apply(name, workers, listener, pools)
    val drainNanos = if drain eq OneMinute then 6 * LimitNanos else drain.toNanos
    val result =
      try body(using system)
      catch
        // A non-local exit, not a failure.
        case jump: (scala.util.control.ControlThrowable | scala.util.boundary.Break[?]) =>
          val _ = system.shutdownNanos(drainNanos, LimitNanos)
          throw jump
        case cause: Throwable =>
          try
            val _ = system.shutdownNanos(0, FailedWithinNanos)
          catch case failure: Throwable => addSuppressed(cause, failure)
          throw cause
    val _ = system.shutdownNanos(drainNanos, LimitNanos)
    result
  end scoped

  /** The depth down to which actors are closed without a list of them. */
  private inline val ClosedDepth = 256

  // In nanoseconds, because the first duration of a program loads a fifth of Scala's library.

  /** The limits of a shutdown. */
  private inline val LimitNanos = 10_000_000_000L

  /** The longest time that an exception of `body` waits for the system to stop. */
  private inline val FailedWithinNanos = 1_000_000_000L

  /** The default of `drain`, one minute, as null: so no duration is loaded for it. */
  private val OneMinute: FiniteDuration = null.asInstanceOf[FiniteDuration]
end ActorSystem
