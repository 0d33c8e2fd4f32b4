package undercroft.actor
package persistence
package internal.journal

import internal.log.{LogPosition, LogSegment, RecordBuffer, RecordLog}

/** Reads all records of a journal when it is opened: builds the index and counts live records.
  *
  * A snapshot that differs from its checksum is left out: an older one, or all events, serve. An
  * event that does so is an error, and so are events that are missing after the newest snapshot.
  */
private[persistence] final class JournalOpening[E, S](
    events: RecordLog[E],
    snapshots: RecordLog[S],
    heads: Heads,
    liveEvents: LiveRecords,
    liveSnapshots: LiveRecords
):
  def run(): Unit =
    readSnapshots()
    readEvents()

  private def readSnapshots(): Unit =
    val buffer = RecordBuffer(snapshots.format)
    eachRow(snapshots): (segment, row) =>
      if snapshots.isWhole(buffer, segment, row) then
        val head = heads(buffer.id)
        val at = LogPosition(segment.number, row)
        if buffer.sequence > head.snapshot then
          heads(buffer.id) = head.withSnapshot(buffer.sequence, at, buffer.previous)
          liveSnapshots.add(at)
          if head.priorAt != LogPosition.None then liveSnapshots.remove(head.priorAt)

  private def readEvents(): Unit =
    val buffer = RecordBuffer(events.format)
    eachRow(events): (segment, row) =>
      events.loadRow(buffer, segment, row)
      val (id, sequence) = (buffer.id, buffer.sequence)
      val head = heads(id)
      if sequence != head.last + 1 && (sequence <= head.last || sequence - 1 > head.snapshot) then
        throw JournalException.corrupt(
          segment.path,
          row,
          segment.stride,
          s"it is event $sequence of the persistence id $id, after event ${head.last}; " +
            s"its newest snapshot has ${head.snapshot} events"
        )
      val at = LogPosition(segment.number, row)
      heads(id) = head.withEvent(sequence, at)
      if sequence > head.prior then liveEvents.add(at)

  private def eachRow(log: RecordLog[?])(read: (LogSegment, Long) => Unit): Unit =
    for segment <- log.all do
      segment.check()
      var row = 0L
      while row < segment.rows do
        read(segment, row)
        row += 1
end JournalOpening
