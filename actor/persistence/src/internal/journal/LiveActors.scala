package undercroft.actor
package persistence
package internal.journal

import java.util.concurrent.ConcurrentHashMap

/** The actors of a journal by persistence id: at most one that has not stopped. Thread-safe.
  *
  * An actor keeps its id while it restarts. One that stops meanwhile does not release it; the next
  * actor with that id replaces it.
  */
private[persistence] final class LiveActors(journalName: String):
  private val actors = ConcurrentHashMap[Long, ActorRef[?]]()

  def acquire(id: Long, actor: ActorRef[?]): Unit =
    val holder = actors.compute(
      id,
      (_, before) => if before == null || before.isStopped then actor else before
    )
    if holder ne actor then
      throw JournalException(
        s"$journalName: the persistence id $id is in use by the actor ${holder.name}, " +
          "which has not stopped",
        JournalException.Kind.IdInUse
      )

  def release(id: Long, actor: ActorRef[?]): Unit = actors.remove(id, actor): Unit
end LiveActors
