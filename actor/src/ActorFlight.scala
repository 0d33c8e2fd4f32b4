package undercroft.actor

/** What the JVM's flight recorder is told of actors: nothing until it is started. A runtime without
  * the module `jdk.jfr` never gets that far.
  */
private[actor] object ActorFlight:
  @volatile private var events: ActorEvents | Null = null

  /** The systems there are, for what is told from time to time. */
  private val systems =
    java.util.Collections.newSetFromMap(java.util.WeakHashMap[ActorSystem, java.lang.Boolean]())

  if ModuleLayer.boot.findModule("jdk.jfr").isPresent then ActorEvents.awaitRecorder()

  /** The recorder is there. */
  def started(made: ActorEvents): Unit = events = made

  def begun(system: ActorSystem): Unit = systems.synchronized(systems.add(system): Unit)
  def ended(system: ActorSystem): Unit = systems.synchronized(systems.remove(system): Unit)
  def all: List[ActorSystem] =
    systems.synchronized(systems.toArray(Array.empty[ActorSystem]).toList)

  /** A system tells its listener. */
  def told(event: Event): Unit =
    val e = events
    if e != null then e.told(event)

  /** A turn took so long. */
  def slow(cell: Cell[?], nanos: Long): Unit =
    val e = events
    if e != null then e.slow(cell, nanos)
end ActorFlight
