package undercroft.memory

import java.util.concurrent.ConcurrentHashMap
import scala.jdk.CollectionConverters.SetHasAsScala

/** Where memory that is still held was allocated, while recording is switched on. */
private[memory] object Leaks:
  final class Site(val owner: String, val bytes: Long, val frames: List[String])

  /** Allocations recorded at most; later ones are counted, not recorded. */
  private val Recorded = 100_000

  /** Frames kept of each allocation's stack. */
  private val Frames = 16

  // Both read without a fence on hot paths: switching is seen soon, not at once.
  private var on = Settings.leaks
  private var some = on

  /** Whether allocations are recorded. */
  def recording: Boolean = on

  /** Whether some may have been recorded that are still held. */
  def recorded: Boolean = some

  def record(on: Boolean): Unit =
    this.on = on
    if on then some = true else settle()

  private val sites = ConcurrentHashMap[Long, Site]()
  private val walker = StackWalker.getInstance()

  /** The key of a region: negative, where those of blocks, their offsets, are not. */
  def keyOf(owner: Long): Long = ~owner

  /** Notes that an owner holds more. */
  def grown(key: Long, bytes: Long): Unit =
    val _ =
      sites.computeIfPresent(key, (_, site) => Site(site.owner, site.bytes + bytes, site.frames))

  /** Records an allocation under a number that [[closed]] gives back. */
  def opened(key: Long, bytes: Long, owner: String): Unit =
    if sites.size < Recorded then
      val frames = walker.walk(_.filter(isUsers).limit(Frames).map(_.toString).toArray)
      val _ = sites.put(key, Site(owner, bytes, frames.map(_.toString).toList))
      some = true

  def closed(key: Long): Unit =
    val _ = sites.remove(key)
    settle()

  /** Spares owners the search for themselves, once nothing is left of a recording. */
  private def settle(): Unit = if !on && sites.isEmpty then some = false

  def all: List[Site] = SetHasAsScala(sites.entrySet).asScala.toList.map: entry =>
    val (key, site) = (entry.getKey, entry.getValue)
    // A region gets its name only after it was opened.
    if key >= 0 then site else Site(Owners.name(~key), site.bytes, site.frames)

  private def isUsers(frame: StackWalker.StackFrame): Boolean =
    !ours.contains(frame.getClassName.takeWhile(_ != '$'))

  private val ours = List(Region, Malloc, Reservation, Bump, Leaks)
    .map(_.getClass.getName.takeWhile(_ != '$'))
    .toSet
end Leaks
