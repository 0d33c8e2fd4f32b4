package undercroft.actor.page
package internal

import undercroft.actor.{ActorSystem, ActorTree}
import undercroft.actor.ActorTree.quoted

/** The state of a system as JSON, which the page's script draws. Rates are differences of two
  * states, so the server keeps nothing for a browser.
  */
private[page] object PageState:
  private val MaxActors = 1000

  def json(system: ActorSystem, events: EventLog): String =
    val tree = system.tree
    val busiestActors = busiest(tree)
    s"""{"system": ${quoted(system.name)}, "isStopped": ${system.isStopped}, """ +
      s""""atNanos": ${tree.atNanos}, "actorCount": ${tree.rows.size}, """ +
      s""""waiting": ${tree.rows.map(_.waiting).sum}, """ +
      s""""tree": ${busiestActors.json}, "events": ${events.json}}"""

  /** At most [[MaxActors]] actors, in the order of the tree. */
  private def busiest(tree: ActorTree): ActorTree =
    if tree.rows.size <= MaxActors then tree
    else
      val rows = tree.rows.sortBy(row => (-row.waiting, -row.busyNanos, -row.handled, row.number))
      val numbers = rows.iterator.take(MaxActors).map(_.number).toSet
      tree.copy(rows = tree.rows.filter(row => numbers(row.number)))
end PageState
