package undercroft.memory
package internal.observe

import internal.cage.OwnerNames
import internal.platform.Settings
import java.util.concurrent.ConcurrentHashMap
import scala.jdk.CollectionConverters.SetHasAsScala

/** Allocation sites of memory that is still held, while recording is switched on. */
private[memory] object Leaks:
  final class Site(val owner: String, val bytes: Long, val frames: List[String])

  /** Most allocations recorded; later ones are not recorded. */
  private val Recorded = 100_000

  /** Most stack frames of an allocation site. */
  private val Frames = 16

  // Both are read without a fence on hot paths: a switch is seen soon, not at once.
  private var on = Settings.leaks
  private var hasRecords = on

  /** Whether allocations are recorded. */
  def recording: Boolean = on

  /** Whether there may be records of memory that is still held. */
  def recorded: Boolean = hasRecords

  def record(on: Boolean): Unit =
    this.on = on
    if on then hasRecords = true else settle()

  private val sites = ConcurrentHashMap[Long, Site]()

  /** The key of a region: negative, because the keys of blocks are offsets. */
  def keyOf(owner: Long): Long = ~owner

  /** Records that an owner holds more bytes. */
  def grown(key: Long, bytes: Long): Unit =
    val _ =
      sites.computeIfPresent(key, (_, site) => Site(site.owner, site.bytes + bytes, site.frames))

  /** Records an allocation under a key that [[closed]] removes. */
  def opened(key: Long, bytes: Long, owner: String): Unit =
    if sites.size < Recorded then
      val _ = sites.put(key, Site(owner, bytes, Callers.frames(Frames)))
      hasRecords = true

  def closed(key: Long): Unit =
    val _ = sites.remove(key)
    settle()

  /** The record under a key; null if there is none. */
  def siteOf(key: Long): Site | Null = sites.get(key)

  /** Removes a record, but not another one that has replaced it. */
  def closed(key: Long, site: Site): Unit =
    val _ = sites.remove(key, site)
    settle()

  /** Lets owners skip the lookup once recording is off and no record remains. */
  private def settle(): Unit = if !on && sites.isEmpty then hasRecords = false

  def all: List[Site] = SetHasAsScala(sites.entrySet).asScala.toList.map: entry =>
    val (key, site) = (entry.getKey, entry.getValue)
    // An owner is named only after it was opened.
    if key >= 0 then site else Site(OwnerNames.name(~key), site.bytes, site.frames)
end Leaks

/** The user's part of the current stack. Apart from [[Leaks]], which every program loads. */
private object Callers:
  private val walker = StackWalker.getInstance()

  /** The start of the names of all classes below `internal`. */
  private val internalPackages = getClass.getPackageName.stripSuffix("observe")

  private val publicClasses = List(Region, Malloc, Reservation)
    .map(_.getClass.getName.takeWhile(_ != '$'))
    .toSet

  def frames(most: Int): List[String] =
    walker
      .walk(_.filter(isUsers).limit(most).map(_.toString).toArray)
      .map(_.toString)
      .toList

  private def isUsers(frame: StackWalker.StackFrame): Boolean =
    val name = frame.getClassName.takeWhile(_ != '$')
    !name.startsWith(internalPackages) && !publicClasses.contains(name)
end Callers
