package undercroft.buffer

import java.lang.ref.WeakReference
import java.util.ArrayList
import jdk.jfr.{Category, DataAmount, Description, Event, FlightRecorder, FlightRecorderListener}
import jdk.jfr.{Label, Name, Period, StackTrace}

/** A pool of segments, from time to time. */
@Name("dev.undercroft.SegmentPool")
@Label("Segment Pool")
@Category(Array("Undercroft", "Buffer"))
@Description("What happened in a pool of segments so far")
@StackTrace(false)
@Period("10 s")
private[buffer] final class SegmentPoolEvent extends Event:
  @Label("Pool") var pool: String | Null = null
  @Label("Segment Size") @DataAmount var segmentBytes: Long = 0
  @Label("Hits") @Description("Takes that an idle segment served") var hits: Long = 0
  @Label("Misses") @Description("Takes that a new segment served") var misses: Long = 0
  @Label("Lost Races") var lostRaces: Long = 0
  @Label("Dropped") @Description("Left to the garbage collector") var dropped: Long = 0
  @Label("Idle") @DataAmount var idleBytes: Long = 0
  @Label("Live") @Description("Segments that are out") var live: Long = 0

/** Tells the flight recorder of every pool there is; a pool that is gone is forgotten.
  *
  * The class of the event is loaded only when a recorder starts.
  */
private[buffer] object SegmentFlight:
  private val pools = ArrayList[WeakReference[SegmentPool]]()

  /** How many there may be before those that are gone are looked for: twice what was left. */
  private var most = 64

  if ModuleLayer.boot.findModule("jdk.jfr").isPresent then SegmentRecorder.await()

  def show(pool: SegmentPool): Unit = synchronized:
    if pools.size >= most then
      pools.removeIf(_.get == null): Unit
      most = Math.max(64, pools.size * 2)
    pools.add(WeakReference(pool)): Unit

  /** Calls `visit` with each pool that is still used. */
  def each(visit: SegmentPool => Unit): Unit =
    val known = synchronized(ArrayList(pools))
    known.forEach: reference =>
      val pool = reference.get
      if pool != null then visit(pool)
end SegmentFlight

/** What touches the recorder's classes, where a runtime has them. */
private[buffer] object SegmentRecorder:
  def await(): Unit =
    if FlightRecorder.isAvailable then
      FlightRecorder.addListener:
        new FlightRecorderListener:
          override def recorderInitialized(recorder: FlightRecorder): Unit =
            FlightRecorder.addPeriodicEvent(classOf[SegmentPoolEvent], () => tell())

  private def tell(): Unit = SegmentFlight.each: pool =>
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
end SegmentRecorder
