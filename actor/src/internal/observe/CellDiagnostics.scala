package undercroft.actor
package internal.observe

import internal.cell.{ActorCell, State}
import java.util.{ArrayDeque, ArrayList}
import scala.collection.immutable

/** Counts and states of an actor cell, for other threads. Thread-safe; exact if the actor is idle.
  */
private[actor] object CellDiagnostics:

  /** Visits all live actors below `guardian`: parents before their children, the oldest child
    * first. Each has a place, which `places` computes from that of its parent; its arguments are
    * that place and the children of one actor, its result takes the index of a child. Not
    * recursive, so any depth is allowed. Thread-safe.
    */
  def visit[A](guardian: ActorCell[?], top: A)(places: (A, Array[ActorCell[?]]) => Int => A)(
      use: (ActorCell[?], A) => Unit
  ): Unit =
    val left = ArrayDeque[(cell: ActorCell[?], place: A)]()
    def push(cell: ActorCell[?], place: A): Unit =
      val family = cell.familyOrNull
      if family != null then
        val children = family.all
        val placeOf = places(place, children)
        // Youngest first, so that the oldest is on top.
        for i <- children.indices do left.push((children(i), placeOf(i)))
    push(guardian, top)
    while !left.isEmpty do
      val next = left.pop
      use(next.cell, next.place)
      push(next.cell, next.place)

  /** All live actors below `guardian`, parents before their children. Thread-safe. */
  def below(guardian: ActorCell[?]): ArrayList[ActorCell[?]] =
    val result = ArrayList[ActorCell[?]]()
    val left = ArrayDeque[ActorCell[?]]()
    var cell: ActorCell[?] | Null = guardian
    while cell != null do
      val family = cell.familyOrNull
      if family != null then
        val children = family.all
        var i = 0
        while i < children.length do
          left.push(children(i))
          i += 1
      cell = left.poll()
      if cell != null then result.add(cell): Unit
    result

  /** The actor's row of a [[ActorTree]]. */
  def row(cell: ActorCell[?], depth: Int, path: String): ActorTree.Row =
    val coldState = cell.coldStateOrNull
    val now = counts(cell)
    val above = cell.parent
    ActorTree.Row(
      cell.name,
      cell.number,
      if above == null || above.parent == null then -1 else above.number,
      depth,
      if cell.isMuted then "waits for room" else State.named(cell.state),
      now.waiting,
      now.stashed,
      now.handled,
      now.failed,
      now.deadLetterCount,
      now.restarts,
      if coldState == null then 0 else coldState.busyNanos,
      path = path
    )

  /** The actor's counts, as an audit of one actor. */
  def counts(cell: ActorCell[?]): Audit =
    val coldState = cell.coldStateOrNull
    val stash = cell.stashOrNull
    Audit(
      actors = 1,
      sent = cell.sentCount + evictingCount(cell),
      handled = cell.handledAcquire,
      failed = if coldState == null then 0 else coldState.failed,
      stashed = if stash == null then 0 else stash.size,
      waiting = cell.waitingCount + evictingCount(cell),
      deadLetters = if coldState == null then immutable.Map.empty else coldState.deadByReason,
      restarts = if coldState == null then 0 else coldState.restarts
    )

  /** The number of messages in the evicting queue: sent, but not counted yet. */
  private def evictingCount(cell: ActorCell[?]): Int =
    if cell.isEvicting then cell.evictingQueue.size else 0

  /** Whether it seems to have no work at the moment; racy: see [[Audit]]. */
  def isQuiescent(cell: ActorCell[?]): Boolean =
    val coldState = cell.coldStateOrNull
    val stash = cell.stashOrNull // once: a stop sets it to null
    !cell.isNotifiedVolatile && cell.waitingCount + evictingCount(cell) == 0 &&
    !cell.hasSystemMessagesVolatile && !cell.isAtWork &&
    (stash == null || stash.dueCount == 0) &&
    (cell.state == State.Running ||
      (cell.state == State.Paused && (coldState == null || !coldState.isHalted)))

  /** A number that changes with each message, or -1 while the actor waits for a message or another
    * event. For an actor with its own thread.
    */
  def task(cell: ActorCell[?]): Long =
    val stash = cell.stashOrNull // once: a stop sets it to null
    val isBegun = cell.state == State.Running || cell.state == State.Starting
    val hasMessage = isBegun && (cell.waitingCount + evictingCount(cell) > 0 ||
      (stash != null && stash.dueCount > 0))
    if hasMessage || (cell.state == State.Starting && !cell.isProcess) then
      cell.completedAcquire + cell.handledAcquire
    else -1L
end CellDiagnostics
