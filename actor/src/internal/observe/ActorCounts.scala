package undercroft.actor
package internal.observe

import internal.cell.{ActorCell, State}

/** The counts of one actor, with its path, for a module of metrics.
  *
  * @param path
  *   the names of its ancestors and its own, separated by slashes, without the system's name; an
  *   actor without a name is `*`. Empty if it is deeper than [[ActorCounts.DeepestPath]]
  * @param isStopped
  *   whether the actor has stopped: its [[ActorObserver]] has its counts, or gets them soon
  */
private[undercroft] final class ActorCounts(
    val number: Long,
    val path: String,
    val run: Run,
    val isStopped: Boolean,
    val counts: Audit,
    val busyNanos: Long
)

private[undercroft] object ActorCounts:
  /** The largest number of names in a path: a bound for the time that a path takes. */
  inline val DeepestPath = 16

  /** The path of an actor; empty if `ref` is not an actor. Thread-safe. */
  def pathOf(ref: ActorRef[Nothing]): String = ref match
    case cell: ActorCell[?] =>
      var names = List.empty[String]
      var ancestor: ActorCell[?] | Null = cell
      var depth = 0
      while ancestor != null && ancestor.parent != null && depth <= DeepestPath do
        names ::= nameOf(ancestor)
        ancestor = ancestor.parent
        depth += 1
      if depth > DeepestPath then "" else names.mkString("/")
    case _ => ""

  private def nameOf(cell: ActorCell[?]): String =
    val name = cell.givenName
    if name.isEmpty then "*" else name

  /** The counts of one actor. */
  private[actor] def of(cell: ActorCell[?]): ActorCounts =
    val isStopped =
      cell.state == State.Stopped // first: if it is false, the counts are of a live actor
    val coldState = cell.coldStateOrNull
    ActorCounts(
      cell.number,
      pathOf(cell),
      cell.runner.run,
      isStopped,
      CellDiagnostics.counts(cell),
      if coldState == null then 0 else coldState.busyNanos
    )
end ActorCounts
