package undercroft.buffer

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong
import scala.jdk.CollectionConverters.CollectionHasAsScala

/** What a pool in debug mode knows of its segments: who took some of those that are not home, and
  * that nobody wrote to one that is.
  *
  * A segment that comes home is emptied for good, and its array goes on in another: whoever uses it
  * later gets an error, and never the bytes of its next owner.
  */
private[buffer] final class SegmentWatch(pool: String):
  private val takes = AtomicLong()
  private val live = ConcurrentHashMap[Array[Byte], List[String]]()

  def taken(segment: Segment): Segment =
    val bytes = segment.data
    if segment.limit == SegmentWatch.Poisoned then
      var i = 0
      while i < bytes.length do
        if bytes(i) != SegmentWatch.Poison then throw WrittenAfterRecycleException(pool, i)
        i += 1
      segment.limit = 0
    val sampled = takes.getAndIncrement() % SegmentWatch.Sampled == 0
    live.put(bytes, if sampled then SegmentWatch.site() else Nil): Unit
    segment

  def returned(segment: Segment): Segment =
    val bytes = segment.data
    live.remove(bytes): Unit
    segment.data = SegmentWatch.NoBytes
    segment.until = 0
    segment.isHome = true
    java.util.Arrays.fill(bytes, SegmentWatch.Poison)
    val next = Segment(bytes, segment.pool)
    next.limit = SegmentWatch.Poisoned
    next

  def assertNone(): Unit =
    val sites = live.values.asScala.toList
    if sites.nonEmpty then
      throw NotHomeException(pool, sites.size, sites.find(_.nonEmpty).getOrElse(Nil))
end SegmentWatch

private[buffer] object SegmentWatch:
  private val NoBytes = new Array[Byte](0)
  private val Poison: Byte = 0xdb.toByte

  /** The limit of a segment whose array is poisoned. */
  private val Poisoned = -1

  /** The place is noted of one take in so many, beginning with the first: it costs microseconds. */
  private val Sampled = 64
  private val Frames = 12
  private val walker = StackWalker.getInstance()

  private def site(): List[String] =
    val frames = walker.walk(_.filter(f => !own.contains(f.getClassName)).limit(Frames).toArray)
    frames.map(_.toString).toList

  private val own: Set[String | Null] =
    Set(classOf[SegmentPool].getName, classOf[SegmentWatch].getName, getClass.getName)
end SegmentWatch
