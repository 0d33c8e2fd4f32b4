package undercroft.actor.opentelemetry
package internal.metrics

import scala.collection.mutable
import undercroft.actor.{Audit, Supervision}
import undercroft.actor.internal.observe.ActorCounts

/** The counts of actors by path, for at most `limit` paths; the actors of all further paths share
  * the path [[PathTable.Other]]. A path keeps its entry, so that its counts never decrease.
  * Thread-safe, by a lock, which no hot path takes.
  *
  * An actor that stops during a collection is counted once: its last counts are added under the
  * lock, and its number is kept until the collection ends, which then skips the counts that it has
  * read of that actor.
  */
private[opentelemetry] final class PathTable(system: String, limit: Int):
  private val byPath = mutable.LinkedHashMap[String, PathCounts]()
  private val stoppedMeanwhile = mutable.HashSet[Long]()
  private var isCollecting = false
  private val collecting = Object()

  private def entry(path: String): PathCounts = byPath.getOrElse(
    path,
    if path.nonEmpty && pathCount < limit then added(path)
    else byPath.getOrElse(PathTable.Other, added(PathTable.Other))
  )

  private def pathCount: Int =
    if byPath.contains(PathTable.Other) then byPath.size - 1 else byPath.size

  private def added(path: String): PathCounts =
    byPath.getOrElseUpdate(path, PathCounts(system, path))

  /** Adds the counts of the actors that stopped before this table was told, to [[PathTable.Other]].
    * `read` returns the counts of all stopped actors.
    *
    * An actor that stops is in those counts shortly before [[stopped]] is called. In between, the
    * difference to the counts of this table includes it. So the least of several differences is
    * added. Racy, but benign: an actor between the two in all readings is counted twice.
    */
  def addEarlier(read: () => Audit): Unit =
    val differences = Seq.fill(PathTable.Readings):
      val told = synchronized(stoppedSums) // first: the difference is too large, never too small
      val all = read()
      (all.handled - told.handled, all.failed - told.failed, all.restarts - told.restarts)
    val (handled, failed, restarts) =
      (differences.map(_._1).min, differences.map(_._2).min, differences.map(_._3).min)
    if handled + failed + restarts > 0 then
      synchronized(entry("").addStopped(handled, failed, restarts))

  private def stoppedSums: (handled: Long, failed: Long, restarts: Long) =
    val sums = byPath.values.map(_.stoppedCounts)
    (sums.map(_.handled).sum, sums.map(_.failed).sum, sums.map(_.restarts).sum)

  def stopped(actor: ActorCounts): Unit = synchronized:
    entry(actor.path).addStopped(actor)
    if isCollecting then stoppedMeanwhile.add(actor.number): Unit

  def failed(path: String, decision: Supervision): Unit =
    synchronized(entry(path).addFailure(decision))

  def stalled(path: String): Unit = synchronized:
    val counts = entry(path)
    counts.stalls += 1

  /** Reads the counts of live actors by `read`, and passes all paths to `use`. */
  def collect(read: => Vector[ActorCounts])(use: PathCounts => Unit): Unit =
    collecting.synchronized:
      synchronized { isCollecting = true }
      try
        val live = read
        synchronized:
          for counts <- byPath.values do counts.clearLive()
          for actor <- live if !actor.isStopped && !stoppedMeanwhile(actor.number) do
            entry(actor.path).addLive(actor)
          for counts <- byPath.values do
            counts.settle()
            use(counts)
      finally
        synchronized:
          isCollecting = false
          stoppedMeanwhile.clear()
end PathTable

private[opentelemetry] object PathTable:
  /** The path of the actors that have none of their own. */
  val Other = "_OTHER"

  /** The readings of the counts of earlier actors. */
  private val Readings = 4
