package undercroft.actor

import java.util.concurrent.ConcurrentHashMap
import scala.jdk.CollectionConverters.IteratorHasAsScala

/** What gives actors their turns: one for each [[Run]], and room for others. */
private[actor] trait Runner:
  /** The model that it is, or stands for. */
  def run: Run

  /** Whether each of its actors has a thread of its own, which may wait. */
  final def keepsThread: Boolean = run == Run.Virtual || run == Run.Thread

  /** An actor was made that is to run here, and that nobody knows yet. The spawner's thread. */
  def adopt(cell: Cell[?]): Unit =
    val _ = cell

  /** It is known, and has its place among others. The spawner's thread. */
  def started(cell: Cell[?]): Unit

  /** An actor has something to do. Any thread; only the one who raised its `notified`. */
  def wake(cell: Cell[?]): Unit

  /** An actor has something to do. Its owner's thread, which is not in its turn. */
  def ready(cell: Cell[?]): Unit

  /** Makes this thread the actor's owner, if it may be and that is cheaper than to wake another. */
  def takeOver(cell: Cell[?], thread: Thread): Boolean

  /** An actor has stopped. Its owner's thread, in its last turn. */
  def stopped(cell: Cell[?]): Unit

  /** Gives turns that only this thread would give, before it waits for what they bring. */
  def serveUntil(isEnough: () => Boolean): Unit =
    val _ = isEnough
end Runner

private[actor] object Runner:
  private val running = ThreadLocal[Cell[?] | Null]()

  /** The actor whose turn this thread is in, or null. */
  def current(thread: Thread): Cell[?] | Null = thread match
    case worker: Worker => worker.running
    case _              => running.get

  /** Whether to wait on this thread is to keep a worker from other actors. */
  def isShared(thread: Thread): Boolean = thread.isInstanceOf[Worker] || (current(thread) match
    case null => false
    case cell => cell.runner.run == Run.Workers)

  /** Gives an actor a turn on this thread, within that of another or not. */
  def turn(cell: Cell[?], slice: Slice): Unit = Thread.currentThread match
    case worker: Worker =>
      val before = worker.running
      worker.setRunning(cell)
      try timed(cell, slice)
      finally worker.setRunning(before)
    case _ =>
      val before = running.get
      running.set(cell)
      try timed(cell, slice)
      finally running.set(before)

  private def timed(cell: Cell[?], slice: Slice): Unit =
    // A process takes its own time: all its life is one turn.
    val from = if cell.isProcess then 0L else Timing.begin()
    try cell.turn(slice)
    catch case cause: Throwable => failed(cell, cause)
    Timing.end(cell, from)

  /** The runtime itself failed in the turn of an actor, or the JVM did, as where it has no memory.
    * It takes no other actor along: this one is told to stop.
    */
  def failed(cell: Cell[?], cause: Throwable): Unit =
    Event.error(s"${cell.name} failed outside of its handlers, and is to stop", cause)
    val _ = cell.pushCommand(Command.Stop())
end Runner

/** Runs each actor on a thread of its own, which parks while there is nothing to do. */
private[actor] final class OwnThreads(name: String, val run: Run) extends Runner:
  private val living = ConcurrentHashMap[Cell[?], Watched]()

  /** Its threads, for a [[Watch]]. */
  def watched: Iterator[Watched] = living.values.iterator.asScala

  /** It is at the message that its actor has in hand, or does not take. */
  private final class Own(val actor: Cell[?]) extends Watched:
    def task: Long = actor.task
    def thread: Thread | Null = actor.ownerVolatile

  def started(cell: Cell[?]): Unit =
    living.put(cell, Own(cell)): Unit
    val builder = if run == Run.Virtual then Thread.ofVirtual else Thread.ofPlatform.daemon
    val thread = builder.name(s"$name-${cell.name}").unstarted(() => live(cell))
    cell.setOwnerVolatile(thread)
    cell.setScheduled()
    thread.start()

  private def live(cell: Cell[?]): Unit =
    val slice = Slice.endless()
    while !cell.isStopped do
      cell.lowerNotifiedVolatile()
      Runner.turn(cell, slice)
      if !cell.isStopped && !cell.hasWork && !cell.isNotifiedVolatile then
        val _ = Thread.interrupted() // it was meant for a handler that has returned
        java.util.concurrent.locks.LockSupport.park(cell)
    living.remove(cell): Unit
    // An interrupt that was meant for a handler ends here with the thread.
  end live

  def wake(cell: Cell[?]): Unit =
    java.util.concurrent.locks.LockSupport.unpark(cell.ownerVolatile)

  def ready(cell: Cell[?]): Unit = ()
  def takeOver(cell: Cell[?], thread: Thread): Boolean = false
  def stopped(cell: Cell[?]): Unit = ()
end OwnThreads

/** Runs each actor on the thread that sends to it. A thread that is in a turn already notes what it
  * woke and comes to it afterwards: however long a chain of actors is, the stack is not.
  */
private[actor] final class Callers extends Runner:
  def run: Run = Run.Caller
  private val line = ThreadLocal.withInitial(() => Callers.Line())
  private val slice = ThreadLocal.withInitial(() => Slice.endless())

  def started(cell: Cell[?]): Unit = ()

  def wake(cell: Cell[?]): Unit =
    val mine = line.get
    mine.waiting.add(cell)
    if !mine.isAtWork then
      mine.isAtWork = true
      try
        var each = mine.waiting.poll()
        while each != null do
          serve(each)
          each = mine.waiting.poll()
      finally mine.isAtWork = false

  /** This thread is in the turn of an actor, which asks one that it is to come to. */
  override def serveUntil(isEnough: () => Boolean): Unit =
    val mine = line.get
    var each = if isEnough() then null else mine.waiting.poll()
    while each != null do
      serve(each)
      each = if isEnough() then null else mine.waiting.poll()

  /** Until it has nothing to do: `notified` stays raised meanwhile, so that nobody else does. */
  private def serve(cell: Cell[?]): Unit =
    var serving = true
    while serving do
      Runner.turn(cell, slice.get)
      if !cell.hasWork then
        cell.lowerNotifiedVolatile()
        serving = cell.hasWork && cell.notifyVolatile()

  def ready(cell: Cell[?]): Unit = ()
  def takeOver(cell: Cell[?], thread: Thread): Boolean = false
  def stopped(cell: Cell[?]): Unit = ()
end Callers

private[actor] object Callers:
  /** The actors that a thread is to come to. */
  final class Line:
    val waiting: Ring[Cell[?]] = Ring(8)
    var isAtWork = false
