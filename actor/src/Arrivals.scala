package undercroft.actor

import java.lang.invoke.MethodHandles
import scala.annotation.nowarn

/** Where other threads leave actors with a worker: those that they woke, and those that they give
  * to it. A stack by compare-and-set that is only ever taken whole, linked by the actors' own
  * fields.
  */
@nowarn("msg=unset private variable") // set by a VarHandle
private[actor] abstract class Arrivals(name: String) extends Thread(null, null, name):
  @volatile private var arrived: Lane[?] | Null = null

  protected final def hasArrivals: Boolean = arrived != null

  /** Leaves an actor here; what was on top before. Any thread; only who raised its `notified`. */
  protected final def push(cell: Lane[?]): Lane[?] | Null =
    var top = arrived
    cell.nextArrived = top
    while !Arrivals.Arrived.compareAndSet(this, top, cell) do
      top = arrived
      cell.nextArrived = top
    top

  /** Takes all there are, the newest first. Any thread. */
  protected final def takeArrivals(): Lane[?] | Null =
    Arrivals.Arrived.getAndSet(this, null).asInstanceOf[Lane[?] | Null]
end Arrivals

private[actor] object Arrivals:
  private val lookup = MethodHandles.privateLookupIn(classOf[Arrivals], MethodHandles.lookup())
  private val Arrived = lookup.findVarHandle(classOf[Arrivals], "arrived", classOf[Lane[?]])
