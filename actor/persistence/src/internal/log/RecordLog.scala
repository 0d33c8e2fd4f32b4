package undercroft.actor
package persistence
package internal.log

import java.nio.file.{Files, Path}
import java.util.Locale
import java.util.concurrent.ConcurrentSkipListMap
import java.util.concurrent.locks.ReentrantReadWriteLock
import scala.collection.mutable.HashMap
import scala.jdk.CollectionConverters.*
import scala.util.Using
import undercroft.file.format.{Durability, ErrorKind, StructFileException}
import undercroft.file.format.internal.metadata.LastCommit
import undercroft.file.format.internal.storage.MappedFaults

/** A sequence of records in segments: struct files named `PREFIX-NUMBER.struct`.
  *
  * One thread writes, the owner. Others read committed records under the read lock: a segment is
  * closed or deleted under the write lock only. The newest segment is never deleted, so no number
  * is used twice.
  *
  * @param leastRows
  *   the rows that a segment has room for, also if they have more than `segmentBytes`
  * @param onSegment
  *   is called with the number of each new segment before that has records; the segment is removed
  *   if this throws
  */
private[persistence] final class RecordLog[A](
    folder: Path,
    prefix: String,
    val format: RecordFormat[A],
    segmentBytes: Long,
    leastRows: Long,
    durability: Durability,
    onSegment: Int => Unit = _ => ()
) extends AutoCloseable:
  private val segments = ConcurrentSkipListMap[Int, LogSegment]()
  private val lock = ReentrantReadWriteLock()
  private val buffer = RecordBuffer(format)
  private var active: LogSegment.Active | Null = null
  private var nextRow = 0L

  /** The rows of a new segment. */
  private val segmentRows: Long = (segmentBytes / format.stride).max(leastRows)

  /** The number of the first segment that this log has written; 0 if there is none. */
  private var firstWritten = 0

  /** The rows of segments that `force` has forced, by number. */
  private val forcedRows = HashMap[Int, Long]()

  /** Why `force` has failed. */
  private var forceFailure: ForceFailedException | Null = null

  // ---- opening and closing

  /** Opens the segments in the folder. */
  def open(): Unit =
    val paths = Files.list(folder)
    val numbered =
      try paths.iterator.asScala.toList.flatMap(path => numberOf(path).map(_ -> path)).sortBy(_._1)
      finally paths.close()
    numbered.lastOption.foreach((number, path) => settleLastCommit(number, path))
    for (number, path) <- numbered do segments.put(number, opened(number, path)): Unit
    val last = segments.lastEntry
    if last != null then
      last.getValue match
        case full: LogSegment.Full if full.isAppendable && full.rows < segmentRows =>
          full.close()
          segments.remove(full.number): Unit
          continueIn(
            LogSegment.append(full.number, full.path, format.schema, segmentRows, durability)
          )
        case _ => ()
  end open

  private def opened(number: Int, path: Path): LogSegment.Full =
    LogSegment.open(number, path, format.schema, format.evolution)

  /** Removes the last commit of the newest segment if a loss of power has left only a part of it:
    * it was not acknowledged. Otherwise forces it: its process may have been killed before that,
    * and the next header counts its records.
    */
  private def settleLastCommit(number: Int, path: Path): Unit =
    val first = LastCommit.firstRow(path)
    val isTorn = Using.resource(opened(number, path)): segment =>
      val rows = first until segment.rows
      val isTorn = !rows.forall(isWhole(buffer, segment, _))
      if rows.nonEmpty && !isTorn then segment.force()
      isTorn
    if isTorn then LastCommit.remove(path)

  private def numberOf(path: Path): Option[Int] = path.getFileName.toString match
    case s"$name-$digits.struct" if name == prefix => digits.toIntOption
    case _                                         => scala.None

  def pathOf(number: Int): Path =
    folder.resolve(s"$prefix-${String.format(Locale.ROOT, "%010d", number)}.struct")

  private def continueIn(segment: LogSegment.Active): Unit =
    segments.put(segment.number, segment): Unit
    // Rows that an earlier run committed to it are perhaps not forced.
    if firstWritten == 0 && segment.rows == 0 then firstWritten = segment.number
    active = segment
    nextRow = segment.rows

  def close(): Unit = exclusively:
    try closeAll(segments.values.asScala)
    finally
      segments.clear()
      active = null

  // ---- writing, by the owner

  /** Makes room for `count` records in one segment.
    *
    * @throws StructFileException
    *   if there is no space: nothing is changed
    * @throws CommitFailedException
    *   if a segment is full, and its last rows could not be committed, or if the file was cut
    */
  def reserve(count: Int): Unit =
    val current = active
    if current == null || nextRow + count > segmentRows then startSegment()
    try active.nn.writer.ensureCapacity(nextRow + count): Unit
    catch
      case error: StructFileException if error.kind == ErrorKind.TRUNCATED =>
        throw CommitFailedException(error)

  private def startSegment(): Unit =
    commit()
    val number = newest + 1
    val full = active
    val reader =
      if full == null then null
      else opened(full.number, full.path)
    val created =
      try newSegment(number)
      catch
        case error: Throwable =>
          if reader != null then reader.close()
          throw error
    try
      if full != null && reader != null then
        exclusively:
          segments.put(full.number, reader): Unit
          full.close()
    finally continueIn(created)
  end startSegment

  private def newSegment(number: Int): LogSegment.Active =
    val created =
      LogSegment.create(number, pathOf(number), format.schema, segmentRows, durability)
    try onSegment(number)
    catch
      case error: Throwable =>
        created.delete()
        throw error
    created

  /** Appends a record to the reserved room and returns its position.
    *
    * @throws CommitFailedException
    *   if the file was cut, so that its records are not there
    */
  def append(id: Long, sequence: Long, previous: Long, value: A): Long =
    val segment = active.nn
    buffer.encode(id, sequence, previous, value)
    try
      buffer.copyTo(segment.data, nextRow)
      MappedFaults.rethrow()
    catch case error: InternalError => throw CommitFailedException(segment.translate(error))
    nextRow += 1
    LogPosition(segment.number, nextRow - 1)

  /** Removes the last `count` appended records, which are not committed. */
  def removeLast(count: Int): Unit = nextRow -= count

  /** Commits the appended records.
    *
    * @throws CommitFailedException
    *   if that fails: they are durable or not
    */
  def commit(): Unit =
    val segment = active
    if segment != null && nextRow != segment.rows then
      try segment.writer.commitChecked(nextRow)
      catch case error: StructFileException => throw CommitFailedException(error)

  /** Forces the committed records to the disk that no commit has forced. Once that has failed, it
    * fails always: the system may have dropped the pages, and would report a success.
    *
    * @throws IOException
    *   if that fails
    */
  def force(): Unit =
    val earlier = forceFailure
    if earlier != null then throw earlier
    try all.foreach(forceRows)
    catch
      case error: ForceFailedException =>
        forceFailure = error
        throw error

  private def forceRows(segment: LogSegment): Unit =
    val isForced = durability == Durability.COMMITTED && firstWritten > 0 &&
      segment.number >= firstWritten
    val rows = segment.rows
    if !isForced && forcedRows.getOrElse(segment.number, 0L) < rows then
      segment.force()
      forcedRows(segment.number) = rows

  /** Deletes a segment that is not written and that no recovery needs.
    *
    * @throws IOException
    *   if that fails: the segment is closed, and can be deleted later
    */
  def delete(number: Int): Unit = exclusively:
    val segment = segments.get(number)
    if segment != null then
      segment.delete()
      segments.remove(number): Unit
      forcedRows.remove(number): Unit

  /** The number of the newest segment; 0 if there is none. */
  def newest: Int =
    val last = segments.lastEntry
    if last == null then 0 else last.getKey

  /** The position after the last committed record. Owner only, when all records are committed. */
  def end: Long =
    val last = segments.lastEntry
    if last == null then LogPosition.None else LogPosition(last.getKey, last.getValue.rows)

  private def exclusively(change: => Unit): Unit =
    lock.writeLock.lock()
    try change
    finally lock.writeLock.unlock()

  // ---- reading

  /** Runs `read` while no segment is closed. */
  def reading[B](read: => B): B =
    lock.readLock.lock()
    try read
    finally lock.readLock.unlock()

  def segment(number: Int): LogSegment | Null = segments.get(number)

  /** The first segment after `number`, or null. */
  def following(number: Int): LogSegment | Null =
    val next = segments.higherEntry(number)
    if next == null then null else next.getValue

  /** The segments by number. */
  def all: List[LogSegment] = segments.values.asScala.toList

  /** Loads a record; call it in `reading`.
    *
    * @throws JournalException
    *   if the record is not there, or has another id or number
    */
  def load(into: RecordBuffer[A], position: Long, id: Long, sequence: Long): Unit =
    val (number, row) = (LogPosition.segment(position), LogPosition.row(position))
    val segment = segments.get(number)
    if segment == null || row >= segment.rows then
      throw JournalException(
        s"${pathOf(number)}: row $row: record $sequence of the persistence id $id is missing",
        JournalException.Kind.Corrupt
      )
    loadRow(into, segment, row)
    if into.id != id || into.sequence != sequence then
      throw JournalException.corrupt(
        segment.path,
        row,
        segment.stride,
        s"it is record ${into.sequence} of ${into.id}; expected $sequence of $id"
      )
  end load

  /** Loads a row of a segment. */
  def loadRow(into: RecordBuffer[A], segment: LogSegment, row: Long): Unit =
    try into.load(segment, row)
    catch
      case error: InternalError =>
        throw JournalException.of(segment.translate(error))

  /** Loads a row of a segment, and returns whether it has its checksum. */
  def isWhole(into: RecordBuffer[A], segment: LogSegment, row: Long): Boolean =
    try
      loadRow(into, segment, row)
      true
    catch case error: JournalException if error.kind == JournalException.Kind.Corrupt => false
end RecordLog

/** The disk did not accept the records of a segment: the system may have dropped their pages. */
private[persistence] final class ForceFailedException(cause: Exception)
    extends RuntimeException(s"a force to the disk failed: ${cause.getMessage}", cause)

/** A commit failed: the records since the last one are durable or not. */
private[persistence] final class CommitFailedException(cause: StructFileException)
    extends RuntimeException(cause.getMessage, cause)
