package undercroft.actor
package persistence
package internal.journal

import java.util.ArrayList
import java.util.concurrent.LinkedTransferQueue
import java.util.concurrent.atomic.AtomicBoolean

/** The requests of any threads to the writer thread of a journal. Lock-free, so that the writer
  * waits for no virtual thread without a carrier.
  *
  * No request is lost: a sender adds it, then reads `isEnded`; the writer sets `isEnded`, then
  * takes all that is left. So the writer takes the request, or the sender takes it back.
  *
  * @param last
  *   the request to close, which the queue adds once
  */
private[persistence] final class RequestQueue[A <: AnyRef](last: A):
  private val queue = LinkedTransferQueue[A]()
  private val closing = AtomicBoolean()
  @volatile private var isEnded = false

  def isClosed: Boolean = closing.get
  def isEmpty: Boolean = queue.isEmpty

  /** Adds a request unless the queue is closed; returns whether the writer takes it. Requests are
    * equal only if they are the same.
    */
  def offer(request: A): Boolean =
    if isClosed then false
    else
      queue.add(request): Unit
      !isEnded || !queue.remove(request)

  /** Adds the request to close, the first time. */
  def close(): Unit = if closing.compareAndSet(false, true) then queue.add(last): Unit

  /** Waits for requests and adds them to `batch`. Returns false if they are the last ones: then
    * there may be more than `limit`. Writer only.
    */
  def take(batch: ArrayList[A], limit: Int): Boolean =
    batch.add(queue.take()): Unit
    queue.drainTo(batch, limit - batch.size): Unit
    val isLast = batch.contains(last)
    if isLast then
      isEnded = true
      queue.drainTo(batch): Unit
    !isLast
end RequestQueue
