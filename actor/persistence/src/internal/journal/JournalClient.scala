package undercroft.actor
package persistence
package internal.journal

/** The actor side of a journal. The methods return at once; they are called on any thread, also
  * within the call of the journal that they answer.
  */
private[persistence] trait JournalClient[E, S]:
  /** The events are durable. */
  def appended(): Unit

  /** The events are not stored. */
  def appendFailed(cause: JournalException): Unit

  /** A snapshot is not stored. */
  def snapshotFailed(cause: JournalException): Unit

  /** Segments that no recovery needs could not be deleted. Their deletion is tried again. */
  def deletionFailed(cause: JournalException): Unit

  /** Delivers a part of the recovery. */
  def recovered(part: RecoveredPart[E, S]): Unit

  def recoveryFailed(cause: JournalException): Unit

  /** The journal met a fatal error while the client waited: its system ends. Allocates nothing. */
  def failSystem(cause: Throwable): Unit

  /** Runs a task after a time of the actor's system, with 0 at once. */
  def after(nanos: Long)(task: => Unit): Unit
end JournalClient

/** A part of a recovery: first the state of the snapshot, if there is one, then the events in their
  * order.
  *
  * @param sequence
  *   the number of the event before the first of `events`
  */
private[persistence] abstract class RecoveredPart[E, S](
    val snapshot: Option[S],
    val sequence: Long,
    val events: Vector[E],
    val isLast: Boolean
):
  /** Requests the next part, which the client receives. Only if this is not the last. */
  def next(): Unit
