package undercroft.actor
package persistence
package internal.journal

import internal.log.{closeAll, CommitFailedException, FolderLock, ForceFailedException}
import internal.log.{LogPosition, LogSegment, RecordLog}
import java.io.{IOException, UncheckedIOException}
import java.nio.file.Path
import java.util.ArrayList
import java.util.concurrent.{LinkedBlockingQueue, RejectedExecutionException}
import java.util.concurrent.{ThreadPoolExecutor, TimeUnit}
import scala.collection.immutable.SortedSet
import scala.jdk.CollectionConverters.*
import undercroft.actor.internal.dispatch.SystemFailure
import undercroft.file.format.{Durability, StructFileException}
import undercroft.file.format.internal.storage.MappedFaults

/** A journal in a folder. Its writer thread is the owner of both logs and of the index; recoveries
  * are read by threads of their own.
  */
private[persistence] final class FileJournal[E, S] private (
    lock: FolderLock,
    heads: Heads,
    events: RecordLog[E],
    snapshots: RecordLog[S],
    durability: Durability,
    retention: Retention
) extends Journal[E, S]:
  private val liveEvents = LiveRecords(events)
  private val liveSnapshots = LiveRecords(snapshots)
  private val actors = LiveActors(lock.folder.toString)

  /** At most one append and one snapshot of each live actor wait, or one recovery. */
  private val queue = RequestQueue[JournalRequest[E, S]](JournalRequest.Close())
  @volatile private var count = 0L

  /** The position after the last committed event. */
  @volatile private var end = LogPosition.None
  @volatile private var failure: JournalException | Null = null
  @volatile private var closeFailure: JournalException | Null = null

  /** The failure after a fatal error, for which there may be no memory then. */
  private val fatalFailure = JournalException(
    s"${lock.folder}: a fatal error; the journal stores no more events, and its last ones may be " +
      "stored or not: open it again",
    JournalException.Kind.Failed
  )
  private val pendingSnapshots = ArrayList[JournalRequest.Snapshot[E, S]]()

  /** Whether the last deletion of segments has failed: further failures are not reported. */
  private var isDeletionReported = false

  /** Segments without records that a recovery needs, and whether each has snapshots: the newer
    * snapshots have been forced.
    */
  private var covered = Set.empty[(Boolean, Int)]
  private val writer =
    Thread.ofPlatform.daemon.name(s"journal-${lock.folder.getFileName}").unstarted(() => write())
  private val readers = ThreadPoolExecutor(
    FileJournal.ReaderThreads,
    FileJournal.ReaderThreads,
    10,
    TimeUnit.SECONDS,
    LinkedBlockingQueue[Runnable](),
    task =>
      Thread.ofPlatform.daemon.name(s"journal-${lock.folder.getFileName}-reader").unstarted(task)
  )
  readers.allowCoreThreadTimeOut(true)

  private def open(): Unit =
    events.open()
    checkSegments()
    snapshots.open()
    JournalOpening(events, snapshots, heads, liveEvents, liveSnapshots).run()
    if durability == Durability.COMMITTED then
      FileJournal.record(lock, present)
    count = heads.size
    end = events.end
    writer.start()

  /** The numbers of the segments of events that are in the folder. */
  private def present: SortedSet[Int] = SortedSet.from(events.all.map(_.number))

  /** Throws if a segment of events was removed. */
  private def checkSegments(): Unit =
    val missing = lock.missing(present)
    for first <- missing.headOption do
      throw JournalException(
        s"${events.pathOf(first)}: missing: the journal has recorded this segment of events in " +
          s"${lock.folder.resolve("journal.lock")}; ${missing.size} of the " +
          s"${lock.segments.size} recorded segments are missing",
        JournalException.Kind.Corrupt
      )

  // ---- requests, of any thread

  def size: Long = count
  private[persistence] def isSimulated: Boolean = false
  override private[undercroft] def hasFailed: Boolean = failure != null

  private[persistence] def acquire(id: Long, actor: ActorRef[?]): Unit =
    requireOpen()
    actors.acquire(id, actor)

  private[persistence] def release(id: Long, actor: ActorRef[?]): Unit = actors.release(id, actor)

  private[persistence] def recover(id: Long, client: JournalClient[E, S]): Unit =
    submit(JournalRequest.Recover(id, client))

  private[persistence] def append(
      id: Long,
      sequence: Long,
      events: Vector[E],
      client: JournalClient[E, S]
  ): Unit = submit(JournalRequest.Append(id, sequence, events, client))

  private[persistence] def snapshot(
      id: Long,
      sequence: Long,
      state: S,
      client: JournalClient[E, S]
  ): Unit = queue.offer(JournalRequest.Snapshot(id, sequence, state, client)): Unit

  private[persistence] def read(tag: E => Boolean, from: Long): Iterator[StoredEvent[E]] =
    requireOpen()
    TaggedEvents(events, from, end, tag, () => requireOpen())

  private def requireOpen(): Unit =
    if queue.isClosed then throw JournalException.closed(lock.folder.toString)

  private def submit(request: JournalRequest[E, S]): Unit =
    if !queue.offer(request) then throw JournalException.closed(lock.folder.toString)

  def close(): Unit =
    queue.close()
    if Thread.currentThread ne writer then
      FileJournal.uninterruptibly(writer.join())
      val cause = closeFailure
      if cause != null then throw cause

  // ---- the writer thread

  private def write(): Unit =
    val batch = ArrayList[JournalRequest[E, S]](FileJournal.MaxBatch)
    var isOpen = true
    while isOpen do
      batch.clear()
      FileJournal.uninterruptibly:
        isOpen = queue.take(batch, FileJournal.MaxBatch)
      try
        store(batch)
        answer(batch)
        if queue.isEmpty || pendingSnapshots.size >= FileJournal.MaxPendingSnapshots then
          commitSnapshots()
      catch case error: Throwable => end(batch, error)
    try commitSnapshots()
    catch case error: Throwable => end(batch, error)
    readers.shutdown()
    FileJournal.uninterruptibly(readers.awaitTermination(1, TimeUnit.MINUTES): Unit)
    try closeAll(List(events, snapshots, heads, lock))
    catch case error: Throwable => closeFailure = FileJournal.translate(lock.folder, error)
  end write

  /** Appends the events of a batch and commits them once. */
  private def store(batch: ArrayList[JournalRequest[E, S]]): Unit =
    try
      // First, so that they are reported if an append ends the journal.
      for case snapshot: JournalRequest.Snapshot[E, S] <- batch.asScala do keep(snapshot)
      for case append: JournalRequest.Append[E, S] <- batch.asScala do store(append)
      events.commit()
      end = events.end
      for case append: JournalRequest.Append[E, S] <- batch.asScala if !append.isAnswered do
        register(append)
    catch case error: Throwable => fail(error)

  /** The journal ends by an error. One that is fatal also ends the systems that wait for it,
    * instead of an answer.
    */
  private def end(batch: ArrayList[JournalRequest[E, S]], error: Throwable): Unit =
    if SystemFailure.isFatal(error) then
      failure = fatalFailure
      endSystems(batch, error)
      endSystems(pendingSnapshots, error)
      pendingSnapshots.clear()
    else fail(error)

  /** Allocates nothing. */
  private def endSystems(
      requests: ArrayList[? <: JournalRequest[E, S]],
      cause: Throwable
  ): Unit =
    var i = 0
    while i < requests.size do
      val client = requests.get(i).client
      if client != null then client.failSystem(cause)
      i += 1

  /** Answers the requests of a batch. */
  private def answer(batch: ArrayList[JournalRequest[E, S]]): Unit =
    for case append: JournalRequest.Append[E, S] <- batch.asScala if !append.isAnswered do
      val cause = failure
      if cause == null then FileJournal.calling(append.client)(_.appended())
      else FileJournal.calling(append.client)(_.appendFailed(cause))
      append.isAnswered = true
    startRecoveries(batch)

  /** Enters committed events in the index. */
  private def register(append: JournalRequest.Append[E, S]): Unit =
    val head = heads(append.id)
    if head == Head.Empty then count += 1
    heads(append.id) = head.withEvent(append.lastSequence, append.lastAt)
    append.positions.foreach(liveEvents.add)

  /** Appends the events of one command; if that fails, the command is answered. */
  private def store(append: JournalRequest.Append[E, S]): Unit =
    var appendedCount = 0
    var isReserved = false
    try
      if failure != null then throw failure.nn
      val head = heads(append.id)
      if append.sequence != head.lastSequence + 1 then
        throw JournalException(
          s"${lock.folder}: event ${append.sequence} of the persistence id ${append.id} follows " +
            s"event ${head.lastSequence}",
          JournalException.Kind.Rejected
        )
      events.reserve(append.events.size)
      isReserved = true
      var at = head.lastAt
      for event <- append.events do
        at = events.append(append.id, append.sequence + appendedCount, at, event)
        appendedCount += 1
        append.positions(appendedCount - 1) = at
    catch
      case error: CommitFailedException                     => throw error
      case fatal: Throwable if SystemFailure.isFatal(fatal) => throw fatal
      case error: Throwable =>
        events.removeLast(appendedCount)
        val cause = // an exception of the encoding may be of any class
          if isReserved then FileJournal.rejected(lock.folder, error)
          else FileJournal.translate(lock.folder, error)
        FileJournal.calling(append.client)(_.appendFailed(cause))
        append.isAnswered = true
    end try
  end store

  /** The journal failed: whether its last events are durable is unknown. Throws a fatal error. */
  private def fail(error: Throwable): Unit =
    if SystemFailure.isFatal(error) then throw error
    if failure == null then
      val reason = error match
        case failed: CommitFailedException => String.valueOf(failed.getMessage)
        case other                         => other.toString
      failure = JournalException(
        s"$reason; the journal stores no more events, and its last ones may be stored or not: " +
          "open it again",
        JournalException.Kind.Failed,
        error
      )

  /** Starts the recoveries of a batch. Each has a copy of its head. Two snapshots of the same id
    * that are committed later would release events that the copy needs: those that wait are
    * committed first. More cannot follow, because the actor takes no snapshot before it has
    * recovered.
    */
  private def startRecoveries(batch: ArrayList[JournalRequest[E, S]]): Unit =
    if !pendingSnapshots.isEmpty && isAnyPending(batch) then commitSnapshots()
    for case recover: JournalRequest.Recover[E, S] <- batch.asScala if !recover.isStarted do
      start(recover)
      recover.isStarted = true

  /** Whether a snapshot waits of an actor that recovers. */
  private def isAnyPending(batch: ArrayList[JournalRequest[E, S]]): Boolean =
    val ids =
      batch.asScala.iterator.collect { case recover: JournalRequest.Recover[E, S] =>
        recover.id
      }.toSet
    ids.nonEmpty && pendingSnapshots.asScala.exists(snapshot => ids(snapshot.id))

  private def start(recover: JournalRequest.Recover[E, S]): Unit =
    val cause = failure
    if cause != null then FileJournal.calling(recover.client)(_.recoveryFailed(cause))
    else
      val execute = (task: Runnable) =>
        try readers.execute(task)
        catch case error: Throwable => failed(recover, error)
      try
        val replay =
          Replay(events, snapshots, recover.id, heads(recover.id), recover.client, execute)
        execute(() => replay.start())
      catch
        case error: Throwable => failed(recover, error)

  private def failed(recover: JournalRequest.Recover[E, S], error: Throwable): Unit =
    FileJournal.calling(recover.client): client =>
      client.recoveryFailed(notExecuted(recover.id, error))

  private def notExecuted(id: Long, error: Throwable): JournalException = error match
    case _: RejectedExecutionException => JournalException.closed(lock.folder.toString)
    case other =>
      JournalException(
        s"${lock.folder}: no thread reads the recovery of the persistence id $id: $other",
        JournalException.Kind.Failed,
        other
      )

  // ---- snapshots

  private def keep(snapshot: JournalRequest.Snapshot[E, S]): Unit =
    snapshot.eventAt = heads(snapshot.id).lastAt
    pendingSnapshots.add(snapshot): Unit

  /** Stores the snapshots that wait. One that cannot be stored is left out: its events are there.
    */
  private def commitSnapshots(): Unit =
    if !pendingSnapshots.isEmpty then
      if failure == null then
        try
          for snapshot <- pendingSnapshots.asScala do store(snapshot)
          snapshots.commit()
          for snapshot <- pendingSnapshots.asScala if snapshot.isStored do register(snapshot)
        catch case error: Throwable => fail(error)
      val cause = failure
      if cause == null then deleteUnused(pendingSnapshots.getLast.client)
      else
        for snapshot <- pendingSnapshots.asScala if !snapshot.isAnswered do
          FileJournal.calling(snapshot.client)(_.snapshotFailed(cause))
      pendingSnapshots.clear()

  /** Deletes the segments without records that a recovery needs. Before that, the newer snapshots
    * are forced, also those of a volatile journal: a loss of power would leave neither. And the
    * events are removed from the record of segments: it is right if the process is killed between.
    *
    * If that fails, the journal continues. It tells `client`, and tries again after the next
    * snapshots.
    */
  private def deleteUnused(client: JournalClient[E, S]): Unit =
    try
      val unusedSnapshots = liveSnapshots.unused
      val unusedEvents = if retention == Retention.SinceSnapshot then liveEvents.unused else Nil
      val unused = unusedSnapshots.map((true, _)).toSet ++ unusedEvents.map((false, _))
      if !unused.subsetOf(covered) then snapshots.force()
      covered = unused
      if unusedEvents.nonEmpty then FileJournal.record(lock, lock.segments -- unusedEvents)
      try liveSnapshots.delete(unusedSnapshots)
      finally liveEvents.delete(unusedEvents)
      isDeletionReported = false
    catch
      case error: Throwable =>
        if !isDeletionReported then
          isDeletionReported = true
          FileJournal.calling(client)(_.deletionFailed(FileJournal.notDeleted(lock.folder, error)))

  private def store(snapshot: JournalRequest.Snapshot[E, S]): Unit =
    try
      snapshots.reserve(1)
      snapshot.at =
        snapshots.append(snapshot.id, snapshot.sequence, snapshot.eventAt, snapshot.state)
    catch
      case error: CommitFailedException                     => throw error
      case fatal: Throwable if SystemFailure.isFatal(fatal) => throw fatal
      case error: Throwable =>
        snapshot.isAnswered = true
        val cause = FileJournal.translate(lock.folder, error)
        FileJournal.calling(snapshot.client)(_.snapshotFailed(cause))

  private def register(snapshot: JournalRequest.Snapshot[E, S]): Unit =
    val before = heads(snapshot.id)
    val head = before.withSnapshot(snapshot.sequence, snapshot.at, snapshot.eventAt)
    heads(snapshot.id) = head
    liveSnapshots.add(snapshot.at)
    if before.priorAt != LogPosition.None then liveSnapshots.remove(before.priorAt)
    if retention == Retention.SinceSnapshot then releaseEvents(head, before.prior)

  /** Counts the events after `from` that the second newest snapshot covers as not needed. */
  private def releaseEvents(head: Head, from: Long): Unit =
    var (at, sequence) = (head.priorEventAt, head.prior)
    while sequence > from do
      val segment = events.segment(LogPosition.segment(at))
      val row = LogPosition.row(at)
      // After a loss of power, volatile events may be missing before a snapshot.
      if segment == null || row >= segment.rows then sequence = from
      else
        val previous = previousOf(segment, row, sequence)
        if previous < 0 then sequence = from
        else
          liveEvents.remove(at)
          at = previous
          sequence -= 1

  /** The position before event `sequence`; -1 if the row has another one, or the file was cut. */
  private def previousOf(segment: LogSegment, row: Long, sequence: Long): Long =
    try
      val previous = if segment.sequenceOf(row) == sequence then segment.previousOf(row) else -1L
      MappedFaults.rethrow()
      previous
    catch case _: InternalError => -1L
