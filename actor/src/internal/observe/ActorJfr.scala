package undercroft.actor
package internal.observe

import internal.cell.ActorCell

/** Reports actor events to the JVM's flight recorder (JFR); does nothing until a recording starts.
  * It does not load JFR classes if the runtime lacks the module `jdk.jfr`.
  */
private[actor] object ActorJfr:
  @volatile private var events: ActorJfrEmitter | Null = null

  /** The running systems, for the periodic event. */
  private val systems =
    java.util.Collections.newSetFromMap(java.util.WeakHashMap[ActorSystem, java.lang.Boolean]())

  if ModuleLayer.boot.findModule("jdk.jfr").isPresent then ActorJfrEmitter.awaitRecorder()

  /** The recorder was started. */
  def started(emitter: ActorJfrEmitter): Unit = events = emitter

  def begun(system: ActorSystem): Unit = systems.synchronized(systems.add(system): Unit)
  def ended(system: ActorSystem): Unit = systems.synchronized(systems.remove(system): Unit)
  def all: List[ActorSystem] =
    systems.synchronized(systems.toArray(Array.empty[ActorSystem]).toList)

  /** Records an event that a system also passes to its listener. */
  def told(event: ActorEvent): Unit =
    val e = events
    if e != null then e.told(event)

  /** Records a handler that took `nanos`. */
  def slow(cell: ActorCell[?], nanos: Long): Unit =
    val e = events
    if e != null then e.slow(cell, nanos)
end ActorJfr
