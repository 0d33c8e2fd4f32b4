package undercroft.actor

import scala.concurrent.duration.DurationLong

/** Looks from time to time whether a worker is still in the turn in which it was the last time, and
  * tells of the actor that keeps it there. On the clock's thread; a system at rest is looked at
  * twice a second.
  */
private[actor] final class Watch(pool: Workers, clock: Clock, tell: Event => Unit)
    extends Runnable:
  // By the number of the worker; grown as the pool makes more of them.
  private var turns = Array.empty[Long]
  private var told = Array.empty[Long]

  def start(): Unit = clock.schedule(Switches.stuckNanos, this): Unit

  def run(): Unit =
    val workers = pool.everyone
    turns = turns.padTo(workers.length, 0L)
    told = told.padTo(workers.length, -1L)
    var isIdle = true
    var i = 0
    while i < workers.length do
      if !workers(i).isIdleVolatile then
        isIdle = false
        if workers(i).isAwayVolatile then turns(i) = -1 // it blocks with a word
        else look(workers(i), i)
      i += 1
    clock.schedule(
      if isIdle then math.max(Watch.IdlePeriodNanos, Switches.stuckNanos) else Switches.stuckNanos,
      this
    ): Unit

  private def look(worker: Worker, i: Int): Unit =
    val turn = worker.turnOpaque
    val cell = worker.running
    if turn == turns(i) && turn != told(i) && cell != null then
      val state = worker.getState
      val stack = worker.getStackTrace.toSeq
      // What was seen is of that turn only if it is not over.
      val isOver = worker.turnOpaque != turn || worker.isIdleVolatile || worker.isAwayVolatile
      if !isOver && !stack.exists(Watch.opensCage) then
        told(i) = turn
        tell(Event.Stuck(cell, Switches.stuckNanos.nanos, state, stack))
    turns(i) = turn
end Watch

private[actor] object Watch:
  private inline val IdlePeriodNanos = 500_000_000L

  /** The first use of the cage in a process may take that long, and is no fault of the actor's. */
  private def opensCage(frame: StackTraceElement): Boolean =
    frame.getClassName == "undercroft.memory.Cage$" && frame.getMethodName == "<clinit>"
