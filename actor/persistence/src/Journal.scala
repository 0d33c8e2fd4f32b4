package undercroft.actor
package persistence

import internal.journal.{FileJournal, JournalClient, JournalFormats}
import java.nio.file.Path
import scala.annotation.publicInBinary
import scala.concurrent.duration.FiniteDuration
import undercroft.file.format.Durability
import undercroft.file.internal.Fileable
import undercroft.struct.Struct

/** Stores the events `E` and the snapshots of the states `S` of many actors. Thread-safe.
  *
  * A journal has one thread that stores: it takes all commands that wait, appends their events and
  * makes them durable with one commit. So the more actors store at a time, the fewer times the disk
  * is forced for each event. At most one command of each actor waits.
  *
  * The journal must be closed after the system of its actors. A command that comes later fails.
  *
  * {{{
  * import java.nio.file.Files
  * val folder = Files.createTempDirectory("sums")
  * val journal = Journal.open[Added, Total](folder)
  * try println(journal.size) // 0
  * finally journal.close()
  * }}}
  */
abstract class Journal[E, S] private[persistence] () extends AutoCloseable:

  /** The number of persistence ids that have events or a snapshot. It may be obsolete at once.
    *
    * {{{
    * val journal = Journal.inMemory[Added, Total]()
    * println(journal.size) // 0
    * }}}
    */
  def size: Long

  /** Reads the events with a tag, of all persistence ids, in the order in which they were stored.
    *
    * A tag is a predicate of the event. Nothing is stored for it: the events from before it was
    * written have it, too, and it is right after a kill of the process. A tag that does not follow
    * from the event is a field of the event.
    *
    * The result reads the events that are stored now, while it is used, by one thread at a time:
    * O(1) for each event from `from` on, in memory for 1024 of them. To follow a journal, call this
    * again from the last offset + 1. Events that the [[Retention]] has deleted are left out.
    *
    * {{{
    * import undercroft.actor.*
    * def isLarge(added: Added): Boolean = added.amount >= 1000
    * val journal = Journal.inMemory[Added, Total]()
    * for stored <- journal.tagged(isLarge) do println(s"${stored.id}: ${stored.event}")
    * }}}
    *
    * @param from
    *   the least offset; 0 for all events
    * @throws JournalException
    *   if the journal is closed; the result throws it, too, also if an event is corrupt
    * @throws java.lang.IllegalArgumentException
    *   if `from` is negative
    */
  final def tagged(tag: E => Boolean, from: Long = 0): Iterator[StoredEvent[E]] =
    if from < 0 then throw IllegalArgumentException(s"from must be at least 0, but is $from")
    read(tag, from)

  private[persistence] def read(tag: E => Boolean, from: Long): Iterator[StoredEvent[E]]

  /** Stores the events of all commands that were accepted, and closes the files. Idempotent. It
    * waits for the disk: do not call it from an actor on workers.
    *
    * @throws JournalException
    *   if a file cannot be closed; answered events are durable nevertheless
    *
    * {{{
    * val journal = Journal.inMemory[Added, Total]()
    * journal.close()
    * }}}
    */
  def close(): Unit

  /** Reserves a persistence id for an actor until it stops. */
  private[persistence] def acquire(id: Long, actor: ActorRef[?]): Unit

  /** Releases a persistence id if it is this actor's. */
  private[persistence] def release(id: Long, actor: ActorRef[?]): Unit

  /** Reads the state of a persistence id, after all events that were submitted before. */
  private[persistence] def recover(id: Long, client: JournalClient[E, S]): Unit

  /** Stores events, the first of which has the number `sequence`. */
  private[persistence] def append(
      id: Long,
      sequence: Long,
      events: Vector[E],
      client: JournalClient[E, S]
  ): Unit

  /** Stores the state after the event `sequence`, later. */
  private[persistence] def snapshot(
      id: Long,
      sequence: Long,
      state: S,
      client: JournalClient[E, S]
  ): Unit

  /** Whether it has failed, so that it stores no more events until it is opened again. */
  private[undercroft] def hasFailed: Boolean = false

  /** Whether a simulation can use this journal. */
  private[persistence] def isSimulated: Boolean
