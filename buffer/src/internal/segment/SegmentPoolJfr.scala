package undercroft.buffer
package internal.segment

import java.lang.ref.WeakReference
import java.util.ArrayList
import jdk.jfr.{Category, DataAmount, Description, Event, FlightRecorder, FlightRecorderListener}
import jdk.jfr.{Label, Name, Period, StackTrace}
import undercroft.memory.internal.observe.JfrRecorder

/** A periodic sample of a segment pool's counters. */
@Name("dev.undercroft.SegmentPool")
@Label("Segment Pool")
@Category(Array("Undercroft", "Buffer"))
@Description("Counters of a segment pool since its creation")
@StackTrace(false)
@Period("10 s")
private[buffer] final class SegmentPoolEvent extends Event:
  @Label("Pool") var pool: String | Null = null
  @Label("Segment Size") @DataAmount var segmentBytes: Long = 0
  @Label("Hits") @Description("Requests served by an idle segment") var hits: Long = 0
  @Label("Misses") @Description("Requests served by a new segment") var misses: Long = 0
  @Label("Lost Races") var lostRaces: Long = 0
  @Label("Dropped") @Description("Left to the garbage collector") var dropped: Long = 0
  @Label("Idle") @DataAmount var idleBytes: Long = 0
  @Label("Live") @Description("Outstanding segments") var live: Long = 0

/** Reports all live pools to JDK Flight Recorder; unreachable pools are removed.
  *
  * The event class is loaded only when a recording starts.
  */
private[buffer] object SegmentPoolJfr:
  private val pools = ArrayList[WeakReference[SegmentPool]]()

  /** Number of entries that triggers the removal of unreachable pools: twice the number of live
    * ones.
    */
  private var maxEntries = 64

  if ModuleLayer.boot.findModule("jdk.jfr").isPresent then SegmentPoolJfrEmitter.await()

  def show(pool: SegmentPool): Unit = synchronized:
    if pools.size >= maxEntries then
      pools.removeIf(_.get == null): Unit
      maxEntries = Math.max(64, pools.size * 2)
    pools.add(WeakReference(pool)): Unit

  /** Calls `visit` with each reachable pool. */
  def each(visit: SegmentPool => Unit): Unit =
    val references = synchronized(ArrayList(pools))
    references.forEach: reference =>
      val pool = reference.get
      if pool != null then visit(pool)
end SegmentPoolJfr

/** The part that uses the classes of jdk.jfr, which a runtime may lack. */
private[buffer] object SegmentPoolJfrEmitter:
  def await(): Unit =
    JfrRecorder.addListener:
      new FlightRecorderListener:
        override def recorderInitialized(recorder: FlightRecorder): Unit =
          JfrRecorder.addPeriodicEvent(classOf[SegmentPoolEvent], () => tell())

  private def tell(): Unit = SegmentPoolJfr.each: pool =>
    val metrics = pool.metrics
    val event = SegmentPoolEvent()
    event.pool = pool.name
    event.segmentBytes = pool.segmentBytes
    event.hits = metrics.hits
    event.misses = metrics.misses
    event.lostRaces = metrics.lostRaces
    event.dropped = metrics.dropped
    event.idleBytes = metrics.idleBytes
    event.live = metrics.live
    event.commit()
end SegmentPoolJfrEmitter
