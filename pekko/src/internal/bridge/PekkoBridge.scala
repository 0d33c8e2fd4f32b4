package undercroft.pekko
package internal.bridge

import com.typesafe.config.Config
import java.util.Locale
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong
import org.apache.pekko.actor.typed
import org.apache.pekko.actor.typed.{Extension, ExtensionId, Props}
import org.apache.pekko.actor.typed.scaladsl.Behaviors
import org.apache.pekko.actor.typed.scaladsl.adapter.TypedActorSystemOps
import undercroft.actor.{ActorEvent, ActorRef, ActorSystem, Behavior, Reply, Run, Signal}
import undercroft.actor.{context, spawn, SpawnRejectedException}

/** The actor system of Undercroft inside a Pekko system, and the references that cross between
  * them. It starts with its first use, and ends with the Pekko system. Thread-safe.
  */
private[pekko] final class PekkoBridge(val pekko: typed.ActorSystem[?]) extends Extension:

  /** The parent of all hosted actors; its workers run their children. */
  val system: ActorSystem = ActorSystem(pekko.name, listener = report)

  /** An actor that has stopped. Spawned in advance: a system that ends spawns none. */
  private val endedLifetime: ActorRef[Unit] =
    spawn(Behavior.setup[Unit](Behavior.stopped), "ended", Run.Caller)(using system)

  pekko.whenTerminated.onComplete(_ => Thread.ofPlatform.daemon.start(() => system.close()): Unit)(
    using scala.concurrent.ExecutionContext.parasitic
  )

  /** The trace contexts of messages that go through Pekko. */
  val contexts: ContextTable = ContextTable(pekko.toClassic)
  contexts.use(system.tracing)

  PekkoBridge.splitBrainWarning(pekko.settings.config).foreach(pekko.log.warn(_))

  private def report(event: ActorEvent): Unit = event match
    case ActorEvent.Failed(actor, cause, decision) =>
      pekko.log.warn(s"$actor failed, decision $decision", cause)
    case event => ActorEvent.log(event)

  // ---- actors of Undercroft, seen by Pekko

  private val addresses = ConcurrentHashMap[ActorRef[Nothing], typed.ActorRef[Nothing]]()
  private val actors = ConcurrentHashMap[typed.ActorRef[Nothing], ActorRef[Nothing]]()

  /** A hosted actor has the address of its host. */
  def host(ref: ActorRef[Nothing], address: typed.ActorRef[Nothing]): Unit =
    addresses.put(ref, address): Unit
    actors.put(address, ref): Unit

  def release(ref: ActorRef[Nothing]): Unit =
    val address = addresses.remove(ref)
    // A host that Pekko has restarted has another actor at the same address.
    if address ne null then actors.remove(address, ref): Unit

  /** The reference of Undercroft: the actor itself, if it has its address from this bridge. */
  def toUndercroft[T](ref: typed.ActorRef[T]): ActorRef[T] =
    val actor = actors.get(ref)
    if actor ne null then actor.asInstanceOf[ActorRef[T]] else PekkoRef(ref, this)

  /** The Pekko reference of an actor or a reply: its host's, for a reply of another node that of
    * the asker, or else that of a forwarder, which stops when the actor stops or the ask ends.
    */
  def toPekko[T](ref: ActorRef[T]): typed.ActorRef[T] = ref match
    case remote: PekkoRef[T] @unchecked => remote.underlying
    case reply: Reply[?] =>
      val asker = reply.passesTo
      if asker ne null then toPekko[T](asker) else hostOrForwarder(ref)
    case _ => hostOrForwarder(ref)

  private def hostOrForwarder[T](ref: ActorRef[T]): typed.ActorRef[T] =
    val known = addresses.get(ref)
    val address = if known ne null then known else forwarder(ref)
    address.unsafeUpcast[Any].narrow[T]

  /** The number of forwarders that were created: Pekko refuses a name that is in use. */
  private val forwarders = AtomicLong(0)

  private def forwarder(ref: ActorRef[?]): typed.ActorRef[Nothing] =
    val target = ref.asInstanceOf[ActorRef[Any]]
    val name = s"undercroft-${forwarders.incrementAndGet()}"
    val created = pekko.systemActorOf(Forwarder(target, contexts), name, Props.empty)
    val other = addresses.putIfAbsent(target, created)
    if other ne null then
      created ! Forwarder.Stop
      other
    else
      actors.put(created, target): Unit
      target match
        case reply: Reply[?] =>
          reply.onRelease { () =>
            release(reply)
            created ! Forwarder.Stop
          }
        case _: PekkoEntity[?] => () // it has no end
        case _                 => watchers ! Watch(target, created)
      created

  private val deliveries = AtomicLong(0)

  /** A Pekko actor for a delivery, which waits for its [[DeliveryHost]]. */
  def spawnDelivery(): typed.ActorRef[Any] =
    val name = s"undercroft-delivery-${deliveries.incrementAndGet()}"
    pekko.systemActorOf(DeliveryHost.waiting, name, Props.empty)

  private final class Watch(val ref: ActorRef[Nothing], val forwarder: typed.ActorRef[Any])

  /** Ends forwarders when their actors have stopped. */
  private lazy val watchers: ActorRef[Watch] =
    spawn(
      Behavior.setup[Watch]:
        var forwarders = Map.empty[ActorRef[Nothing], typed.ActorRef[Any]]
        Behavior
          .receive[Watch] { watch =>
            forwarders = forwarders.updated(watch.ref, watch.forwarder)
            context.watch(watch.ref)
            Behavior.same
          }
          .onSignal { case Signal.Terminated(ref, _) =>
            release(ref)
            forwarders.get(ref).foreach(_ ! Forwarder.Stop)
            forwarders = forwarders.removed(ref)
            Behavior.same
          }
      ,
      "forwarders"
    )(using system)

  // ---- actors of Pekko, seen by Undercroft

  private val lifetimes = ConcurrentHashMap[typed.ActorRef[Nothing], ActorRef[Unit]]()

  /** An actor that stops when Pekko reports that `ref` has stopped; one that has stopped if the
    * Pekko system ends.
    */
  def lifetime(ref: typed.ActorRef[Nothing]): ActorRef[Unit] =
    try
      val watcher = terminations
      lifetimes.computeIfAbsent(ref, _ => begunLifetime(ref, watcher))
    catch
      // Pekko ends, and all its actors: it creates no watcher, or this system spawns no actor.
      case _: (IllegalStateException | SpawnRejectedException) => endedLifetime

  private def begunLifetime(
      ref: typed.ActorRef[Nothing],
      watcher: typed.ActorRef[typed.ActorRef[Nothing]]
  ): ActorRef[Unit] =
    val actor =
      spawn(Behavior.receive[Unit](_ => Behavior.stopped), ref.path.toString)(using system)
    watcher ! ref
    actor

  private lazy val terminations: typed.ActorRef[typed.ActorRef[Nothing]] =
    pekko.systemActorOf(
      Behaviors
        .receive[typed.ActorRef[Nothing]] { (context, ref) =>
          context.watch(ref)
          Behaviors.same
        }
        .receiveSignal { case (_, typed.Terminated(ref)) =>
          val actor = lifetimes.remove(ref)
          if actor ne null then actor ! ()
          Behaviors.same
        },
      "undercroft-terminations",
      Props.empty
    )
end PekkoBridge

private[pekko] object PekkoBridge extends ExtensionId[PekkoBridge]:
  /** A warning for a cluster whose nodes may all continue after a partition. */
  def splitBrainWarning(config: Config): Option[String] =
    val isCluster =
      config.getString("pekko.actor.provider").nn.toLowerCase(Locale.ROOT).contains("cluster")
    val downing = config.getString("pekko.cluster.downing-provider-class").nn
    Option.when(isCluster && downing.isBlank):
      "the cluster has no split brain resolver: after a partition an entity may run on both sides." +
        " Set pekko.cluster.downing-provider-class, or include \"undercroft-cluster\""

  def createExtension(system: typed.ActorSystem[?]): PekkoBridge = new PekkoBridge(system)
