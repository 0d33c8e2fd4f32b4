package undercroft.memory

/** What the JVM's flight recorder is told of memory: nothing until it is started.
  *
  * Loading a class of events costs 65 ms, so that waits until there is a recorder; before, hot
  * paths read one field. A runtime without the module `jdk.jfr` never gets that far.
  */
private[memory] object Flight:
  // Read without a fence on hot paths: the recorder's start is seen soon, not at once.
  private var events: FlightEvents | Null = null

  if ModuleLayer.boot.findModule("jdk.jfr").isPresent then FlightEvents.awaitRecorder()

  /** The recorder is there: from now on events are made, if a recording wants them. */
  def started(): Unit = events = FlightEvents()

  /** Whether a recording wants regions now. */
  def wantsRegions: Boolean =
    val e = events
    e != null && e.wantsRegions

  /** A region was opened: an event that waits for [[regionClosed]]. */
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
      event.region = Owners.name(number)
      event.owner = owner
      event.bytes = bytes
      event.shared = shared
      event.commit()

  /** The page pool took memory from the system, or gave some back where `bytes` is negative. */
  def poolChanged(bytes: Long): Unit =
    val e = events
    if e != null then e.poolChanged(bytes)

  /** A budget did not hold what was asked of it. */
  def budgetExceeded(budget: String, asked: Long, available: Long): Unit =
    val e = events
    if e != null then e.budgetExceeded(budget, asked, available)
end Flight
