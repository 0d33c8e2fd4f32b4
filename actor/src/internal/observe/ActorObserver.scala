package undercroft.actor
package internal.observe

import internal.cell.ActorCell
import java.util.concurrent.atomic.AtomicReference

/** Receives the last counts of actors that stop. An exception of its methods is logged. */
private[undercroft] trait ActorObserver:
  /** An actor has stopped. Called on its thread, in its last turn, so it must not wait. */
  def stopped(actor: ActorCounts): Unit

  /** The last turn of a stopped actor took `nanos`, if turns are measured. */
  def endedTurn(path: String, run: Run, nanos: Long): Unit

  /** The system has stopped, after all of its actors. */
  def ended(): Unit

/** The observer of one system. Thread-safe. Costs nothing until an actor stops. */
private[undercroft] final class Observation private[actor] (system: ActorSystem):
  private val observer = AtomicReference[ActorObserver | Null](null)

  /** Sets the observer. Returns false if there is one. */
  def begin(candidate: ActorObserver): Boolean = observer.compareAndSet(null, candidate)

  /** Removes the observer, if it is this one. */
  def end(present: ActorObserver): Unit = observer.compareAndSet(present, null): Unit

  /** An actor other than the guardian has stopped. Throws nothing. */
  private[actor] def stopped(cell: ActorCell[?]): Unit =
    tell(_.stopped(ActorCounts.of(cell, ActorCounts.pathOf(cell))))

  /** The last turn of an actor took `nanos`. Throws nothing. */
  private[actor] def endedTurn(cell: ActorCell[?], nanos: Long): Unit =
    tell(_.endedTurn(ActorCounts.pathOf(cell), cell.runner.run, nanos))

  /** The system has stopped. Throws nothing. */
  private[actor] def ended(): Unit = tell(_.ended())

  private inline def tell(inline call: ActorObserver => Unit): Unit =
    val present = observer.get
    if present != null then
      try call(present)
      catch
        case cause: Throwable => ActorEvent.error(s"an observer of ${system.name} failed", cause)
end Observation
