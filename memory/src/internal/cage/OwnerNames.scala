package undercroft.memory
package internal.cage

import scala.annotation.publicInBinary
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicInteger

/** Names of memory owners, by the number in a page's history.
  *
  * Owners without a name are reported by their number, and cost nothing here.
  */
@publicInBinary private[memory] object OwnerNames:
  /** The owner of all of Malloc's pages. */
  val Malloc = 1L

  /** The first owner number of regions. */
  val FirstOfRegions = 16L

  /** Most names of closed owners of one kind, kept for error messages; those that were closed first
    * are removed first. The name of an open owner is kept.
    */
  private val NamesKept = 4096

  private val regions = Names()

  // Of their own, because they are opened and closed more often: they would displace the names of
  // closed regions.
  private val reservations = Names()

  def name(owner: Long): String =
    if owner == Malloc then "Malloc"
    else
      val reservation = reservations.get(owner)
      if reservation != null then reservation
      else
        val region = regions.get(owner)
        if region != null then s"region \"$region\"" else s"region $owner"

  def remember(owner: Long, name: String): Unit = regions.put(owner, name)

  /** Gives the owner of a reservation of no region the name of the budget that it is charged to. */
  def rememberReservation(owner: Long, budget: String): Unit = reservations.put(owner, budget)

  /** Ends the use of a region's number; called once. */
  def closed(owner: Long): Unit = regions.closed(owner)

  /** Ends the use of the number of a reservation of no region; called once. */
  def closedReservation(owner: Long): Unit = reservations.closed(owner)

  /** The names of owners of one kind. */
  private final class Names:
    private val names = ConcurrentHashMap[Long, String]()
    private val closedOwners = ConcurrentLinkedQueue[Long]()
    private val closedCount = AtomicInteger()

    /** The name of an owner; null if it has none. */
    def get(owner: Long): String | Null = names.get(owner)

    def put(owner: Long, name: String): Unit =
      val _ = names.put(owner, name)

    def closed(owner: Long): Unit =
      if names.containsKey(owner) then
        val _ = closedOwners.add(owner)
        if closedCount.incrementAndGet() > NamesKept then
          val oldest = closedOwners.poll()
          val _ = names.remove(oldest)
          val _ = closedCount.decrementAndGet()
  end Names
end OwnerNames
