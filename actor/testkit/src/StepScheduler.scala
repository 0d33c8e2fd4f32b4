package undercroft.actor
package testkit

import internal.cell.ActorCell
import internal.dispatch.{Dispatcher, Engine, SystemFailure, TimeSlice}
import java.util.ArrayDeque
import java.util.IdentityHashMap
import java.util.SplittableRandom
import java.util.concurrent.{ConcurrentHashMap, ConcurrentLinkedQueue}
import scala.concurrent.{BlockContext, CanAwait, ExecutionContext}

/** Runs the actors of one system step by step, on the thread that created it. A step is one of the
  * possible next events, chosen by an [[StepChooser]]: an actor handles a message, an actor's
  * thread continues, a task runs, or the clock runs an entry that is due. Each step adds a little
  * simulated time.
  *
  * An actor that keeps a thread has a [[SimulatedThread]] here, which runs while the stepper's
  * thread waits for it. So all state is confined to the stepper's thread or the strand that it
  * waits for; other threads may only send to actors.
  */
private[testkit] final class StepScheduler(
    name: String,
    schedule: Schedule,
    limits: SimulationLimits,
    trace: StepTrace | Null
) extends Engine,
      ExecutionContext,
      BlockContext:
  import limits.{latencyNanos, steps as mostSteps, turnNanos}

  val clock: VirtualClock = VirtualClock()
  val order: StepChooser = StepChooser(schedule)
  var steps = 0

  /** A permanent failure: each further step throws it. */
  var broken: Throwable | Null = null

  /** The number of interrupted turns on this stack, which continue later. */
  private var depth = 0

  /** Whether a step is running; if not, the test's own code runs. */
  private var isStepping = false

  /** Whether no other step may come before a send: see [[inOneStep]]. */
  private var isIndivisible = false

  /** The number of replies that were given a hash code. */
  private var hashedReplies = 0L

  private val home = Thread.currentThread
  private val slice = TimeSlice(0)
  private val lengths = SplittableRandom(~schedule.seed)
  private val luck = SplittableRandom(schedule.seed + 1)

  /** The possible next steps: cells, strands and tasks. */
  private val line = StepQueue()
  private val arrived = ConcurrentLinkedQueue[ActorCell[?]]()
  private val strands = ConcurrentHashMap[Thread, SimulatedThread]()
  private val strandOf = IdentityHashMap[ActorCell[?], SimulatedThread]()

  /** Strands in managed blocking; they continue when no other step is possible at the current time.
    */
  private val patient = ArrayDeque[SimulatedThread]()
  private val runners = Run.standard.map(run => run -> Steps(run)).toMap

  private final class Task(val body: Runnable)

  /** The simulated form of a run model's [[Dispatcher]]. */
  private final class Steps(val run: Run) extends Dispatcher:
    override def started(cell: ActorCell[?]): Unit =
      if trace != null then trace.spawned(cell)
      if keepsThread then
        val strand = SimulatedThread(StepScheduler.this, home, cell)
        strandOf.put(cell, strand): Unit
        strands.put(strand.thread, strand): Unit
    def wake(cell: ActorCell[?]): Unit =
      if isInside then woken(cell) else arrived.add(cell): Unit
    override def takeOver(cell: ActorCell[?], thread: Thread): Boolean =
      if line.size > 0 && !isIndivisible then interrupt(thread) // the caller is sending to it
      false

  private def woken(cell: ActorCell[?]): Unit =
    if cell.runner.keepsThread then strandOf.get(cell).nn.unpark() else line.add(cell)

  // ---- steps

  /** Adds a possible step. For simulated threads only. */
  def add(step: AnyRef): Unit = line.add(step)

  /** Whether a caller checks the result of this step before the next one. */
  private var isWatched = true

  /** Runs one step that is possible at the current time; returns whether there was one. If it is
    * not `watched`, steps that follow from it alone may run, too.
    */
  def step(watched: Boolean = true, until: Long = Long.MaxValue): Boolean =
    val cause = broken
    if cause != null then throw cause
    while !arrived.isEmpty do woken(arrived.poll.nn)
    if line.size == 0 && !clock.isDue && !patient.isEmpty then line.add(patient.poll.nn)
    if line.size == 0 && !clock.isDue then false
    else
      countStep() // first: entries due by then compete with the other possible steps
      val isRingFirst = isDelayed(until)
      val possible = line.size + (if clock.isDue then 1 else 0)
      val number =
        if isRingFirst then line.size else if possible == 1 then 0 else order.take(possible)
      val (watchedBefore, steppingBefore) = (isWatched, isStepping)
      isWatched = watched
      isStepping = true
      try if number == line.size then ring() else perform(line.remove(number))
      finally
        isWatched = watchedBefore
        isStepping = steppingBefore
      true
  end step

  /** Whether the possible steps wait for the next entry of the clock: now and then, if that is due
    * within the latency of a message. If so, advances the time to that entry.
    */
  private def isDelayed(until: Long): Boolean =
    val end = math.min(clock.after(latencyNanos), until)
    latencyNanos > 0 && line.size > 0 && !clock.isDue && clock.isDueBy(end) &&
    order.isUnlikely(StepScheduler.Odds) && clock.passToNext(end)

  private def countStep(): Unit =
    if steps == mostSteps then
      throw StepLimitException(s"$name is still at work after $steps steps, at ${clock.nanos} ns")
    steps += 1
    if turnNanos > 0 then clock.pass(lengths.nextLong(turnNanos + 1))

  /** Counts a step for the calling strand, which continues at once; returns whether it may: no
    * other step is possible, even if this one takes the longest time, and no caller checks a
    * condition before. It saves a switch of threads.
    */
  def goesOnAlone(): Boolean =
    val may =
      latencyNanos == 0 && !isWatched && trace == null && broken == null && steps < mostSteps &&
        line.size == 0 && arrived.isEmpty && !clock.isDueBy(clock.after(turnNanos))
    if may then countStep()
    may

  private def perform(step: AnyRef): Unit = step match
    case cell: ActorCell[?] =>
      if trace != null then trace.before(cell, steps, clock.nanos, atWork)
      // `notified` stays raised during the turn, so that no sender queues the cell again.
      Dispatcher.turn(cell, slice)
      cell.clearNotifiedVolatile()
      if cell.hasWork && cell.notifyVolatile() then line.add(cell)
      if trace != null then trace.after(cell.name)
    case strand: SimulatedThread =>
      if trace != null then trace.before(strand.cell, steps, clock.nanos, atWork)
      strand.resume()
      if strand.cell.isStopped then forget(strand)
      if trace != null then trace.after(strand.cell.name)
    case task: Task =>
      if trace != null then trace.line(steps, clock.nanos, "a task runs")
      task.body.run()
      if trace != null then trace.after("a task")
    case step => throw IllegalStateException(s"$step is not a step")

  /** The name of the running actor, or of the actor whose turn was interrupted. */
  private def atWork: String = Dispatcher.current(home) match
    case null => "the test"
    case cell => cell.name

  private def ring(): Unit =
    if trace != null then trace.line(steps, clock.nanos, "the clock rings")
    clock.perform()
    if trace != null then trace.after("the clock")

  /** Called before an actor or the test sends: now and then runs other steps before the send. */
  private def interrupt(thread: Thread): Unit =
    val strand = strands.get(thread)
    if strand != null then
      if order.isUnlikely(StepScheduler.Odds) then strand.pass()
    else if thread eq home then
      if Dispatcher.current(home) == null then
        if !isStepping && order.isUnlikely(StepScheduler.TestOdds) then pause()
      else if depth < StepScheduler.Deepest && order.isUnlikely(StepScheduler.Odds) then
        depth += 1
        try step(): Unit
        finally depth -= 1

  /** Simulates a slow test thread: runs some steps before its next send, two on average. */
  private def pause(): Unit = while step() && order.isUnlikely(2) do ()

  private def forget(strand: SimulatedThread): Unit =
    strandOf.remove(strand.cell): Unit
    strands.remove(strand.thread): Unit

  /** Runs all steps that are possible at this time, and the steps that follow from them. */
  def settle(): Unit = while step(watched = false) do ()

  /** Runs one step, at this time or at that of the next entry by `until`; returns whether there was
    * one.
    */
  def stepUntil(until: Long, watched: Boolean = true): Boolean =
    step(watched, until) || (clock.passToNext(until) && step(watched, until))

  // ---- thread checks

  private def isInside: Boolean =
    val thread = Thread.currentThread
    (thread eq home) || strands.containsKey(thread)

  private def requireInside(does: String): Unit =
    if !isInside then
      throw IllegalStateException(
        s"${Thread.currentThread.getName} $does in $name, which is simulated by ${home.getName}"
      )

  /** Throws unless the simulating thread calls it, outside all turns. */
  def requireBody(does: String): Unit =
    if (Thread.currentThread ne home) || Dispatcher.current(home) != null then
      throw IllegalStateException(s"only the test, not an actor, $does $name")

  // ---- Engine

  def runner(run: Run, isProcess: Boolean): Dispatcher =
    requireInside("spawns an actor")
    run match
      case Run.Thread     => runners(Run.Thread)
      case _ if isProcess => runners(Run.Virtual)
      // The simulation replaces executors and pools.
      case Run.On(_) | Run.Pool(_) => Steps(run)
      case _                       => runners(run)

  def start(guardian: ActorCell[?], tell: ActorEvent => Unit): Unit = ()

  def await(withinNanos: Long)(isSo: () => Boolean): Boolean =
    requireInside("waits")
    val until = clock.after(withinNanos)
    settle()
    var isMet = isSo()
    while !isMet && clock.passToNext(until) do
      settle()
      isMet = isSo()
    isMet

  def park(by: AnyRef, nanos: Long): Unit =
    val strand = strands.get(Thread.currentThread)
    if strand != null then strand.park(nanos)
    else
      requireInside("waits")
      val until = clock.after(nanos)
      // The end of the test's wait may overtake possible steps, as a timer may.
      val end =
        if latencyNanos > 0 && nanos != Engine.Forever then clock.schedule(nanos, () => ())
        else null
      try
        if !stepUntil(until) then
          if nanos == Engine.Forever then
            throw IllegalStateException(s"no step is possible in $name, but the test waits for one")
          clock.passTo(until)
      finally if end != null then end.cancel()

  def unpark(thread: Thread): Unit =
    val strand = strands.get(thread)
    if strand != null then strand.unpark()

  def pass(): Unit =
    val strand = strands.get(Thread.currentThread)
    if strand != null then strand.pass()

  override def inOneStep[A](body: => A): A =
    if !isInside then body
    else
      val before = isIndivisible
      isIndivisible = true
      try body
      finally isIndivisible = before

  val failure: SystemFailure = SystemFailure(name)

  /** Each further step throws the error. */
  def fail(): Unit = broken = failure.error

  def isSimulated: Boolean = true
  def random(): Double = luck.nextDouble

  // Hash codes depend on the seed: a bug that depends on the order of a set is found and replayed.
  override def hashOf(number: Long): Int =
    Engine.mixed(schedule.seed * 0x632be59bd9b4e019L + number)
  override def hashOf(reply: Reply[?]): Int =
    hashedReplies += 1
    hashOf(-hashedReplies)

  def end(): Unit = clock.stop()

  def join(withinNanos: Long): Boolean =
    leaveStrands()
    true

  /** Ends the threads of actors that have not terminated. */
  def leaveStrands(): Unit =
    val left = strands.values.toArray(new Array[SimulatedThread](0))
    for strand <- left.sortBy(_.cell.number) do strand.leave()
    strandOf.clear()
    strands.clear()

  // ---- tasks and managed blocking

  def execute(task: Runnable): Unit =
    requireInside("runs a task")
    line.add(Task(task))

  def reportFailure(cause: Throwable): Unit = throw cause

  def blockOn[A](block: => A)(using CanAwait): A =
    val strand = strands.get(Thread.currentThread)
    if strand != null then
      patient.add(strand): Unit
      strand.giveWay()
    else settle()
    block
end StepScheduler

private[testkit] object StepScheduler:
  /** One in `Odds` sends of an actor is interrupted. */
  private inline val Odds = 8

  /** One in `TestOdds` sends of the test is interrupted. */
  private inline val TestOdds = 4

  /** The most interrupted turns on one stack. */
  private inline val Deepest = 4
