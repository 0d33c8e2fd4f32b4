package undercroft.actor
package persistence

import internal.journal.{JournalClient, LiveActors, RecoveredPart}
import scala.collection.mutable
import scala.concurrent.duration.{DurationInt, FiniteDuration}

/** A journal in memory, for tests and simulations. Thread-safe.
  *
  * Events are stored when the command is handled, or `latency` later by the clock of the system,
  * which in a simulation is simulated time. It lasts as long as the object, so a test can stop a
  * system and recover its actors in another one.
  *
  * {{{
  * import undercroft.actor.*
  * import undercroft.actor.testkit.*
  * simulate(seeds = 10):
  *   val journal = Journal.inMemory[Added, Total]()
  *   val probe = Probe[Long]()
  *   val actor = spawn(counter(journal, id = 7))
  *   for n <- 1L to 3L do actor ! Add(n, probe.ref)
  *   simulation.runUntilIdle()
  *   println(journal.events(7).size) // 3
  * }}}
  */
final class InMemoryJournal[E, S] private[persistence] (latency: FiniteDuration)
    extends Journal[E, S]:
  private final class Entry:
    val events = mutable.ArrayBuffer[E]()
    var snapshot: Option[(Long, S)] = None

  private val entries = mutable.HashMap[Long, Entry]()
  private val stored = mutable.ArrayBuffer[StoredEvent[E]]()
  private val actors = LiveActors("the journal in memory")
  private var failing: Option[JournalException.Kind] = None
  private var isClosed = false

  /** The events of a persistence id, in their order.
    *
    * {{{
    * val journal = Journal.inMemory[Added, Total]()
    * println(journal.events(7)) // Vector()
    * }}}
    */
  def events(id: Long): Vector[E] =
    synchronized(entries.get(id).fold(Vector.empty)(_.events.toVector))

  /** The newest snapshot of a persistence id, with its number of events.
    *
    * {{{
    * val journal = Journal.inMemory[Added, Total]()
    * println(journal.snapshot(7)) // None
    * }}}
    */
  def snapshot(id: Long): Option[(Long, S)] = synchronized(entries.get(id).flatMap(_.snapshot))

  /** Lets all appends fail with a kind of error until it is called with None.
    *
    * {{{
    * val journal = Journal.inMemory[Added, Total]()
    * journal.failAppends(Some(JournalException.Kind.NoSpace)) // as a full disk
    * journal.failAppends(None)
    * }}}
    */
  def failAppends(kind: Option[JournalException.Kind]): Unit = synchronized { failing = kind }

  def size: Long = synchronized(entries.size.toLong)
  def close(): Unit = synchronized { isClosed = true }

  private[persistence] def isSimulated: Boolean = true

  private def requireOpen(): Unit =
    if isClosed then throw JournalException.closed("the journal in memory")

  private[persistence] def acquire(id: Long, actor: ActorRef[?]): Unit =
    synchronized(requireOpen())
    actors.acquire(id, actor)

  private[persistence] def release(id: Long, actor: ActorRef[?]): Unit = actors.release(id, actor)

  private[persistence] def recover(id: Long, client: JournalClient[E, S]): Unit =
    synchronized(requireOpen())
    client.after(latency.toNanos)(client.recovered(whole(id)))

  private def whole(id: Long): RecoveredPart[E, S] = synchronized:
    val entry = entries.getOrElse(id, Entry())
    val base = entry.snapshot.fold(0L)(_._1)
    val rest = entry.events.drop(base.toInt).toVector
    new RecoveredPart(entry.snapshot.map(_._2), base, rest, isLast = true):
      def next(): Unit = ()

  private[persistence] def append(
      id: Long,
      sequence: Long,
      events: Vector[E],
      client: JournalClient[E, S]
  ): Unit =
    synchronized(requireOpen())
    client.after(latency.toNanos):
      val failure = synchronized(store(id, sequence, events))
      failure match
        case Some(error) => client.appendFailed(error)
        case None        => client.appended()

  private[persistence] def read(tag: E => Boolean, from: Long): Iterator[StoredEvent[E]] =
    val until = synchronized:
      requireOpen()
      stored.size
    Iterator
      .range(from.min(until).toInt, until)
      .map(i => synchronized(stored(i)))
      .filter(event => tag(event.event))

  private def store(id: Long, sequence: Long, events: Vector[E]): Option[JournalException] =
    val entry = entries.getOrElse(id, Entry())
    failing match
      case Some(kind) =>
        Some(JournalException(s"the journal in memory was told to fail with $kind", kind))
      case None if sequence != entry.events.size + 1 =>
        Some(
          JournalException(
            s"event $sequence of the persistence id $id follows event ${entry.events.size}",
            JournalException.Kind.Rejected
          )
        )
      case None =>
        for (event, i) <- events.iterator.zipWithIndex do
          stored += StoredEvent(stored.size, id, sequence + i, event)
        entry.events ++= events
        entries(id) = entry
        None

  private[persistence] def snapshot(
      id: Long,
      sequence: Long,
      state: S,
      client: JournalClient[E, S]
  ): Unit = synchronized:
    for entry <- entries.get(id) do entry.snapshot = Some((sequence, state))
end InMemoryJournal

private[persistence] object InMemoryJournal:
  val NoLatency: FiniteDuration = 0.seconds