end FileJournal

private[persistence] object FileJournal:
  /** The most requests of one commit: it bounds the time that a command waits for others. */
  final val MaxBatch = 4096

  /** The most snapshots that wait while commands keep the writer busy. */
  final val MaxPendingSnapshots = 256

  /** The threads that read recoveries. */
  final val ReaderThreads = 2

  def open[E, S](
      folder: Path,
      durability: Durability,
      retention: Retention,
      segmentBytes: Long,
      formats: JournalFormats[E, S]
  ): FileJournal[E, S] =
    val lock = FolderLock.take(folder)
    val real = lock.folder
    var parts = List[AutoCloseable](lock)
    try
      val heads = Heads()
      parts = heads :: parts
      // A loss of power may remove a volatile segment, but not the record of it.
      val onSegment = (number: Int) =>
        if durability == Durability.COMMITTED then record(lock, lock.segments + number)
      val commandRows = Persistent.MaxEventsPerCommand.toLong
      val events =
        RecordLog(real, "events", formats.events, segmentBytes, commandRows, durability, onSegment)
      parts = events :: parts
      val snapshots = RecordLog(real, "snapshots", formats.snapshots, segmentBytes, 1, durability)
      parts = snapshots :: parts
      val journal = new FileJournal(lock, heads, events, snapshots, durability, retention)
      journal.open()
      journal
    catch
      case error: Throwable =>
        try closeAll(parts)
        catch case second: Throwable => if second ne error then error.addSuppressed(second)
        throw translate(real, error, JournalException.Kind.Failed)
    end try
  end open

  /** Records the segments of events that the folder must have, if they differ from the record. */
  private def record(lock: FolderLock, numbers: SortedSet[Int]): Unit =
    try if numbers != lock.segments then lock.record(numbers)
    catch
      case error: IOException =>
        throw JournalException.of(
          s"${lock.folder.resolve("journal.lock")}: the segments cannot be recorded",
          error
        )

  /** Calls a client. One that fails ends neither the thread nor the answers of the others; its
    * error is passed to the handler of uncaught exceptions. A fatal error ends its system.
    */
  private def calling[E, S](client: JournalClient[E, S])(answer: JournalClient[E, S] => Unit)
      : Unit =
    try answer(client)
    catch
      case fatal: Throwable if SystemFailure.isFatal(fatal) => client.failSystem(fatal)
      case error: Throwable                                 => uncaught(error)

  private def uncaught(error: Throwable): Unit =
    val thread = Thread.currentThread
    try thread.getUncaughtExceptionHandler.uncaughtException(thread, error)
    catch case _: Throwable => () // as the JVM does

  /** Translates an error; one that is not of a file has the kind `other`. */
  private def translate(
      folder: Path,
      error: Throwable,
      other: JournalException.Kind = JournalException.Kind.Rejected
  ): JournalException = error match
    case error: JournalException     => error
    case error: StructFileException  => JournalException.of(error)
    case error: IOException          => JournalException.of(s"$folder", error)
    case error: UncheckedIOException => JournalException.of(s"$folder", error.getCause)
    case _                           => JournalException(s"$folder: $error", other, error)

  private def notDeleted(folder: Path, error: Throwable): JournalException =
    JournalException(
      s"$folder: segments that no recovery needs cannot be deleted: $error; the journal " +
        (if error.isInstanceOf[ForceFailedException] then "continues without deleting any"
         else "continues, and tries again after the next snapshots"),
      error match
        case known: JournalException => known.kind
        case _ =>
          JournalException.Kind.Failed
      ,
      error
    )

  private def rejected(folder: Path, error: Throwable): JournalException =
    JournalException(s"$folder: $error", JournalException.Kind.Rejected, error)

  /** Runs `wait` again until no interrupt ends it. */
  private def uninterruptibly(wait: => Unit): Unit =
    var isInterrupted = false
    var isDone = false
    while !isDone do
      try
        wait
        isDone = true
      catch case _: InterruptedException => isInterrupted = true
    if isInterrupted then Thread.currentThread.interrupt()
end FileJournal
