package undercroft.actor

import java.util.concurrent.ConcurrentHashMap
import internal.cell.ActorCell

/** A name under which actors for messages of one type are registered. Keys with equal names are
  * equal: use one message type per name.
  *
  * {{{
  * val printers = ServiceKey[String]("printers")
  * println(printers == ServiceKey[String]("printers")) // true
  * }}}
  */
final case class ServiceKey[T](name: String) derives CanEqual

/** The actors registered under a key, in the order of registration.
  *
  * {{{
  * import undercroft.actor.*
  * val printers = ServiceKey[String]("printers")
  * val client: Behavior[Listing[String]] = Behavior.receive: listing =>
  *   for printer <- listing.refs do printer ! "a page"
  *   Behavior.same
  * ActorSystem.scoped("office")(Registry().subscribe(printers, spawn(client)))
  * }}}
  */
final case class Listing[T](key: ServiceKey[T], refs: Vector[ActorRef[T]]) derives CanEqual

/** Finds actors by key. Thread-safe; an actor of its own removes the actors that stop.
  *
  * A registered actor is found at once. A stopped actor is still found until the registry is
  * notified, which is soon; a message to it is a dead letter.
  *
  * {{{
  * import undercroft.actor.*
  * val printers = ServiceKey[String]("printers")
  * ActorSystem.scoped("office"):
  *   val registry = Registry()
  *   registry.register(printers, spawn(Behavior.ignore[String], "laser"))
  *   println(registry.find(printers)) // Vector(laser)
  * }}}
  */
final class Registry private (actor: ActorRef[Registry.Change], members: Registry.Table):

  /** Registers an actor under a key. Idempotent.
    *
    * @throws java.lang.IllegalArgumentException
    *   if `ref` is the reply reference of an `ask`, or cannot be watched: an entity of a cluster,
    *   or an actor of a simulated node
    * @throws java.lang.IllegalStateException
    *   if the registry has stopped
    * @throws MailboxFullException
    *   if more changes wait than the mailbox of the registry's actor holds; nothing is changed then
    */
  def register[T](key: ServiceKey[T], ref: ActorRef[T]): Unit =
    val _ = enter(key, ref, isAlone = false)

  /** Registers an actor under a key if there is none yet; returns whether it did.
    *
    * {{{
    * import undercroft.actor.*
    * val leader = ServiceKey[String]("leader")
    * ActorSystem.scoped("office"):
    *   val registry = Registry()
    *   println(registry.registerUnique(leader, spawn(Behavior.ignore[String]))) // true
    *   println(registry.registerUnique(leader, spawn(Behavior.ignore[String]))) // false
    * }}}
    */
  def registerUnique[T](key: ServiceKey[T], ref: ActorRef[T]): Boolean =
    enter(key, ref, isAlone = true)

  private def enter[T](key: ServiceKey[T], ref: ActorRef[T], isAlone: Boolean): Boolean =
    requireWatchable(key, ref)
    requireRuns()
    change(key, Registry.Change.Entered(key, ref)): entries =>
      if entries.exists(_.ref == ref) || (isAlone && entries.nonEmpty) then entries
      else entries :+ Member(entries.lastOption.fold(0)(_.number + 1), ref)

  /** Removes an actor from a key.
    *
    * {{{
    * import undercroft.actor.*
    * val printers = ServiceKey[String]("printers")
    * ActorSystem.scoped("office"):
    *   val (registry, laser) = (Registry(), spawn(Behavior.ignore[String]))
    *   registry.register(printers, laser)
    *   registry.deregister(printers, laser)
    *   println(registry.find(printers)) // Vector()
    * }}}
    *
    * @throws MailboxFullException
    *   as [[register]]
    */
  def deregister[T](key: ServiceKey[T], ref: ActorRef[T]): Unit =
    requireActor(key, ref)
    val _ = change(key, Registry.Change.Left(key))(_.filterNot(_.ref == ref))

  /** Changes the actors under a key; returns whether `body` changed them. Sends the change under
    * the lock of the key: changes of one key are sent in their order, and if the mailbox is full,
    * nothing is changed. No step of a simulation comes between, which could change the key.
    */
  private def change(key: ServiceKey[?], notice: Registry.Change)(
      body: Vector[Member[?]] => Vector[Member[?]]
  ): Boolean =
    var isChanged = false
    inOneStep:
      members.compute(
        key,
        (_, entries) =>
          val before = if entries == null then Vector() else entries
          val after = body(before)
          isChanged = after.size != before.size
          if isChanged && !actor.isStopped then actor.tell(notice)
          if after.isEmpty then null else after
      ): Unit
    isChanged

  private def inOneStep(body: => Unit): Unit = actor match
    case cell: ActorCell[?] => cell.system.engine.inOneStep(body)
    case _                  => body

  /** Returns the actors registered under a key, in the order of registration.
    *
    * {{{
    * import undercroft.actor.*
    * val printers = ServiceKey[String]("printers")
    * def printEverywhere(registry: Registry, page: String): Unit =
    *   registry.find(printers).foreach(_ ! page)
    * }}}
    */
  def find[T](key: ServiceKey[T]): Vector[ActorRef[T]] =
    requireKey(key)
    this.members(key).map(_.ref)

  /** Sends the registered actors to `listener`, now and on each change, until `listener` stops. If
    * its mailbox is full, also with [[Overflow.Backpressure]], a listing becomes a dead letter
    * there, and the listener has an outdated list until the next change.
    *
    * {{{
    * import undercroft.actor.*
    * val printers = ServiceKey[String]("printers")
    * def watchPrinters(registry: Registry)(using ActorScope): Unit =
    *   val display: Behavior[Listing[String]] = Behavior.receive: listing =>
    *     println(s"${listing.refs.size} printers")
    *     Behavior.same
    *   registry.subscribe(printers, spawn(display))
    * }}}
    *
    * @throws java.lang.IllegalArgumentException
    *   if `listener` cannot be watched, as in [[register]]
    * @throws java.lang.IllegalStateException
    *   if the registry has stopped
    * @throws MailboxFullException
    *   as [[register]]
    */
  def subscribe[T](key: ServiceKey[T], listener: ActorRef[Listing[T]]): Unit =
    requireWatchable(key, listener)
    requireRuns()
    actor.tell(Registry.Change.Subscribed(key, listener))

  private def requireKey(key: ServiceKey[?]): Unit =
    if key == null then throw NullPointerException("the key of a registration is null")

  private def requireActor(key: ServiceKey[?], ref: ActorRef[?]): Unit =
    requireKey(key)
    if ref == null then throw NullPointerException(s"the actor under ${key.name} is null")
    ref match
      case _: Reply[?] =>
        throw IllegalArgumentException(s"${ref.name} under ${key.name} is not an actor")
      case _ => ()

  private def requireWatchable(key: ServiceKey[?], ref: ActorRef[?]): Unit =
    requireActor(key, ref)
    ref match
      case external: ExternalRef[?] => external.lifetime: Unit // throws if it cannot be watched
      case _                        => ()

  private def requireRuns(): Unit =
    if actor.isStopped then throw IllegalStateException(s"the registry ${actor.name} has stopped")

  private[actor] def members[T](key: ServiceKey[T]): Vector[Member[T]] =
    Registry.under(members, key).asInstanceOf[Vector[Member[T]]]
