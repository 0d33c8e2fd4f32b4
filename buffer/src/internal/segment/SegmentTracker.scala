package undercroft.buffer
package internal.segment

import java.lang.ref.{PhantomReference, ReferenceQueue, WeakReference}
import java.util.concurrent.ConcurrentHashMap
import undercroft.memory.{Budget, Reclaimer}

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
  * Before the budget rejects a charge, of this pool or of any other owner, it releases the pool's
  * idle and leaked segments: see [[reclaim]].
  */
private[buffer] final class SegmentBudget(budget: Budget, segmentBytes: Int) extends Reclaimer:
  private val tickets = SegmentTrackers()
  private var served: WeakReference[SegmentPool] | Null = null

  /** Sets the pool that is charged to the budget; [[reclaim]] releases its idle segments. */
  def serve(pool: SegmentPool): Unit =
    served = WeakReference(pool)
    SegmentBudgets.add(this)
    budget.onShortage(this)

  /** Allocates and charges a segment; throws a MemoryLimitException beyond the budget. */
  def segment(pool: SegmentPool): Segment =
    settle()
    budget.charge(segmentBytes)
    try
      val segment = pool.bare()
      segment.charge = tickets.issue(segment)
      segment
    catch
      case e: Throwable =>
        budget.release(segmentBytes)
        throw e

  def dropped(segment: Segment): Unit =
    val charge = segment.charge
    if charge != null then
      tickets.cancel(charge)
      budget.release(segmentBytes)

  /** Releases leaked segments found by the garbage collector and, if `bytes` are still not
    * available, the idle segments of the pool.
    */
  def reclaim(bytes: Long): Unit =
    settle()
    val pool = reachablePool
    if pool != null && bytes > budget.availableBytes then
      pool.trim()
      settle()

  /** Whether charged segments may be unreachable, so that a garbage collection may help. */
  def awaitsCollection: Boolean = tickets.nonEmpty

  /** Releases leaked segments found by the garbage collector. */
  def settle(): Unit = tickets.found(_ => budget.release(segmentBytes))

  /** Whether no segment is charged, and the pool that would charge more is unreachable. */
  def isUnused: Boolean = reachablePool == null && !tickets.nonEmpty

  private def reachablePool: SegmentPool | Null =
    val reference = served
    if reference == null then null else reference.get
end SegmentBudget

/** Keeps the accounts of all pools reachable while their segments are charged: a budget refers to
  * its reclaimers weakly, and the segments of an unreachable pool stay charged until the garbage
  * collector has found them. Thread-safe.
  */
private[buffer] object SegmentBudgets:
  private val accounts = ConcurrentHashMap.newKeySet[SegmentBudget]().nn

  /** Adds an account, and removes unused accounts. */
  def add(account: SegmentBudget): Unit =
    accounts.forEach(_.settle())
    accounts.removeIf(_.isUnused): Unit
    accounts.add(account): Unit
end SegmentBudgets
