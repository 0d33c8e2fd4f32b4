package undercroft.actor

import scala.concurrent.duration.DurationLong

/** Looks from time to time whether a worker is still in the turn in which it was the last time, and
  * tells of the actor that keeps it there. On the clock's thread; a system at rest is looked at
  * twice a second.
  */
private[actor] final class Watch(workers: IArray[Worker], clock: Clock, tell: Event => Unit)
    extends Runnable:
  private val turns = new Array[Long](workers.length)
  private val told = Array.fill(workers.length)(-1L)

  def start(): Unit = clock.schedule(Watch.PeriodNanos, this): Unit

  def run(): Unit =
    var isIdle = true
    var i = 0
    while i < workers.length do
      if !workers(i).isIdleVolatile then
        isIdle = false
        if !workers(i).isAwayVolatile then look(workers(i), i)
      i += 1
    clock.schedule(if isIdle then Watch.IdlePeriodNanos else Watch.PeriodNanos, this): Unit

  private def look(worker: Worker, i: Int): Unit =
    val turn = worker.turnOpaque
    val cell = worker.running
    if turn == turns(i) && turn != told(i) && cell != null then
      val state = worker.getState
      val stack = worker.getStackTrace.toSeq
      // What was seen is of that turn only if it is not over.
      if worker.turnOpaque == turn && !worker.isIdleVolatile && !worker.isAwayVolatile then
        told(i) = turn
        tell(Event.Stuck(cell, Watch.PeriodNanos.nanos, state, stack))
    turns(i) = turn
end Watch

private[actor] object Watch:
  /** A hundred milliseconds: two hundred slices. */
  private inline val PeriodNanos = 100_000_000L
  private inline val IdlePeriodNanos = 500_000_000L
