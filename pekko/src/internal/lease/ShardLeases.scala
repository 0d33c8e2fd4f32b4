package undercroft.pekko
package internal.lease

import java.nio.file.Path
import java.util.concurrent.locks.LockSupport
import scala.collection.mutable
import scala.concurrent.{ExecutionContext, Future, Promise}
import scala.util.{Success, Try}
import undercroft.actor.persistence.{Journal, JournalException}

/** The journals of the shards that have entities here: each is open while at least one entity has a
  * lease of it. Thread-safe; files are opened and closed by threads of their own.
  *
  * {{{
  * shard 7:  closed --first entity--> opening --journal--> open --last entity--> closing --> closed
  *                                     |   ^
  *                                     +---+ in use by another node: again, for at most `patience`
  * }}}
  *
  * A journal that has failed is closed, and opened again, for the next lease. Entities with an
  * earlier lease of it find it closed at their next event.
  */
private[pekko] final class ShardLeases[E, S](
    folders: ShardFolders,
    openJournal: Path => Journal[E, S],
    patienceNanos: Long
):
  /** The right of an entity to use the journal of its shard, until it is released. */
  final class Lease private[ShardLeases] (use: Use):
    private var isReleased = false

    def journal: Future[Journal[E, S]] = use.journal

    /** Idempotent. */
    def release(): Unit = leases.synchronized:
      if !isReleased then
        isReleased = true
        use.leases -= 1
        if use.leases == 0 && leases.get(use.shard).contains(use) then close(use)

  /** One time that a journal is open.
    *
    * @param previous
    *   completed when the journal's former use here is over
    */
  private final class Use(val shard: String, previous: Future[Unit]):
    /** The number of leases. Guarded by `leases`; volatile for the thread that opens. */
    @volatile var leases = 0
    private val opened = Promise[Journal[E, S]]()
    val isOver: Promise[Unit] = Promise()

    def journal: Future[Journal[E, S]] = opened.future

    def hasFailed: Boolean = opened.future.value match
      case Some(Success(journal)) => journal.hasFailed
      case _                      => false

    def open(): Unit = previous.onComplete(_ =>
      try
        inThread(s"open the journal of shard $shard"):
          try opened.success(openPatiently()): Unit
          catch case cause: Throwable => opened.failure(cause): Unit
      catch case noThread: OutOfMemoryError => opened.failure(noThread): Unit
    )(using ExecutionContext.parasitic)

    private def openPatiently(): Journal[E, S] =
      val start = System.nanoTime
      def mayRetry(error: JournalException) =
        error.kind == JournalException.Kind.InUse && leases > 0 &&
          System.nanoTime - start < patienceNanos
      var journal: Option[Journal[E, S]] = None
      while journal.isEmpty do
        try journal = Some(openJournal(folders.of(shard)))
        catch
          case error: JournalException if mayRetry(error) =>
            LockSupport.parkNanos(ShardLeases.RetryNanos)
      journal.get
  end Use

  private val leases = mutable.HashMap.empty[String, Use]

  /** The last use of each shard that is not over. Guarded by `leases`. */
  private val ending = mutable.HashMap.empty[String, Use]

  def acquire(shard: String): Lease = leases.synchronized:
    for use <- leases.get(shard) if use.hasFailed do close(use)
    val use = leases.getOrElseUpdate(
      shard,
      Use(shard, ending.get(shard).fold(Future.unit)(_.isOver.future))
    )
    use.leases += 1
    if use.leases == 1 then use.open() // with its lease: a use without one does not wait
    Lease(use)

  /** The last lease of a use was released, or its journal has failed. */
  private def close(use: Use): Unit =
    leases.remove(use.shard): Unit
    ending(use.shard) = use
    use.journal.onComplete(opened =>
      def closeNow(): Unit =
        // A failure to close loses no answered event, and no caller waits for it.
        opened.foreach(journal => Try(journal.close()): Unit)
        leases.synchronized:
          if ending.get(use.shard).contains(use) then ending.remove(use.shard): Unit
        use.isOver.success(()): Unit
      try inThread(s"close the journal of shard ${use.shard}")(closeNow())
      catch case _: OutOfMemoryError => closeNow() // no thread can be started
    )(using ExecutionContext.parasitic)

  def open: Set[String] = leases.synchronized:
    leases.values.filter(_.journal.value.exists(_.isSuccess)).map(_.shard).toSet

  /** Completed when each journal without a lease is closed. */
  def closed: Future[Unit] =
    val uses = leases.synchronized(ending.values.toList)
    uses.foldLeft(Future.unit)((before, use) =>
      before.flatMap(_ => use.isOver.future)(using ExecutionContext.parasitic)
    )

  private def inThread(name: String)(body: => Unit): Unit =
    Thread.ofPlatform.daemon.name(name).start(() => body): Unit
end ShardLeases

private[pekko] object ShardLeases:
  private val RetryNanos = 50_000_000L
