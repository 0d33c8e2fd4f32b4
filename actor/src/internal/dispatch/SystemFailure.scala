package undercroft.actor
package internal.dispatch

import internal.cell.{ActorCell, DeadLetters, InternalMessage, SystemMessage}
import java.io.{FileDescriptor, FileOutputStream}
import java.util.concurrent.atomic.AtomicBoolean
import java.util.concurrent.locks.LockSupport
import scala.util.Failure

/** The end of a system by a fatal error. All that it needs exists from the start of the system,
  * because the error may be that there is no memory or no stack.
  *
  * {{{
  *            begin: the workers end after         the clock's thread closes the actors,
  *            their turns; allocates nothing       and tells the event
  *   running ------------------------------> begun ------------------------> over: waits end
  *      |                                      ^                                   with `error`
  *      | guard: one store, which needs        | the next check
  *      v no stack                             | by the clock
  *    noted -----------------------------------+
  * }}}
  *
  * The clock's thread repeats a step that fails, for some seconds.
  */
private[actor] final class SystemFailure(name: String) extends AtomicBoolean(false):
  import SystemFailure.*

  /** Thrown by all waits; it has no stack trace, because they share it. */
  val error: SystemFailedException = SystemFailedException(name)
  val result: Failure[Nothing] = Failure(error)
  private val event = ActorEvent.SystemFailed(error)
  private val line = s"the actor system $name has ended by a fatal error\n".getBytes

  /** Released first: the steps need some memory. */
  private val reserve: Array[AnyRef | Null] = new Array[AnyRef | Null](1)
  reserve(0) = new Array[Byte](ReserveBytes)

  /** An error that a thread could only note, and the actor: see [[SystemFailure.guard]]. */
  val noted: Array[AnyRef | Null] = new Array[AnyRef | Null](2)

  @volatile private var areWaitsOver = false
  private var engine: Engine | Null = null
  private var system: ActorSystem | Null = null

  /** Called by the system before it starts. Loads the classes that the end needs. */
  def prepare(system: ActorSystem): Unit =
    engine = system.engine
    this.system = system
    // Objects that a failing turn may use first: if one cannot be initialized, it never can.
    val _ = Array[AnyRef](Place, SystemMessage, InternalMessage, DeadLetters, Reply)
    val _ = Array[AnyRef](ActorEvent.DeadLetter, SystemMessage.EndBySystem())

  private def run(step: Int, system: ActorSystem): Unit = step match
    case 0       => system.closeTree()
    case 1       => system.tellFailure(event)
    case LogStep => ActorEvent.logger.log(System.Logger.Level.ERROR, error.getMessage)
    case 3 =>
      if ActorSettings.exitStatus >= 0 then Runtime.getRuntime.halt(ActorSettings.exitStatus)
    case 4 => system.closeAll()
    case 5 => areWaitsOver = true
    case _ => system.endWaits()

  /** Whether the system ends: no handler begins any more, except those of turns that run. */
  def isBegun: Boolean = get

  /** Whether waits end: listeners have received the event. */
  def isOver: Boolean = areWaitsOver

  /** Ends the system, because a thread met `cause`. Thread-safe. */
  def begin(cause: Throwable, actor: AnyRef | Null, place: Place): Unit =
    if compareAndSet(false, true) then
      error.begin(cause, actor, place)
      reserve(0) = null
      engine.nn.fail()

  /** Ends the system if a thread has noted an error. Called by the clock, periodically. */
  def beginIfNoted(): Unit = noted(0) match
    case cause: Throwable => begin(cause, noted(1), Place.Send)
    case _                => ()

  /** Ends the actors and the waits. Called by the clock's thread; may be called again. */
  def complete(): Unit =
    awaitCause()
    while step < Steps do
      try
        engine.nn.fail() // the thread that began may have had no stack for it
        run(step, system.nn)
        goOn()
      catch
        case _: Throwable =>
          left -= 1
          if left == 0 then
            if step == LogStep then writeLine()
            goOn()
          LockSupport.parkNanos(PauseNanos)

  /** Waits for the thread that began to store the cause, for a moment: it may have no stack. */
  private def awaitCause(): Unit =
    var tries = 0
    while error.getCause == null && tries < CauseTries do
      tries += 1
      LockSupport.parkNanos(PauseNanos)
    noted(0) match
      case cause: Throwable if error.getCause == null => error.begin(cause, noted(1), Place.Send)
      case _                                          => ()

  // The next step, and the tries left. Clock thread only.
  private var step = 0
  private var left = Tries

  private def goOn(): Unit =
    step += 1
    left = Tries

  /** Writes a line without a logger, which has no memory. */
  private def writeLine(): Unit =
    try FileOutputStream(FileDescriptor.err).write(line)
    catch case _: Throwable => ()
end SystemFailure

private[actor] object SystemFailure:
  private inline val ReserveBytes = 1 << 16
  private inline val Steps = 7
  private inline val LogStep = 2
  private inline val Tries = 300
  private inline val CauseTries = 20
  private inline val PauseNanos = 10_000_000L

  /** The place of a fatal error. */
  enum Place(val text: String):
    case Handler extends Place("in a handler")
    case Runtime extends Place("in the runtime, in a turn")
    case Listener extends Place("in a listener of events")
    case Send extends Place("in the runtime, at the end of a stack or of memory, in a send")
    case Worker extends Place("in the runtime, between two turns")
    case Clock extends Place("in the runtime, in a task of the clock")
    case Journal extends Place("in the journal")

  /** Whether an error of a handler ends its system. */
  def isFatal(cause: Throwable): Boolean =
    cause.isInstanceOf[VirtualMachineError] && !cause.isInstanceOf[StackOverflowError]

  /** Runs a step that must not be skipped. It may run at the end of a stack, so it notes an error
    * by stores alone: a call would need stack.
    */
  inline def guard[A](cell: ActorCell[?])(inline step: A): A =
    val noted = cell.system.failure.noted
    guard(cell, noted)(step)

  /** As above, with the array `noted` of the actor's system, in a variable or a field. */
  inline def guard[A](cell: ActorCell[?], inline noted: Array[AnyRef | Null])(inline step: A): A =
    try step
    catch
      case cause: Error =>
        noted(1) = cell
        noted(0) = cause
        throw cause
end SystemFailure