end Journal

object Journal:
  /** Default for `segmentBytes`: 64 MiB. A segment is the unit of deletion; a hundred of them hold
    * some hundred million small events.
    */
  final val DefaultSegmentBytes = 67_108_864L

  /** The least and the most bytes of a segment. */
  final val MinSegmentBytes = 65_536L
  final val MaxSegmentBytes = 1_073_741_824L

  /** Opens the journal in a folder, which is created if it is absent.
    *
    * Events and snapshots are rows of struct files, which other programs can read while the journal
    * is open: see docs/guide/actor-persistence.md. Opening reads all of them once, compares them
    * with their checksums, and builds an index by persistence id of about 100 bytes for each, so
    * that the recovery of one actor reads its own events only. Rows after the last commit, which a
    * killed process may leave, are ignored.
    *
    * {{{
    * import java.nio.file.Files
    * import undercroft.actor.*
    * import undercroft.file.format.Durability
    * val folder = Files.createTempDirectory("sums")
    * val journal = Journal.open[Added, Total](folder, durability = Durability.VOLATILE)
    * try ActorSystem.scoped("sums")(spawn(counter(journal, id = 7)))
    * finally journal.close()
    * }}}
    *
    * @param durability
    *   the durability of events when their command is answered: `COMMITTED` events were forced to
    *   the disk and survive a loss of power; `VOLATILE` events were given to the operating system
    *   and survive a kill of the process, but not a loss of power
    * @throws JournalException
    *   if another journal has the folder open, if a file is cut, corrupt or missing, if it was
    *   written for types that cannot be converted to `E` and `S`, if it cannot be read, or if there
    *   is no memory for the index
    * @throws java.lang.IllegalArgumentException
    *   if `segmentBytes` is not from [[MinSegmentBytes]] to [[MaxSegmentBytes]], or the durability
    *   is `SEALED`
    */
  inline def open[E, S](
      folder: Path,
      durability: Durability = Durability.COMMITTED,
      retention: Retention = Retention.KeepAll,
      segmentBytes: Long = DefaultSegmentBytes
  )(using event: Struct[E], state: Struct[S]): Journal[E, S] =
    Fileable.check[E](event)
    Fileable.check[S](state)
    openFolder(folder, durability, retention, segmentBytes)

  @publicInBinary private[persistence] def openFolder[E, S](
      folder: Path,
      durability: Durability,
      retention: Retention,
      segmentBytes: Long
  )(using event: Struct[E], state: Struct[S]): Journal[E, S] =
    if segmentBytes < MinSegmentBytes || segmentBytes > MaxSegmentBytes then
      throw IllegalArgumentException(
        s"segmentBytes must be from $MinSegmentBytes to $MaxSegmentBytes, but is $segmentBytes"
      )
    if durability == Durability.SEALED then
      throw IllegalArgumentException("durability must be COMMITTED or VOLATILE, but is SEALED")
    FileJournal.open(folder, durability, retention, segmentBytes, JournalFormats(event, state))

  /** A journal in memory, for tests and simulations: it lasts as long as the object.
    *
    * {{{
    * import scala.concurrent.duration.*
    * val journal = Journal.inMemory[Added, Total](latency = 5.millis)
    * println(journal.size) // 0
    * }}}
    *
    * @param latency
    *   the time until events are stored, by the clock of the actor's system
    * @throws java.lang.IllegalArgumentException
    *   if `latency` is negative
    */
  def inMemory[E, S](
      latency: FiniteDuration = InMemoryJournal.NoLatency
  ): InMemoryJournal[E, S] =
    if latency.toNanos < 0 then
      throw IllegalArgumentException(s"latency must be at least 0, but is $latency")
    new InMemoryJournal[E, S](latency)
end Journal
