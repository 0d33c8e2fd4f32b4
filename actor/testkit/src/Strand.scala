package undercroft.actor
package testkit

import java.util.concurrent.locks.LockSupport
import scala.concurrent.BlockContext

/** The thread of an actor that keeps one: it runs while the stepper waits for it, and waits
  * otherwise. So there is one thread at work at a time, and each sees what the others did.
  */
private[testkit] final class Strand(stepper: Stepper, home: Thread, val cell: Cell[?]):
  @volatile private var isRunning = false
  private var isParked = true
  private var hasPermit = false
  private var isStarted = false
  private var isLeft = false
  private var isOver = false
  private var failure: Throwable | Null = null
  private val slice = Slice(0)
  val thread: Thread = Thread.ofVirtual.name(s"simulated-${cell.name}").unstarted(() => run())

  // ---- the stepper's

  /** Lets it run until it waits. */
  def resume(): Unit =
    isRunning = true
    if isStarted then LockSupport.unpark(thread)
    else
      isStarted = true
      thread.start()
    // Most go on for some microseconds only, in which it would take longer to be woken.
    val until = System.nanoTime + Strand.SpinNanos
    while isRunning && System.nanoTime < until do Thread.onSpinWait()
    while isRunning do LockSupport.park(this)
    val cause = failure
    if cause != null then throw cause

  /** Has it leave what it waits in, if it has not come to its end. */
  def leave(): Unit =
    if !isOver && !isLeft && isStarted then
      isLeft = true
      resume()

  // ---- any simulated thread's

  def unpark(): Unit =
    if isParked then
      isParked = false
      stepper.add(this)
    else hasPermit = true

  // ---- its own

  /** Waits until it is unparked, at most so long. */
  def park(nanos: Long): Unit =
    if hasPermit then hasPermit = false
    else if nanos > 0 then
      isParked = true
      val alarm =
        if nanos == Engine.Forever then null else stepper.clock.schedule(nanos, () => unpark())
      giveWay()
      if alarm != null then alarm.cancel()

  /** Waits until others had their chance. */
  def pass(): Unit =
    if !stepper.goesOnAlone() then
      stepper.add(this)
      giveWay()

  def giveWay(): Unit =
    isRunning = false
    LockSupport.unpark(home)
    while !isRunning do LockSupport.park(this) // for ever, if it was told to leave before
    if isLeft then throw Strand.Left

  private def run(): Unit =
    try BlockContext.withBlockContext(stepper)(live())
    catch case cause: Throwable => if cause ne Strand.Left then failure = cause
    finally
      isOver = true
      isRunning = false
      LockSupport.unpark(home)

  /** As on [[OwnThreads]], with one message a turn. */
  private def live(): Unit =
    while !cell.isStopped && !isLeft do
      cell.lowerNotifiedVolatile()
      Runner.turn(cell, slice)
      if !cell.isStopped then
        if cell.hasWork || cell.isNotifiedVolatile then pass() else park(Engine.Forever)
end Strand

private[testkit] object Strand:
  /** How long it is waited for without parking: what waking a parked thread takes. */
  private inline val SpinNanos = 20_000L

  /** Leaves what a thread waits in when its simulation is over. */
  object Left extends scala.util.control.ControlThrowable
