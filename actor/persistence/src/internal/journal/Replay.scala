package undercroft.actor
package persistence
package internal.journal

import internal.log.{LogPosition, RecordBuffer, RecordLog}
import scala.collection.mutable.ArrayBuffer
import undercroft.actor.internal.dispatch.SystemFailure
import undercroft.file.format.internal.storage.MappedFaults

/** The recovery of one persistence id: reads its snapshot and its later events, in parts.
  *
  * Each event has the position of the one before. The events are followed from the last one back to
  * the snapshot, and the position of the last event of each part is noted; so a recovery needs
  * memory for one part, and 8 bytes for each further one. It has a buffer for a record only while
  * it reads: any number of recoveries may wait for a thread. Used by one thread at a time.
  */
private[persistence] final class Replay[E, S](
    events: RecordLog[E],
    snapshots: RecordLog[S],
    id: Long,
    head: Head,
    client: JournalClient[E, S],
    execute: Runnable => Unit
):
  private var base = 0L
  private var state: Option[S] = scala.None

  /** The positions of the last events of the parts, latest part first. */
  private val partEnds = ArrayBuffer[Long]()
  private var partCount = 0

  /** Reads the snapshot and the first part. */
  def start(): Unit = guarded:
    chooseSnapshot()
    followBack()
    deliver()

  private def guarded(read: => Unit): Unit =
    try read
    catch
      case fatal: Throwable if SystemFailure.isFatal(fatal) => client.failSystem(fatal)
      case error: Throwable => client.recoveryFailed(translate(error))

  private def translate(error: Throwable): JournalException = error match
    case error: JournalException => error
    case error =>
      JournalException(
        s"the recovery of the persistence id $id failed: $error",
        JournalException.Kind.Failed,
        error
      )

  /** The newest snapshot that is whole, or else none: the replay then needs all events. */
  private def chooseSnapshot(): Unit =
    if !isLoaded(head.snapshotAt, head.snapshot) then
      if !isLoaded(head.priorAt, head.prior) then base = 0

  private def isLoaded(at: Long, sequence: Long): Boolean =
    at != LogPosition.None && {
      try
        val buffer = RecordBuffer(snapshots.format)
        snapshots.reading(snapshots.load(buffer, at, id, sequence))
        state = Some(buffer.value)
        base = sequence
        true
      catch case error: JournalException if error.kind == JournalException.Kind.Corrupt => false
    }

  private def followBack(): Unit =
    var (at, sequence) = (head.lastAt, head.lastSequence)
    while sequence > base do
      val steps = ((sequence - base - 1) % Replay.PartSize) + 1
      partEnds += at
      events.reading:
        var i = 0L
        while i < steps do
          at = previousOf(at, sequence)
          sequence -= 1
          i += 1
    partCount = partEnds.size

  private def previousOf(at: Long, sequence: Long): Long =
    val segment = events.segment(LogPosition.segment(at))
    val row = LogPosition.row(at)
    if segment == null || row >= segment.rows then
      events.load(RecordBuffer(events.format), at, id, sequence) // throws, with the reason
      LogPosition.None
    else
      try
        val previous = segment.previousOf(row)
        MappedFaults.rethrow()
        previous
      catch case error: InternalError => throw JournalException.of(segment.translate(error))

  /** Reads the next part and passes it to the client. */
  private def deliver(): Unit =
    val part = partCount - partEnds.size
    val first = base + part * Replay.PartSize
    val count = (head.lastSequence - first).min(Replay.PartSize).max(0).toInt
    val values = new Array[Any](count)
    if count > 0 then
      val buffer = RecordBuffer(events.format)
      var at = partEnds.remove(partEnds.size - 1)
      events.reading:
        var i = count
        while i > 0 do
          events.load(buffer, at, id, first + i)
          values(i - 1) = buffer.value
          at = buffer.previous
          i -= 1
    val snapshot = if part == 0 then state else scala.None
    client.recovered(
      new RecoveredPart(
        snapshot,
        first,
        values.toVector.asInstanceOf[Vector[E]],
        partEnds.isEmpty
      ):
        def next(): Unit = execute(() => guarded(deliver()))
    )
  end deliver
end Replay

private[persistence] object Replay:
  /** The events of one part: they are in memory together, and an actor applies them in one turn. */
  final val PartSize = 1024L
