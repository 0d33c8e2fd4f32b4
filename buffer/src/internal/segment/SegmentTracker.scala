package undercroft.buffer
package internal.segment

import java.lang.ref.{PhantomReference, ReferenceQueue, WeakReference}
import java.util.ArrayList
import java.util.concurrent.{ConcurrentHashMap, ConcurrentLinkedQueue}
import java.util.concurrent.locks.LockSupport
import undercroft.memory.{Budget, MemoryLimitException}

/** Tracks the bytes of an outstanding segment, an array or a slice of native memory: outlives them
  * and reports that they became unreachable without being recycled.
  *
  * @param site
  *   the allocation site; empty if it was not recorded
  */
private[buffer] final class SegmentTracker(
    bytes: Object,
    lost: ReferenceQueue[Object],
    val site: List[String]
) extends PhantomReference[Object](bytes, lost)

/** The trackers of outstanding segments. Thread-safe. */
private[buffer] final class SegmentTrackers:
  private val lost = ReferenceQueue[Object]()
  private val out = ConcurrentHashMap.newKeySet[SegmentTracker]().nn

  def issue(segment: Segment, site: List[String] = Nil): SegmentTracker =
    val ticket = SegmentTracker(segment.storage, lost, site)
    out.add(ticket): Unit
    ticket

  def cancel(ticket: SegmentTracker): Unit =
    out.remove(ticket): Unit
    ticket.clear()

  def nonEmpty: Boolean = !out.isEmpty

  def all: List[SegmentTracker] = scala.jdk.CollectionConverters.SetHasAsScala(out).asScala.toList

  /** Visits the trackers of segments that the garbage collector found since the last call. */
  def found(visit: SegmentTracker => Unit): Unit =
    var next = lost.poll()
    while next != null do
      next match
        case ticket: SegmentTracker if out.remove(ticket) => visit(ticket)
        case _                                            => ()
      next = lost.poll()
end SegmentTrackers

/** Charges the segments of a pool to a budget, from their allocation until they are dropped or the
  * garbage collector finds them leaked. Thread-safe.
  *
  * Before a budget rejects a charge of this module, idle and leaked segments of all pools that are
  * charged to it are released: see [[reclaim]].
  */
private[buffer] final class SegmentBudget(budget: Budget, segmentBytes: Int):
  private val tickets = SegmentTrackers()
  private val pools = ConcurrentLinkedQueue[WeakReference[SegmentPool]]()
  SegmentBudgets.add(budget, this)

  /** Adds a pool that is charged to the budget; [[reclaim]] releases its idle segments. */
  def serve(pool: SegmentPool): Unit = pools.add(WeakReference(pool)): Unit

  /** Allocates and charges a segment; throws a MemoryLimitException beyond the budget. */
  def segment(pool: SegmentPool): Segment =
    settle()
    SegmentBudgets.reclaiming(budget)(budget.charge(segmentBytes))
    try
      val segment = pool.bare()
      segment.charge = tickets.issue(segment)
      segment
    catch
      case e: (OutOfMemoryError | MemoryLimitException) =>
        budget.release(segmentBytes)
        throw e

  def dropped(segment: Segment): Unit =
    val charge = segment.charge
    if charge != null then
      tickets.cancel(charge)
      budget.release(segmentBytes)

  /** Releases leaked segments found by the garbage collector and, if `bytes` are still not
    * available, the idle segments of all its pools.
    */
  def reclaim(bytes: Long): Unit =
    settle()
    if bytes > budget.availableBytes then
      pools.forEach: reference =>
        val pool = reference.get
        if pool != null then pool.trim()
      settle()

  /** Time of the last garbage collection that released too little. */
  @volatile var inVainAt: Long = System.nanoTime - SegmentBudgets.PauseNanos

  /** Whether charged segments may be unreachable, so that a garbage collection may help; false for
    * a while after a collection that did not.
    */
  def awaitsCollection: Boolean =
    tickets.nonEmpty && System.nanoTime - inVainAt >= SegmentBudgets.PauseNanos

  private def settle(): Unit = tickets.found(_ => budget.release(segmentBytes))
end SegmentBudget

/** The accounts of all budgets, so that idle segments of one pool do not cause the charge of
  * another pool to be rejected.
  */
private[buffer] object SegmentBudgets:
  private val accounts = ArrayList[(WeakReference[Budget], WeakReference[SegmentBudget])]()

  /** Number of waits for the result of a collection, of 1, 2, 4 .. 512 ms. */
  private val Waits = 10

  /** Nanoseconds after a collection without effect in which no charge of the budget requests
    * another.
    */
  val PauseNanos = 1_000_000_000L

  def add(budget: Budget, account: SegmentBudget): Unit = accounts.synchronized:
    accounts.removeIf(entry => entry(1).get == null): Unit
    accounts.add((WeakReference(budget), WeakReference(account))): Unit

  /** Runs a charge of a budget. If it is rejected, releases idle segments, then requests a garbage
    * collection if that may help, and runs it again.
    */
  def reclaiming(budget: Budget)(charge: => Unit): Unit =
    try charge
    catch
      case e: MemoryLimitException
          if e.budget == budget.name && e.requestedBytes <= budget.limitBytes =>
        reclaim(budget, e.requestedBytes)
        if budget.availableBytes < e.requestedBytes then collect(budget, e.requestedBytes)
        charge

  private def of(budget: Budget): List[SegmentBudget] =
    var matches = List.empty[SegmentBudget]
    accounts.synchronized:
      accounts.forEach: entry =>
        val account = entry(1).get
        if account != null && (entry(0).get eq budget) then matches = account :: matches
    matches

  private def reclaim(budget: Budget, bytes: Long): Unit = of(budget).foreach(_.reclaim(bytes))

  private def collect(budget: Budget, bytes: Long): Unit =
    if of(budget).exists(_.awaitsCollection) then
      System.gc()
      var wait = 0
      while wait < Waits && budget.availableBytes < bytes do
        LockSupport.parkNanos(1_000_000L << wait)
        reclaim(budget, bytes)
        wait += 1
      if budget.availableBytes < bytes then
        val now = System.nanoTime
        of(budget).foreach(_.inVainAt = now)
end SegmentBudgets
