package undercroft.memory
package internal.observe

import internal.cage.OwnerNames

/** Emits memory events to JDK Flight Recorder; does nothing until it is started.
  *
  * Loading an event class costs 65 ms, so it is deferred until a recorder exists; before that hot
  * paths read one field. A runtime without the module `jdk.jfr` never loads them.
  */
private[memory] object MemoryJfr:
  // Read without a fence on hot paths: the start of the recorder is seen soon, not at once.
  private var events: MemoryJfrEmitter | Null = null

  if ModuleLayer.boot.findModule("jdk.jfr").isPresent then MemoryJfrEmitter.awaitRecorder()

  /** Called when the recorder exists: from now on events are created if a recording wants them. */
  def started(): Unit = events = MemoryJfrEmitter()

  /** Whether a recording wants region events now. */
  def wantsRegions: Boolean =
    val e = events
    e != null && e.wantsRegions

  /** Begins the event of a region, which [[regionClosed]] ends. */
  def regionOpened(): RegionEvent =
    val event = RegionEvent()
    event.begin()
    event

  def regionClosed(
      event: RegionEvent,
      number: Long,
      owner: String,
      bytes: Long,
      shared: Boolean
  ): Unit =
    event.end()
    if event.shouldCommit then
      event.region = OwnerNames.name(number)
      event.owner = owner
      event.bytes = bytes
      event.shared = shared
      event.commit()

  /** The page pool committed memory or, if `bytes` is negative, returned some; it now holds
    * `heldBytes`.
    */
  def poolChanged(bytes: Long, heldBytes: Long): Unit =
    val e = events
    if e != null then e.poolChanged(bytes, heldBytes)

  /** A budget rejected a charge. */
  def budgetExceeded(budget: String, requestedBytes: Long, available: Long): Unit =
    val e = events
    if e != null then e.budgetExceeded(budget, requestedBytes, available)
end MemoryJfr