end Registry

object Registry:
  private type Table = ConcurrentHashMap[ServiceKey[?], Vector[Member[?]]]

  /** Creates a registry whose actor is a child of the current scope and stops with it. */
  def apply(name: String = "registry")(using ActorScope): Registry =
    val table: Table = ConcurrentHashMap()
    // A reference that can no longer be watched does not end the registry.
    val actor = spawn(keeper(table).supervised { case _ => Supervision.Resume }, name)
    new Registry(actor, table)

  private enum Change:
    case Entered(key: ServiceKey[?], ref: ActorRef[?])
    case Left(key: ServiceKey[?])
    case Subscribed(key: ServiceKey[?], listener: ActorRef[?])

  private def under(table: Table, key: ServiceKey[?]): Vector[Member[?]] =
    val entries = table.get(key)
    if entries == null then Vector() else entries

  private def keeper(table: Table): Behavior[Change] = Behavior.setup[Change]:
    val listeners = collection.mutable.Map[ServiceKey[?], Vector[ActorRef[Any]]]()

    def tell(listener: ActorRef[Any], key: ServiceKey[?]): Unit =
      val refs = latest(key).map(_.ref.asInstanceOf[ActorRef[Any]])
      tellWithoutWait(listener, Listing(key.asInstanceOf[ServiceKey[Any]], refs))

    // A change is sent while it is made: waits for its end.
    def latest(key: ServiceKey[?]): Vector[Member[?]] =
      val entries = table.compute(key, (_, entries) => entries)
      if entries == null then Vector() else entries

    def changed(key: ServiceKey[?]): Unit =
      for listener <- listeners.getOrElse(key, Vector()) do tell(listener, key)

    def without(key: ServiceKey[?], ref: ActorRef[?]): Unit =
      var isChanged = false
      table.computeIfPresent(
        key,
        (_, entries) =>
          val left = entries.filterNot(_.ref == ref)
          isChanged = left.size < entries.size
          if left.isEmpty then null else left
      ): Unit
      if isChanged then changed(key)

    Behavior
      .receiveObjects[Change] {
        case Change.Entered(key, ref) =>
          val _ = latest(key) // so that the end of an actor that has stopped finds it there
          try context[Change].watch(ref.asInstanceOf[ActorRef[Nothing]])
          catch
            case error: IllegalArgumentException =>
              without(key, ref)
              throw error
          changed(key)
          Behavior.same
        case Change.Left(key) =>
          changed(key)
          Behavior.same
        case Change.Subscribed(key, listener) =>
          val target = listener.asInstanceOf[ActorRef[Any]]
          context[Change].watch(target)
          listeners(key) = listeners.getOrElse(key, Vector()).filterNot(_ == target) :+ target
          tell(target, key)
          Behavior.same
      }
      .onSignal { case Signal.Terminated(actor, _) =>
        for key <- listeners.keys.toVector do
          listeners(key) = listeners(key).filterNot(_ == actor)
          if listeners(key).isEmpty then listeners.remove(key): Unit
        for key <- keys(table) do without(key, actor.asInstanceOf[ActorRef[Any]])
        Behavior.same
      }
  end keeper

  private def keys(table: Table): Vector[ServiceKey[?]] =
    table.keySet.toArray(Array.empty[ServiceKey[?]]).toVector
end Registry
