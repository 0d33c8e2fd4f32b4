package undercroft.actor
package testkit

import java.util.ArrayDeque
import java.util.IdentityHashMap
import java.util.SplittableRandom
import java.util.concurrent.{ConcurrentHashMap, ConcurrentLinkedQueue}
import scala.concurrent.{BlockContext, CanAwait, ExecutionContext}

/** Runs the actors of one system step by step, on the thread that made it. A step is one of what
  * could happen next, by an [[Order]]: an actor handles a message, the thread of one goes on, a
  * task runs, or the clock does what is due. Each takes a little of the simulated time.
  *
  * An actor that keeps a thread has one here too, which runs while this one waits for it. So
  * everything is the stepper's thread's, or that of the [[Strand]] which it waits for; other
  * threads may do nothing but send to actors.
  */
private[testkit] final class Stepper(
    name: String,
    schedule: Schedule,
    turnNanos: Long,
    mostSteps: Int,
    trace: Trace | Null
) extends Engine,
      ExecutionContext,
      BlockContext:
  val clock: Agenda = Agenda()
  val order: Order = Order(schedule)
  var steps = 0

  /** What is wrong, for good: the next step throws it. */
  var broken: Throwable | Null = null

  /** Turns that were interrupted and go on later, on the same stack. */
  private var depth = 0

  private val home = Thread.currentThread
  private val slice = Slice(0)
  private val lengths = SplittableRandom(~schedule.seed)
  private val luck = SplittableRandom(schedule.seed + 1)

  /** What could happen next: cells, strands and tasks. */
  private val line = Line()
  private val arrived = ConcurrentLinkedQueue[Cell[?]]()
  private val strands = ConcurrentHashMap[Thread, Strand]()
  private val strandOf = IdentityHashMap[Cell[?], Strand]()

  /** Strands that wait until there is nothing else to happen at the time. */
  private val patient = ArrayDeque[Strand]()
  private val runners = Run.values.map(run => run -> Steps(run)).toMap

  private final class Task(val body: Runnable)

  /** Stands for a run model. */
  private final class Steps(val run: Run) extends Runner:
    def started(cell: Cell[?]): Unit =
      if trace != null then trace.spawned(cell)
      if keepsThread then
        val strand = Strand(Stepper.this, home, cell)
        strandOf.put(cell, strand): Unit
        strands.put(strand.thread, strand): Unit
    def wake(cell: Cell[?]): Unit =
      if isInside then woken(cell) else arrived.add(cell): Unit
    def ready(cell: Cell[?]): Unit = ()
    def takeOver(cell: Cell[?], thread: Thread): Boolean =
      if line.size > 0 then interrupt(thread) // somebody sends to it
      false
    def stopped(cell: Cell[?]): Unit = ()

  private def woken(cell: Cell[?]): Unit =
    if cell.runner.keepsThread then strandOf.get(cell).nn.unpark() else line.add(cell)

  // ---- steps

  /** Something is possible now. A simulated thread's. */
  def add(what: AnyRef): Unit = line.add(what)

  /** Whether somebody looks at what this step brought before there is another. */
  private var isWatched = true

  /** Lets one thing happen that is possible at this time; whether there was one. Where it is not
    * `watched`, what follows from it alone may happen, too.
    */
  def step(watched: Boolean = true): Boolean =
    val cause = broken
    if cause != null then throw cause
    while !arrived.isEmpty do woken(arrived.poll.nn)
    if line.size == 0 && !clock.isDue && !patient.isEmpty then line.add(patient.poll.nn)
    val possible = line.size + (if clock.isDue then 1 else 0)
    if possible == 0 then false
    else
      countStep()
      val number = if possible == 1 then 0 else order.take(possible)
      val before = isWatched
      isWatched = watched
      try if number == line.size then ring() else perform(line.remove(number))
      finally isWatched = before
      true

  private def countStep(): Unit =
    if steps == mostSteps then
      throw EndlessException(s"$name is still at work after $steps steps, at ${clock.nanos} ns")
    steps += 1
    if turnNanos > 0 then clock.pass(lengths.nextLong(turnNanos + 1))

  /** Takes a step for the strand that asks, which goes on at once: nothing else could happen next,
    * and nobody looks before. It spares two threads that wait for each other.
    */
  def goesOnAlone(): Boolean =
    val may = !isWatched && trace == null && broken == null && steps < mostSteps &&
      line.size == 0 && arrived.isEmpty && !clock.isDue
    if may then countStep()
    may

  private def perform(what: AnyRef): Unit = what match
    case cell: Cell[?] =>
      if trace != null then trace.before(cell, steps, clock.nanos, atWork)
      // `notified` stays raised meanwhile, so that nobody has it wait in line again.
      Runner.turn(cell, slice)
      cell.lowerNotifiedVolatile()
      if cell.hasWork && cell.notifyVolatile() then line.add(cell)
      if trace != null then trace.after(cell.name)
    case strand: Strand =>
      if trace != null then trace.before(strand.cell, steps, clock.nanos, atWork)
      strand.resume()
      if strand.cell.isStopped then forget(strand)
      if trace != null then trace.after(strand.cell.name)
    case task: Task =>
      if trace != null then trace.line(steps, clock.nanos, "a task runs")
      task.body.run()
      if trace != null then trace.after("a task")
    case other => throw IllegalStateException(s"$other is no step")

  /** Whose turn it is, or was when another one began. */
  private def atWork: String = Runner.current(home) match
    case null => "the test"
    case cell => cell.name

  private def ring(): Unit =
    if trace != null then trace.line(steps, clock.nanos, "the clock rings")
    clock.perform()
    if trace != null then trace.after("the clock")

  /** An actor is about to send: now and then others come before it goes on. */
  private def interrupt(thread: Thread): Unit =
    val strand = strands.get(thread)
    if strand != null then
      if order.isUnlikely(Stepper.Odds) then strand.pass()
    else if (thread eq home) && Runner.current(home) != null && depth < Stepper.Deepest &&
      order.isUnlikely(Stepper.Odds)
    then
      depth += 1
      try step(): Unit
      finally depth -= 1

  private def forget(strand: Strand): Unit =
    strandOf.remove(strand.cell): Unit
    strands.remove(strand.thread): Unit

  /** Lets happen what can at this time, and what follows. */
  def settle(): Unit = while step(watched = false) do ()

  /** Lets one thing happen, at this time or the next one until `until`; whether there was one. */
  def stepUntil(until: Long, watched: Boolean = true): Boolean =
    step(watched) || (clock.passToNext(until) && step(watched))

  // ---- whose thread it is

  private def isInside: Boolean =
    val thread = Thread.currentThread
    (thread eq home) || strands.containsKey(thread)

  private def requireInside(does: String): Unit =
    if !isInside then
      throw IllegalStateException(
        s"${Thread.currentThread.getName} $does in $name, which is simulated by ${home.getName}"
      )

  /** Whether it is for the thread that simulates, outside all turns, to do something. */
  def requireBody(does: String): Unit =
    if (Thread.currentThread ne home) || Runner.current(home) != null then
      throw IllegalStateException(s"it is the test, not an actor, that $does $name")

  // ---- Engine

  def runner(run: Run, isProcess: Boolean): Runner =
    requireInside("spawns an actor")
    runners(if isProcess && run != Run.Thread then Run.Virtual else run)

  def start(guardian: Cell[?], tell: Event => Unit): Unit = ()

  def await(withinNanos: Long)(isSo: () => Boolean): Boolean =
    requireInside("waits")
    val until = clock.after(withinNanos)
    settle()
    var so = isSo()
    while !so && clock.passToNext(until) do
      settle()
      so = isSo()
    so

  def park(by: AnyRef, nanos: Long): Unit =
    val strand = strands.get(Thread.currentThread)
    if strand != null then strand.park(nanos)
    else
      requireInside("waits")
      val until = clock.after(nanos)
      if !stepUntil(until) then
        if nanos == Engine.Forever then
          throw IllegalStateException(s"nothing is left to happen in $name, where the test waits")
        clock.passTo(until)

  def unpark(thread: Thread): Unit =
    val strand = strands.get(thread)
    if strand != null then strand.unpark()

  def pass(): Unit =
    val strand = strands.get(Thread.currentThread)
    if strand != null then strand.pass()

  def isSimulated: Boolean = true
  def random(): Double = luck.nextDouble
  def end(): Unit = clock.stop()

  def join(withinNanos: Long): Boolean =
    leaveStrands()
    true

  /** Ends the threads of actors that have not come to their end. */
  def leaveStrands(): Unit =
    for strand <- strands.values.toArray(new Array[Strand](0)) do strand.leave()
    strandOf.clear()
    strands.clear()

  // ---- tasks, and what blocks with a word

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
end Stepper

private[testkit] object Stepper:
  /** One send of so many is interrupted. */
  private inline val Odds = 8

  /** Turns on one stack that may be interrupted at once. */
  private inline val Deepest = 4
