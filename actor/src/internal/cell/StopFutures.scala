package undercroft.actor
package internal.cell

import java.util.concurrent.ConcurrentHashMap
import scala.concurrent.{Future, Promise}

/** The futures that complete when actors of one system have stopped, for the actors that were asked
  * for one. Thread-safe.
  *
  * A future is neither lost nor completed early. A caller of `of` first adds the promise, then
  * reads whether the actor has stopped; a stopping actor first sets that, then removes the promise.
  * So either the caller sees that it has stopped, or the actor finds the promise.
  */
private[actor] final class StopFutures:
  private val promises = ConcurrentHashMap[ActorCell[?], Promise[Unit]]()

  /** The future of an actor. */
  def of(cell: ActorCell[?]): Future[Unit] =
    if cell.system.failure.isBegun then Future.failed(cell.system.failure.error)
    else if cell.isStopped then Future.unit
    else
      val promise = promises.computeIfAbsent(cell, _ => Promise[Unit]())
      if cell.isStopped then complete(cell)
      promise.future

  /** Fails all futures, because the system has failed. Idempotent. */
  def fail(error: SystemFailedException): Unit =
    promises.forEach: (cell, promise) =>
      promise.tryFailure(error): Unit
      promises.remove(cell): Unit

  /** Completes the future of an actor that has stopped, if there is one. Idempotent; allocates
    * nothing if there is none.
    */
  def complete(cell: ActorCell[?]): Unit =
    // Not after a test of `isEmpty`, which may be late: it counts entries after their insertion.
    val promise = promises.get(cell)
    if promise != null then
      val failure = cell.system.failure
      if failure.isBegun then promise.tryFailure(failure.error): Unit
      else promise.trySuccess(()): Unit
      promises.remove(cell): Unit
end StopFutures
