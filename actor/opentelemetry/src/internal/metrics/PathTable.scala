package undercroft.actor.opentelemetry
package internal.metrics

import scala.collection.mutable
import undercroft.actor.{Run, Supervision}
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
    if path.nonEmpty && byPath.size < limit then added(path)
    else byPath.getOrElse(PathTable.Other, added(PathTable.Other))
  )

  private def added(path: String): PathCounts =
    byPath.getOrElseUpdate(path, PathCounts(system, path))

  def stopped(actor: ActorCounts): Unit = synchronized:
    entry(actor.path).addStopped(actor)
    if isCollecting then stoppedMeanwhile.add(actor.number): Unit

  def endedTurn(path: String, run: Run, nanos: Long): Unit =
    synchronized(entry(path).addStoppedTime(run, nanos))

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
