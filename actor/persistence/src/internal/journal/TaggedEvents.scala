package undercroft.actor
package persistence
package internal.journal

import internal.log.{LogPosition, RecordBuffer, RecordLog}
import scala.collection.mutable.ArrayBuffer

/** Reads the committed events in [`from`, `until`) that have a tag, in parts of
  * [[TaggedEvents.PartSize]] rows. The tag is code of the user, which may wait: it runs while no
  * lock of the journal is held. Used by one thread at a time.
  *
  * @param from
  *   a [[LogPosition]], as `until`
  * @param requireOpen
  *   throws if the journal is closed
  */
private[persistence] final class TaggedEvents[E](
    events: RecordLog[E],
    from: Long,
    until: Long,
    tag: E => Boolean,
    requireOpen: () => Unit
) extends Iterator[StoredEvent[E]]:
  private val buffer = RecordBuffer(events.format)
  private val part = ArrayBuffer[StoredEvent[E]]()
  private var partIndex = 0

  /** The place of the next row to read. */
  private var position = from

  /** The event that `next` returns, if it is known. */
  private var nextEvent: StoredEvent[E] | Null = null

  def hasNext: Boolean =
    while nextEvent == null && (partIndex < part.size || position < until) do
      if partIndex == part.size then readPart()
      else
        val stored = part(partIndex)
        partIndex += 1
        if tag(stored.event) then nextEvent = stored
    nextEvent != null

  def next(): StoredEvent[E] =
    if !hasNext then throw java.util.NoSuchElementException("no further event has the tag")
    val result = nextEvent.nn
    nextEvent = null
    result

  private def readPart(): Unit =
    part.clear()
    partIndex = 0
    events.reading:
      requireOpen() // the segments are closed after the journal, and not while they are read
      try
        while part.size < TaggedEvents.PartSize && position < until do readNext()
      catch case error: Exception => if part.isEmpty then throw error // else the next part has it

  private def readNext(): Unit =
    val segment = events.segment(LogPosition.segment(position))
    val row = LogPosition.row(position)
    if segment != null && row < segment.rows then
      events.loadRow(buffer, segment, row)
      part += StoredEvent(position, buffer.id, buffer.sequence, buffer.value)
      position += 1
    else
      val following = events.following(LogPosition.segment(position))
      position = if following == null then until else LogPosition(following.number, 0)
end TaggedEvents

private[persistence] object TaggedEvents:
  /** The rows of one part: their events are in memory together. */
  final val PartSize = 1024
