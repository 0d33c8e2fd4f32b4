package undercroft.actor
package persistence
package internal.journal

import internal.log.{CommitFailedException, FolderLock, LogPosition, RecordLog}
import java.io.IOException
import java.nio.file.Path
import java.util.ArrayList
import java.util.concurrent.{LinkedBlockingQueue, RejectedExecutionException}
import java.util.concurrent.{ThreadPoolExecutor, TimeUnit}
import java.util.concurrent.locks.ReentrantLock
import scala.jdk.CollectionConverters.*
import undercroft.file.format.{Durability, StructFileException}

/** A journal in a folder. Its writer thread is the owner of both logs and of the index; recoveries
  * are read by threads of their own.
  */
private[persistence] final class FileJournal[E, S] private (
    lock: FolderLock,
    events: RecordLog[E],
    snapshots: RecordLog[S],
    retention: Retention
) extends Journal[E, S]:
  private val heads = Heads()
  private val liveEvents = LiveRecords(events)
  private val liveSnapshots = LiveRecords(snapshots)
  private val actors = LiveActors(lock.folder.toString)

  /** At most one append and one snapshot of each live actor wait, or one recovery. */
  private val queue = LinkedBlockingQueue[JournalRequest[E, S]]()
  private val requestLock = ReentrantLock()
  @volatile private var isClosed = false
  @volatile private var count = 0L
  private var failure: JournalException | Null = null
  @volatile private var closeFailure: JournalException | Null = null
  private val pendingSnapshots = ArrayList[JournalRequest.Snapshot[E, S]]()
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
    checkNewest()
    snapshots.open()
    JournalOpening(events, snapshots, heads, liveEvents, liveSnapshots).run()
    count = heads.size
    writer.start()

  /** Throws if the newest segment of events was removed. */
  private def checkNewest(): Unit =
    val recorded = lock.newestSegment.toInt
    if events.newest < recorded then
      throw JournalException(
        s"${events.pathOf(recorded)}: missing: it is the newest segment of events that the journal " +
          s"has recorded in ${lock.folder.resolve("journal.lock")}; the newest one in the folder has " +
          s"the number ${events.newest}",
        JournalException.Kind.Corrupt
      )

  // ---- requests, of any thread

  def size: Long = count
  private[persistence] def isSimulated: Boolean = false

  private[persistence] def acquire(id: Long, actor: ActorRef[?]): Unit =
    if isClosed then throw JournalException.closed(lock.folder.toString)
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
  ): Unit = if !isClosed then submit(JournalRequest.Snapshot(id, sequence, state, client))

  private def submit(request: JournalRequest[E, S]): Unit =
    requestLock.lock()
    try
      if isClosed then throw JournalException.closed(lock.folder.toString)
      queue.add(request): Unit
    finally requestLock.unlock()

  def close(): Unit =
    requestLock.lock()
    try
      if !isClosed then
        isClosed = true
        queue.add(JournalRequest.Close()): Unit
    finally requestLock.unlock()
    if Thread.currentThread ne writer then
      FileJournal.uninterruptibly(writer.join())
      val cause = closeFailure
      if cause != null then throw cause

  // ---- the writer thread

  private def write(): Unit =
    val batch = ArrayList[JournalRequest[E, S]]()
    var isOpen = true
    while isOpen do
      batch.clear()
      FileJournal.uninterruptibly(batch.add(queue.take()): Unit)
      queue.drainTo(batch, FileJournal.MaxBatch - 1): Unit
      isOpen = !batch.asScala.exists(_.isInstanceOf[JournalRequest.Close[?, ?]])
      try store(batch)
      catch case error: Throwable => fail(error) // no memory to answer: the thread goes on
    commitSnapshots()
    readers.shutdown()
    FileJournal.uninterruptibly(readers.awaitTermination(1, TimeUnit.MINUTES): Unit)
    try
      events.close()
      snapshots.close()
      heads.close()
    catch case error: Throwable => closeFailure = FileJournal.translate(lock.folder, error)
    finally lock.close()
  end write

  /** Appends the events of a batch, commits them once and answers. */
  private def store(batch: ArrayList[JournalRequest[E, S]]): Unit =
    try
      for request <- batch.asScala do
        request match
          case append: JournalRequest.Append[E, S]     => store(append)
          case snapshot: JournalRequest.Snapshot[E, S] => keep(snapshot)
          case _                                       => ()
      events.commit()
      for case append: JournalRequest.Append[E, S] <- batch.asScala if !append.isAnswered do
        register(append)
    catch case error: Throwable => fail(error)
    for case append: JournalRequest.Append[E, S] <- batch.asScala if !append.isAnswered do
      val cause = failure
      if cause == null then FileJournal.calling(append.client.appended())
      else FileJournal.calling(append.client.appendFailed(cause))
    startRecoveries(batch)
    if queue.isEmpty || pendingSnapshots.size >= FileJournal.MaxPendingSnapshots then
      commitSnapshots()
  end store

  /** Enters committed events in the index. */
  private def register(append: JournalRequest.Append[E, S]): Unit =
    val head = heads(append.id)
    if head == Head.Empty then count += 1
    heads(append.id) = head.withEvent(append.lastSequence, append.lastAt)
    append.positions.foreach(liveEvents.add)

  /** Appends the events of one command; if that fails, the command is answered. */
  private def store(append: JournalRequest.Append[E, S]): Unit =
    var appendedCount = 0
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
      var at = head.lastAt
      for event <- append.events do
        at = events.append(append.id, append.sequence + appendedCount, at, event)
        appendedCount += 1
        append.positions(appendedCount - 1) = at
    catch
      case error: CommitFailedException => throw error
      case error: Throwable =>
        events.removeLast(appendedCount)
        append.isAnswered = true
        val cause = FileJournal.translate(lock.folder, error)
        FileJournal.calling(append.client.appendFailed(cause))
    end try
  end store

  /** The journal failed: whether its last events are durable is unknown. */
  private def fail(error: Throwable): Unit =
    val reason = error match
      case failed: CommitFailedException => String.valueOf(failed.getMessage)
      case other                         => other.toString
    if failure == null then
      failure = JournalException(
        s"$reason; the journal stores no more events, and its last ones may be stored or not: " +
          "open it again",
        JournalException.Kind.Failed,
        error
      )

  /** Starts the recoveries of a batch. Each has a copy of its head. Two snapshots of the same id that
    * are committed later would release events that the copy needs: those that wait are committed
    * first. More cannot follow, because the actor takes no snapshot before it has recovered.
    */
  private def startRecoveries(batch: ArrayList[JournalRequest[E, S]]): Unit =
    val recoveries = batch.asScala.collect { case recover: JournalRequest.Recover[E, S] => recover }
    if recoveries.nonEmpty then
      val ids = recoveries.iterator.map(_.id).toSet
      if pendingSnapshots.asScala.exists(snapshot => ids(snapshot.id)) then commitSnapshots()
      for recover <- recoveries do start(recover)

  private def start(recover: JournalRequest.Recover[E, S]): Unit =
    val cause = failure
    if cause != null then FileJournal.calling(recover.client.recoveryFailed(cause))
    else
      val execute = (task: Runnable) =>
        try readers.execute(task)
        catch
          case error: Throwable =>
            FileJournal.calling(recover.client.recoveryFailed(notExecuted(recover.id, error)))
      val replay =
        Replay(events, snapshots, recover.id, heads(recover.id), recover.client, execute)
      execute(() => replay.start())

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
    if failure == null && !pendingSnapshots.isEmpty then
      try
        for snapshot <- pendingSnapshots.asScala do store(snapshot)
        snapshots.commit()
        for snapshot <- pendingSnapshots.asScala if snapshot.isStored do register(snapshot)
        liveSnapshots.deleteUnused()
        if retention == Retention.SinceSnapshot then liveEvents.deleteUnused()
      catch case error: Throwable => fail(error)
    pendingSnapshots.clear()

  private def store(snapshot: JournalRequest.Snapshot[E, S]): Unit =
    try
      snapshots.reserve(1)
      snapshot.at =
        snapshots.append(snapshot.id, snapshot.sequence, snapshot.eventAt, snapshot.state)
    catch
      case error: CommitFailedException => throw error
      case error: Throwable =>
        val cause = FileJournal.translate(lock.folder, error)
        FileJournal.calling(snapshot.client.snapshotFailed(cause))

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
      if segment == null || row >= segment.rows || segment.sequenceOf(row) != sequence then
        sequence = from
      else
        liveEvents.remove(at)
        at = segment.previousOf(row)
        sequence -= 1
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
    // A loss of power may remove a volatile segment, but not the record of it.
    val onSegment = (number: Int) => if durability == Durability.COMMITTED then record(lock, number)
    val events = RecordLog(real, "events", formats.events, segmentBytes, durability, onSegment)
    val snapshots = RecordLog(real, "snapshots", formats.snapshots, segmentBytes, durability)
    val journal = new FileJournal(lock, events, snapshots, retention)
    try journal.open()
    catch
      case error: Throwable =>
        events.close()
        snapshots.close()
        journal.heads.close()
        lock.close()
        throw translate(real, error)
    journal
  end open

  private def record(lock: FolderLock, number: Int): Unit =
    try lock.recordNewest(number)
    catch
      case error: IOException =>
        throw JournalException(
          s"${lock.folder.resolve("journal.lock")}: segment $number cannot be recorded: $error",
          JournalException.Kind.Failed,
          error
        )

  /** Calls a client. One that fails ends neither the thread nor the answers of the others; its error
    * is passed to the handler of uncaught exceptions.
    */
  private inline def calling(inline answer: Unit): Unit =
    try answer
    catch case error: Throwable => uncaught(error)

  private def uncaught(error: Throwable): Unit =
    val thread = Thread.currentThread
    try thread.getUncaughtExceptionHandler.uncaughtException(thread, error)
    catch case _: Throwable => () // as the JVM does

  private def translate(folder: Path, error: Throwable): JournalException = error match
    case error: JournalException    => error
    case error: StructFileException => JournalException.of(error)
    case other =>
      JournalException(s"$folder: $other", JournalException.Kind.Rejected, other)

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
