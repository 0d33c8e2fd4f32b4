package undercroft.actor
package testkit

import internal.cell.ActorCell
import internal.dispatch.{Dispatcher, Engine, TimeSlice}
import java.util.concurrent.locks.LockSupport
import scala.concurrent.BlockContext

/** The thread of an actor that keeps one. It runs while the stepper waits for it, and waits
  * otherwise: one thread runs at a time, and each sees the writes of the others.
  */
private[testkit] final class SimulatedThread(
    stepper: StepScheduler,
    home: Thread,
    val cell: ActorCell[?]
):
  @volatile private var isRunning = false
  private var isParked = true
  private var hasPermit = false
  private var isStarted = false
  private var isLeft = false
  private var isOver = false
  private var failure: Throwable | Null = null
  private val slice = TimeSlice(0)
  val thread: Thread = Thread.ofVirtual.name(s"simulated-${cell.name}").unstarted(() => run())

  // ---- called by the stepper

  /** Lets the strand run until it waits. */
  def resume(): Unit =
    isRunning = true
    if isStarted then LockSupport.unpark(thread)
    else
      isStarted = true
      thread.start()
    // Most strands run for some microseconds only; waking a parked thread would take longer.
    val until = System.nanoTime + SimulatedThread.SpinNanos
    while isRunning && System.nanoTime < until do Thread.onSpinWait()
    while isRunning do LockSupport.park(this)
    val cause = failure
    if cause != null then throw cause

  /** Makes the strand leave its wait by an exception, unless it has ended. */
  def leave(): Unit =
    if !isOver && !isLeft && isStarted then
      isLeft = true
      resume()

  // ---- called by any simulated thread

  def unpark(): Unit =
    if isParked then
      isParked = false
      stepper.add(this)
    else hasPermit = true

  // ---- called by the strand's own thread

  /** Waits until it is unparked, for at most `nanos`. */
  def park(nanos: Long): Unit =
    if hasPermit then hasPermit = false
    else if nanos > 0 then
      isParked = true
      val alarm =
        if nanos == Engine.Forever then null else stepper.clock.schedule(nanos, () => unpark())
      giveWay()
      if alarm != null then alarm.cancel()

  /** Lets other steps run before it continues. */
  def pass(): Unit =
    if !stepper.goesOnAlone() then
      stepper.add(this)
      giveWay()

  def giveWay(): Unit =
    isRunning = false
    LockSupport.unpark(home)
    while !isRunning do LockSupport.park(this) // indefinitely, after `leave`
    if isLeft then throw SimulatedThread.Left

  private def run(): Unit =
    try BlockContext.withBlockContext(stepper)(live())
    catch case cause: Throwable => if cause ne SimulatedThread.Left then failure = cause
    finally
      isOver = true
      isRunning = false
      LockSupport.unpark(home)

  /** Runs the actor as [[PinnedDispatcher]] does, with one message per turn. */
  private def live(): Unit =
    while !cell.isStopped && !isLeft do
      cell.clearNotifiedVolatile()
      Dispatcher.turn(cell, slice)
      if !cell.isStopped then
        if cell.hasWork || cell.isNotifiedVolatile then pass() else park(Engine.Forever)
end SimulatedThread

private[testkit] object SimulatedThread:
  /** Nanoseconds to spin before parking: about the time that waking a parked thread takes. */
  private inline val SpinNanos = 20_000L

  /** Thrown in a strand that waits when its simulation is over. */
  object Left extends scala.util.control.ControlThrowable
