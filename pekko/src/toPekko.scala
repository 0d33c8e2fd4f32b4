package undercroft.pekko

import internal.bridge.{PekkoBridge, PekkoEntity, PekkoHost}
import org.apache.pekko.actor.typed
import org.apache.pekko.actor.typed.DispatcherSelector
import org.apache.pekko.cluster.sharding.typed.scaladsl.EntityRef
import org.apache.pekko.util.ByteString as PekkoByteString
import undercroft.actor.{ActorRef, ActorSystem, Behavior, Mailbox, Run}
import undercroft.buffer.ByteString

extension [T](behavior: Behavior[T])

  /** The behavior as one of Pekko: for `spawn` of a Pekko actor, as a guardian, or as an entity of
    * Cluster Sharding. Each Pekko actor runs an actor of its own with this behavior.
    *
    * Setup, signals, timers, stash, supervision and asks keep Undercroft's meaning; the page
    * docs/howto/pekko.md has a table. If the actor stops by a failure, the Pekko actor fails with
    * the same exception, and Pekko's supervision decides.
    *
    * Cost: a Pekko actor, two of Undercroft (some hundred bytes), and a turn for each message.
    *
    * {{{
    * import org.apache.pekko.actor.typed
    * import undercroft.actor.Behavior
    * def counter(count: Int): Behavior[Int] = Behavior.receive(n => counter(count + n))
    * def start(): typed.ActorSystem[Int] = typed.ActorSystem(counter(0).toPekko(), "counter")
    * }}}
    *
    * @param mailbox
    *   the limit of the messages that wait while the actor is paused or muted; Pekko's own mailbox
    *   is in front of it. Messages beyond the limit are dead letters
    * @throws java.lang.IllegalArgumentException
    *   if the mailbox's overflow strategy is back-pressure, which would block the actor itself
    */
  def toPekko(mailbox: Mailbox = Mailbox.default): typed.Behavior[T] =
    PekkoHost.requireAllowed(mailbox)
    PekkoHost(behavior, mailbox).narrow[T]
end extension

extension [T](ref: ActorRef[T])

  /** A reference for Pekko actors, on this node and on others. An actor that Pekko hosts has its
    * host's, and a [[undercroft.actor.Reply]] to another node that of the asker. Any other actor or
    * reply gets a Pekko actor that forwards to it, until it stops or the ask ends. An entity has no
    * end: its forwarding actor remains as long as the actor system, so send entities by their
    * `EntityRef`. Thread-safe.
    *
    * {{{
    * import org.apache.pekko.actor.typed
    * import undercroft.actor.ActorRef
    * def register(service: ActorRef[Int], registry: typed.ActorRef[typed.ActorRef[Int]])(using
    *     typed.ActorSystem[?]
    * ): Unit = registry ! service.toPekko
    * }}}
    */
  def toPekko(using system: typed.ActorSystem[?]): typed.ActorRef[T] =
    PekkoBridge(system).toPekko(ref)

extension [T](ref: typed.ActorRef[T])

  /** The Pekko actor as an actor of Undercroft: send, watch and ask as usual. It cannot be linked.
    * `isStopped` is false until Pekko has reported that the actor has stopped or that its node was
    * removed; the first call begins to watch it, for this reference. Take the reference once and
    * keep it: for a hosted actor of this node that has begun it is the actor itself, whose messages
    * may overtake those through Pekko. Thread-safe.
    *
    * {{{
    * import org.apache.pekko.actor.typed
    * import scala.concurrent.duration.*
    * import undercroft.actor.{Reply, ask}
    * def size(storage: typed.ActorRef[Reply[Long]])(using typed.ActorSystem[?]): Long =
    *   storage.toUndercroft.ask[Long](1.second)(reply => reply)
    * }}}
    */
  def toUndercroft(using system: typed.ActorSystem[?]): ActorRef[T] =
    PekkoBridge(system).toUndercroft(ref)

extension [T](entity: EntityRef[T])

  /** The entity of Cluster Sharding as an actor of Undercroft: a sender does not know the node. It
    * cannot be watched or linked, as it may move to another node, and `isStopped` is always false:
    * its next message starts it again. Thread-safe.
    *
    * {{{
    * import org.apache.pekko.actor.typed
    * import org.apache.pekko.cluster.sharding.typed.scaladsl.{ClusterSharding, EntityTypeKey}
    * import undercroft.actor.ActorRef
    * val accounts = EntityTypeKey[Int]("account")
    * def account(number: Int)(using system: typed.ActorSystem[?]): ActorRef[Int] =
    *   ClusterSharding(system).entityRefFor(accounts, s"account-$number").toUndercroft
    * }}}
    */
  def toUndercroft(using system: typed.ActorSystem[?]): ActorRef[T] =
    PekkoEntity(entity, PekkoBridge(system))

extension (bytes: ByteString)
  /** The same bytes as a byte string of Pekko, which shares their array. Thread-safe. A snapshot of
    * a buffer of 64 KiB or more is copied, because its segments return to their pool.
    *
    * {{{
    * import undercroft.buffer.ByteString
    * println(ByteString.utf8("price").toPekko.utf8String) // price
    * }}}
    */
  def toPekko: PekkoByteString = PekkoByteString.fromArrayUnsafe(bytes.array)

extension (bytes: PekkoByteString)
  /** The same bytes as a byte string of `undercroft-buffer`, which shares their array. Thread-safe.
    * A part of a longer byte string, or a concatenation, is copied once.
    *
    * {{{
    * import org.apache.pekko.util.ByteString
    * println(ByteString("price").toUndercroft.hex) // 7072696365
    * }}}
    */
  def toUndercroft: ByteString = ByteString.wrap(bytes.toArrayUnsafe())

extension (pekko: typed.ActorSystem[?])

  /** The actor system of Undercroft in which this Pekko system runs its hosted actors: for its
    * audit, snapshots and metrics. It starts with its first use and ends with the Pekko system; a
    * program does not close it. Thread-safe.
    *
    * {{{
    * import org.apache.pekko.actor.typed
    * def failures(node: typed.ActorSystem[?]): Long = node.undercroftSystem.observe.audit.failed
    * }}}
    */
  def undercroftSystem: ActorSystem = PekkoBridge(pekko).system
end extension

extension (runs: Run.type)

  /** A run model: on a dispatcher of a Pekko system.
    *
    * {{{
    * import org.apache.pekko.actor.typed
    * import org.apache.pekko.actor.typed.DispatcherSelector
    * import undercroft.actor.{ActorRef, ActorScope, Behavior, Run, spawn}
    * def printer(using ActorScope, typed.ActorSystem[?]): ActorRef[String] =
    *   val behavior = Behavior.receive[String]: line =>
    *     println(line)
    *     Behavior.same
    *   spawn(behavior, run = Run.Pekko(DispatcherSelector.blocking()))
    * }}}
    */
  def Pekko(selector: DispatcherSelector = DispatcherSelector.default())(using
      system: typed.ActorSystem[?]
  ): Run =
    val _ = runs
    Run.On(system.dispatchers.lookup(selector))
end extension
