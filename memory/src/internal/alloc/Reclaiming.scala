package undercroft.memory
package internal.alloc

import java.lang.ref.WeakReference
import java.util.concurrent.{CopyOnWriteArrayList, TimeUnit}
import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.locks.ReentrantLock
import scala.jdk.CollectionConverters.IteratorHasAsScala

/** The reclaimers of one budget, in the order of their registration. Thread-safe. */
private[memory] final class Reclaiming:
  private val reclaimers = CopyOnWriteArrayList[WeakReference[Reclaimer]]()

  // Threads that are calling reclaimers: a charge made by a reclaimer must not call them again.
  private val asking = java.util.concurrent.ConcurrentHashMap.newKeySet[Thread]().nn

  // The earliest time of the next collection; 0 if no collection was without effect.
  private val notBefore = AtomicLong()

  /** Adds a reclaimer, unless it was added before. */
  def add(reclaimer: Reclaimer): Unit =
    if !reclaimers.iterator.asScala.exists(_.refersTo(reclaimer)) then
      val _ = reclaimers.removeIf(_.get == null)
      val _ = reclaimers.add(WeakReference(reclaimer))

  /** Calls the reclaimers until `charged` returns true: first for idle memory, then, if unreachable
    * objects may hold memory, again after a garbage collection and after waits of at most 511 ms in
    * total.
    *
    * @return
    *   the last result of `charged`
    */
  def until(missing: Long)(charged: () => Boolean): Boolean =
    val thread = Thread.currentThread
    if reclaimers.isEmpty || !asking.add(thread) then false
    else
      try reclaimed(missing, charged) || (awaitsCollection && afterCollection(missing, charged))
      finally asking.remove(thread): Unit

  private def reclaimed(missing: Long, charged: () => Boolean): Boolean =
    val iterator = reclaimers.iterator
    var done = charged()
    while !done && iterator.hasNext do
      val reclaimer = iterator.next.get
      if reclaimer != null then
        reclaimer.reclaim(missing)
        done = charged()
    done

  private def awaitsCollection: Boolean =
    reclaimers.iterator.asScala.exists: reference =>
      val reclaimer = reference.get
      reclaimer != null && reclaimer.awaitsCollection

  /** Like `java.nio.Bits.reserveMemory` for direct buffers: one collection, and waits of 1, 2, 4
    * and so on milliseconds until the cleaners have run.
    */
  private def afterCollection(missing: Long, charged: () => Boolean): Boolean =
    val collected = isDue
    if collected then Reclaiming.collect()
    var done = collected && reclaimed(missing, charged)
    var wait = if collected then 1L else Long.MaxValue
    var interrupted = false
    while !done && wait <= Reclaiming.LongestWaitMillis && !interrupted do
      try Thread.sleep(wait)
      catch
        case _: InterruptedException =>
          Thread.currentThread.interrupt()
          interrupted = true
      done = reclaimed(missing, charged)
      wait *= 2
    if collected && !done then notBefore.set(System.nanoTime + Reclaiming.PauseNanos)
    done
  end afterCollection

  /** Whether the last collection without effect for this budget was long enough ago. */
  private def isDue: Boolean =
    val time = notBefore.get
    time == 0 || System.nanoTime - time >= 0
end Reclaiming

private[memory] object Reclaiming:
  /** The longest single wait after a collection; all waits together take twice as long. */
  private val LongestWaitMillis = 256L

  /** Time after a collection without effect during which none is requested for the same budget: a
    * program whose budget is full of reachable memory must not spend its time in the collector.
    */
  private val PauseNanos = TimeUnit.SECONDS.toNanos(1)

  private val lock = ReentrantLock()

  /** Runs the garbage collector, or relies on the run of another thread. */
  private def collect(): Unit =
    if lock.tryLock() then
      try System.gc()
      finally lock.unlock()
end Reclaiming
