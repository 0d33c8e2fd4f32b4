package undercroft.memory
package internal.cage

import scala.annotation.publicInBinary
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.ConcurrentLinkedQueue

/** Names of memory owners, by the number in a page's history.
  *
  * Owners without a name are reported by their number, and cost nothing here.
  */
@publicInBinary private[memory] object OwnerNames:
  /** The owner of all of Malloc's pages. */
  val Malloc = 1L

  /** The first owner number of regions. */
  val FirstOfRegions = 16L

  /** Most names kept for error messages after the close; the oldest are removed first. */
  private val NamesKept = 4096

  private val names = ConcurrentHashMap[Long, String]()
  private val order = ConcurrentLinkedQueue[Long]()

  def name(owner: Long): String =
    if owner == Malloc then "Malloc"
    else Option(names.get(owner)).map(n => s"region \"$n\"").getOrElse(s"region $owner")

  def remember(owner: Long, name: String): Unit =
    val _ = names.put(owner, name)
    val _ = order.add(owner)
    while names.size > NamesKept && !order.isEmpty do
      val oldest = order.poll()
      val _ = names.remove(oldest)
end OwnerNames
