package undercroft.actor
package persistence
package internal.journal

import internal.log.LogPosition

/** A request to the writer thread of a journal. */
private[persistence] sealed abstract class JournalRequest[E, S]:
  /** The client that waits for it; null of [[JournalRequest.Close]]. */
  def client: JournalClient[E, S] | Null

private[persistence] object JournalRequest:
  final class Append[E, S](
      val id: Long,
      val sequence: Long,
      val events: Vector[E],
      val client: JournalClient[E, S]
  ) extends JournalRequest[E, S]:
    /** The positions of the stored events; set by the writer. */
    val positions: Array[Long] = new Array(events.size)

    /** Whether the command was answered; set by the writer. */
    var isAnswered = false
    def lastSequence: Long = sequence + events.size - 1
    def lastAt: Long = positions(positions.length - 1)

  final class Snapshot[E, S](
      val id: Long,
      val sequence: Long,
      val state: S,
      val client: JournalClient[E, S]
  ) extends JournalRequest[E, S]:
    /** The positions of the snapshot and of its last event; set by the writer. */
    var at: Long = LogPosition.None
    var eventAt: Long = LogPosition.None

    /** Whether its client was told that it is not stored. */
    var isAnswered = false
    def isStored: Boolean = at != LogPosition.None

  final class Recover[E, S](val id: Long, val client: JournalClient[E, S])
      extends JournalRequest[E, S]:
    /** Whether the recovery was started or refused; set by the writer. */
    var isStarted = false

  /** No request follows. */
  final class Close[E, S] extends JournalRequest[E, S]:
    def client: Null = null
end JournalRequest
