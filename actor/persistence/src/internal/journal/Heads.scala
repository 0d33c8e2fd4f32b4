package undercroft.actor
package persistence
package internal.journal

import undercroft.memory.Malloc
import undercroft.struct.{Struct, StructMap}

/** The index entry of one persistence id.
  *
  * @param last
  *   the number of its last event, and `lastAt` its position
  * @param snapshot
  *   the number of events before its newest snapshot, `snapshotAt` the position of the snapshot,
  *   and `snapshotEventAt` that of its last event
  * @param prior
  *   the same of the snapshot before
  */
private[persistence] final case class Head(
    last: Long,
    lastAt: Long,
    snapshot: Long,
    snapshotAt: Long,
    snapshotEventAt: Long,
    prior: Long,
    priorAt: Long,
    priorEventAt: Long
) derives Struct,
      CanEqual:

  /** The number of events, also if the last of them are in the snapshot only. */
  def lastSequence: Long = last.max(snapshot)

  def withEvent(sequence: Long, at: Long): Head = copy(last = sequence, lastAt = at)

  def withSnapshot(sequence: Long, at: Long, eventAt: Long): Head =
    copy(
      snapshot = sequence,
      snapshotAt = at,
      snapshotEventAt = eventAt,
      prior = snapshot,
      priorAt = snapshotAt,
      priorEventAt = snapshotEventAt
    )
end Head

private[persistence] object Head:
  val Empty: Head = Head(0, 0, 0, 0, 0, 0, 0, 0)

/** The index by persistence id. One thread at a time changes it. */
private[persistence] final class Heads extends AutoCloseable:
  private val map = StructMap[Long, Head]()(using Malloc)

  def apply(id: Long): Head = map.getOrElse(id, Head.Empty)
  def update(id: Long, head: Head): Unit = map(id) = head
  def size: Long = map.size
  def close(): Unit = map.close()
end Heads
