package undercroft.memory

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.ConcurrentLinkedQueue

/** The names of the owners of memory, by the number that a page's history keeps.
  *
  * Owners without a name of their own are called by their number, and cost nothing here.
  */
private[memory] object Owners:
  /** The owner of all of Malloc's pages. */
  val Malloc = 1L

  /** The first number that lanes give to their regions. */
  val FirstOfRegions = 16L

  /** Names kept, so that errors can tell them after the close; the oldest are forgotten first. */
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
end Owners
