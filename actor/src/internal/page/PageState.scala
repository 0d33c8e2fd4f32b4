package undercroft.actor
package internal.page

import ActorTree.quoted
import internal.observe.DurationBuckets

/** The state of a system as JSON, which the page's script draws. Rates are differences of two
  * states, so the server keeps nothing for a browser.
  */
private[actor] object PageState:
  private val MaxActors = 1000

  def json(system: ActorSystem, events: EventLog): String =
    val tree = system.observe.tree
    val busiestActors = busiest(tree)
    s"""{"system": ${quoted(system.name)}, "isStopped": ${system.isStopped}, """ +
      s""""atNanos": ${tree.atNanos}, "actorCount": ${tree.rows.size}, """ +
      s""""waiting": ${tree.rows.map(_.waiting).sum}, """ +
      s""""durations": ${durations(system.observe.durations)}, """ +
      s""""tree": ${busiestActors.json}, "events": ${events.json}}"""

  /** The histogram: for each bucket with durations its position, its middle in nanoseconds, and its
    * count.
    */
  private def durations(all: HandlerDurations): String =
    val buckets = all.counts.indices.iterator.filter(all.counts(_) > 0).map: i =>
      s"[$i, ${math.round(DurationBuckets.middleNanos(i))}, ${all.counts(i)}]"
    s"""{"count": ${all.count}, "maxNanos": ${all.maxNanos}, """ +
      s""""buckets": ${buckets.mkString("[", ", ", "]")}}"""

  /** At most [[MaxActors]] actors, in the order of the tree. */
  private def busiest(tree: ActorTree): ActorTree =
    if tree.rows.size <= MaxActors then tree
    else
      val rows = tree.rows.sortBy(row => (-row.waiting, -row.busyNanos, -row.handled, row.number))
      val numbers = rows.iterator.take(MaxActors).map(_.number).toSet
      tree.copy(rows = tree.rows.filter(row => numbers(row.number)))
end PageState
