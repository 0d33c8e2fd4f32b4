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

  /** Most names of closed owners, kept for error messages; those that were closed first are removed
    * first. The name of an open owner is kept.
    */
  private val NamesKept = 4096

  private val names = ConcurrentHashMap[Long, String]()
  private val closedOwners = ConcurrentLinkedQueue[Long]()
  private val closedCount = AtomicInteger()

  def name(owner: Long): String =
    if owner == Malloc then "Malloc"
    else Option(names.get(owner)).map(n => s"region \"$n\"").getOrElse(s"region $owner")

  def remember(owner: Long, name: String): Unit =
    val _ = names.put(owner, name)

  /** Ends the use of an owner's number; called once. */
  def closed(owner: Long): Unit =
    if names.containsKey(owner) then
      val _ = closedOwners.add(owner)
      if closedCount.incrementAndGet() > NamesKept then
        val oldest = closedOwners.poll()
        val _ = names.remove(oldest)
        val _ = closedCount.decrementAndGet()
end OwnerNames
