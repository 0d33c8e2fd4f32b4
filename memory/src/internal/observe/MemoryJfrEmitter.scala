package undercroft.memory
package internal.observe

import jdk.jfr.{FlightRecorder, FlightRecorderListener}

/** Creates the events of [[MemoryJfr]]. Loading this class loads the recorder's classes. */
private[memory] final class MemoryJfrEmitter:
  private val region = RegionEvent()

  def wantsRegions: Boolean = region.isEnabled

  def poolChanged(bytes: Long, heldBytes: Long): Unit =
    if bytes > 0 then
      val event = PoolGrowthEvent()
      if event.shouldCommit then
        event.bytes = bytes
        event.heldBytes = heldBytes
        event.commit()
    else
      val event = PoolReturnEvent()
      if event.shouldCommit then
        event.bytes = -bytes
        event.heldBytes = heldBytes
        event.commit()

  def budgetExceeded(budget: String, requestedBytes: Long, available: Long): Unit =
    val event = BudgetExceededEvent()
    if event.shouldCommit then
      event.budget = budget
      event.asked = requestedBytes
      event.available = available
      event.commit()
end MemoryJfrEmitter

private[memory] object MemoryJfrEmitter:
  /** Notifies [[MemoryJfr]] when the recorder starts, or at once if it has started. */
  def awaitRecorder(): Unit =
    JfrRecorder.addListener:
      new FlightRecorderListener:
        override def recorderInitialized(recorder: FlightRecorder): Unit =
          JfrRecorder.addPeriodicEvent(classOf[MemoryEvent], () => memory())
          JfrRecorder.addPeriodicEvent(classOf[OwnerEvent], () => owners())
          JfrRecorder.addPeriodicEvent(classOf[LeakEvent], () => leaks())
          MemoryJfr.started()

  private def memory(): Unit =
    val report = Ledger.report()
    val event = MemoryEvent()
    event.liveBytes = report.liveBytes
    event.peakBytes = report.peakBytes
    event.idleBytes = report.idleBytes
    event.limitBytes = report.limitBytes
    event.commit()

  private def owners(): Unit =
    for row <- Ledger.report().rows do
      val event = OwnerEvent()
      event.owner = row.name
      event.liveBytes = row.liveBytes
      event.peakBytes = row.peakBytes
      event.liveCount = row.liveCount
      event.totalCount = row.totalCount
      event.commit()

  private def leaks(): Unit =
    for leak <- Ledger.leaks() do
      val event = LeakEvent()
      event.owner = leak.owner
      event.bytes = leak.bytes
      event.site = leak.site.mkString("\n")
      event.commit()
end MemoryJfrEmitter
