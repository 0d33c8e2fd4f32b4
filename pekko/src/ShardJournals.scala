package undercroft.pekko

import internal.bridge.PekkoHost
import internal.lease.{EntityHost, ShardFolders, ShardLeases}
import java.nio.file.Path
import org.apache.pekko.Done
import org.apache.pekko.actor.CoordinatedShutdown
import org.apache.pekko.actor.typed
import org.apache.pekko.cluster.sharding.typed.ClusterShardingSettings
import scala.annotation.publicInBinary
import scala.concurrent.duration.{DurationInt, FiniteDuration}
import undercroft.actor.{Behavior, Mailbox}
import undercroft.actor.persistence.{Journal, Retention}
import undercroft.file.format.Durability
import undercroft.struct.Struct

/** The journals of the entities of one type: one for each shard, in a folder that every node
  * reaches. Thread-safe.
  *
  * A node has the journal of a shard open while entities of the shard run on it: the first one
  * opens it, and the last one closes it when it stops. Two nodes never have it open at a time,
  * because a journal locks its folder. So an entity that moves to another node waits there until
  * the former node has closed the journal or has ended; its messages wait, too. Then it recovers
  * its state.
  *
  * Create one for each entity type and actor system, on each node:
  *
  * {{{
  * import java.nio.file.Path
  * import org.apache.pekko.actor.typed
  * import org.apache.pekko.cluster.sharding.typed.scaladsl.{ClusterSharding, Entity, EntityTypeKey}
  * import undercroft.actor.{ActorRef, Behavior}
  * import undercroft.actor.persistence.{Effect, Journal, Persistent}
  * import undercroft.struct.Struct
  * final case class Added(amount: Long) derives Struct
  * final case class Total(sum: Long) derives Struct
  * def counter(journal: Journal[Added, Total], id: Long): Behavior[Long] =
  *   Persistent(journal, id, Total(0))(
  *     command = (total, amount) => Effect.persist(Added(amount)),
  *     event = (total, added) => Total(total.sum + added.amount)
  *   )
  * val counters = EntityTypeKey[Long]("Counter")
  * def openCounters(folder: Path)(using system: typed.ActorSystem[?]): Unit =
  *   val journals = ShardJournals.open[Added, Total](folder)
  *   ClusterSharding(system).init(Entity(counters)(entity =>
  *     journals.entity(journal => counter(journal, entity.entityId.toLong))
  *   ))
  * }}}
  */
final class ShardJournals[E, S] private (leases: ShardLeases[E, S]):

  /** The behavior of an entity, which waits until the journal of its shard is open.
    *
    * Messages that arrive meanwhile are stashed, at most 100 000; further ones are dead letters of
    * Pekko, and so are the stashed ones if the entity fails or is stopped before it handles them. A
    * persistent behavior gets them as its own stash has room, so its `stashLimit` may be lower. A
    * reliable delivery keeps its messages until the journal is open. If the journal cannot be
    * opened, the entity fails with the [[undercroft.actor.persistence.JournalException]], and its
    * next message starts it again; so it does with an IOException if the folder was deleted, moved
    * or unmounted since `open`. An actor outside Cluster Sharding fails with an
    * IllegalStateException. Opening and closing are done by threads of their own.
    *
    * If an open journal fails, for example because its file was replaced, an entity fails at its
    * next event, unless the effect handles the failure, and the next entity of the shard that
    * starts opens the journal again. The other entities keep the journal that was closed, so each
    * of them fails at its next event, too, and starts again with the new one. An effect that
    * handles the failure must throw it again if its kind is `Failed` or `Closed`, and supervision
    * must stop the entity for these errors: it keeps the closed journal otherwise.
    *
    * @param behavior
    *   creates the behavior, usually a `Persistent` one; called on the entity's thread
    * @param mailbox
    *   as for `toPekko`; its overflow strategy applies when the messages that waited for the
    *   journal have been passed on
    * @throws java.lang.IllegalArgumentException
    *   if the mailbox's overflow strategy is back-pressure
    */
  def entity[C](
      behavior: Journal[E, S] => Behavior[C],
      mailbox: Mailbox = Mailbox.default
  ): typed.Behavior[C] =
    PekkoHost.requireAllowed(mailbox)
    EntityHost(leases, mailbox, behavior).narrow[C]

  /** The shards whose journals are open here. It may be obsolete at once. */
  def openShards: Set[String] = leases.open
end ShardJournals

object ShardJournals:
  /** Default for `patience`: longer than the split brain resolver takes to stop a node. */
  val DefaultPatience: FiniteDuration = 2.minutes

  /** Uses the journals in a folder, which is created if it is absent: one folder for each shard.
    * The journals are closed when the actor system stops, after its entities.
    *
    * The number of shards is a part of the data: with another number an entity would be in another
    * shard, without its events. So the folder has the number in the file `shards`, and another
    * number is refused. The file is read again before each journal is opened, so a folder that was
    * unmounted meanwhile is an error and not an empty one.
    *
    * @param shards
    *   the number of shards; 0 for the configured one, `pekko.cluster.sharding.number-of-shards`.
    *   The message extractor of the entity type must have the same number
    * @param durability
    *   as for `Journal.open`
    * @param retention
    *   as for `Journal.open`. A node that opens a journal reads all its events, so an entity that
    *   moves waits less with `SinceSnapshot`
    * @param segmentBytes
    *   as for `Journal.open`
    * @param patience
    *   the longest time to wait for a journal that another node has open
    * @throws java.lang.IllegalStateException
    *   if this actor system has opened the folder already, for example for each entity
    * @throws java.lang.IllegalArgumentException
    *   if the folder was written with another number of shards, `shards` or `patience` is negative
    * @throws java.io.IOException
    *   if the folder cannot be created or read
    */
  inline def open[E, S](
      folder: Path,
      shards: Int = 0,
      durability: Durability = Durability.COMMITTED,
      retention: Retention = Retention.KeepAll,
      segmentBytes: Long = Journal.DefaultSegmentBytes,
      patience: FiniteDuration = DefaultPatience
  )(using system: typed.ActorSystem[?], event: Struct[E], state: Struct[S]): ShardJournals[E, S] =
    create(folder, shards, patience)(path =>
      Journal.open[E, S](path, durability, retention, segmentBytes)
    )

  @publicInBinary private[pekko] def create[E, S](
      folder: Path,
      shards: Int,
      patience: FiniteDuration
  )(open: Path => Journal[E, S])(using system: typed.ActorSystem[?]): ShardJournals[E, S] =
    if shards < 0 then throw IllegalArgumentException(s"shards must be at least 0, but is $shards")
    if patience.toNanos < 0 then
      throw IllegalArgumentException(s"patience must be at least 0, but is $patience")
    val count = if shards > 0 then shards else ClusterShardingSettings(system).numberOfShards
    val leases = ShardLeases(ShardFolders.open(folder, count, system), open, patience.toNanos)
    CoordinatedShutdown(system).addTask(
      CoordinatedShutdown.PhaseBeforeActorSystemTerminate,
      s"close the journals in $folder"
    )(() => leases.closed.map(_ => Done)(using system.executionContext))
    new ShardJournals(leases)
  end create
end ShardJournals
