package undercroft.actorparts

import java.util.concurrent.ConcurrentHashMap
import undercroft.actor.*

/** A name under which actors for messages of one type are found. Two keys of one name are one key:
  * give them one type.
  */
final case class Key[T](name: String) derives CanEqual

/** Who is registered under a key, the one that came first before the others. */
final case class Listing[T](key: Key[T], refs: Vector[ActorRef[T]]) derives CanEqual

/** Where actors are found by keys. Any thread; an actor of its own takes those out that stop.
  *
  * What was registered is found at once. One that has stopped is found until the registry is told,
  * which is soon; a message to it is a dead letter.
  */
final class Registry private (actor: ActorRef[Registry.Change], members: Registry.Table):

  /** Registers an actor under a key. Once more changes nothing.
    *
    * @throws java.lang.IllegalArgumentException
    *   if it is no actor, but the asker of something
    */
  def register[T](key: Key[T], ref: ActorRef[T]): Unit =
    val _ = enter(key, ref, isAlone = false)

  /** Registers an actor under a key if nobody is there; whether it was. */
  def registerAlone[T](key: Key[T], ref: ActorRef[T]): Boolean = enter(key, ref, isAlone = true)

  private def enter[T](key: Key[T], ref: ActorRef[T], isAlone: Boolean): Boolean =
    requireActor(ref, key)
    var isNew = false
    members.compute(
      key,
      (_, known) =>
        val there = if known == null then Vector() else known
        isNew = !there.exists(_.ref == ref) && !(isAlone && there.nonEmpty)
        if isNew then there :+ Member(there.lastOption.fold(0)(_.number + 1), ref) else there
    ): Unit
    if isNew then actor.tell(Registry.Change.Entered(key, ref))
    isNew

  /** Takes an actor out. */
  def remove[T](key: Key[T], ref: ActorRef[T]): Unit = actor.tell(Registry.Change.Left(key, ref))

  /** Those that are registered under a key, the one that came first before the others. */
  def find[T](key: Key[T]): Vector[ActorRef[T]] = this.members(key).map(_.ref)

  /** Sends who is registered to `listener`, now and whenever it changes, until that stops. */
  def subscribe[T](key: Key[T], listener: ActorRef[Listing[T]]): Unit =
    requireActor(listener, key)
    actor.tell(Registry.Change.Subscribed(key, listener))

  private def requireActor(ref: ActorRef[?], key: Key[?]): Unit =
    if ref == null then throw NullPointerException(s"the actor under ${key.name} is null")
    ref match
      case _: Reply[?] =>
        throw IllegalArgumentException(s"${ref.name} under ${key.name} is no actor")
      case _ => ()

  private[actorparts] def members[T](key: Key[T]): Vector[Member[T]] =
    Registry.under(members, key).asInstanceOf[Vector[Member[T]]]
end Registry

object Registry:
  private type Table = ConcurrentHashMap[Key[?], Vector[Member[?]]]

  /** Makes a registry, whose actor is a child of who makes it, and stops with it. */
  def apply(name: String = "registry")(using Scope): Registry =
    val table: Table = ConcurrentHashMap()
    new Registry(spawn(keeper(table), name), table)

  private enum Change:
    case Entered(key: Key[?], ref: ActorRef[?])
    case Left(key: Key[?], ref: ActorRef[?])
    case Subscribed(key: Key[?], listener: ActorRef[?])

  private def under(table: Table, key: Key[?]): Vector[Member[?]] =
    val found = table.get(key)
    if found == null then Vector() else found

  private def keeper(table: Table): Behavior[Change] = Behavior.setup[Change]:
    val listeners = collection.mutable.Map[Key[?], Vector[ActorRef[Any]]]()

    def tell(listener: ActorRef[Any], key: Key[?]): Unit =
      val refs = under(table, key).map(_.ref.asInstanceOf[ActorRef[Any]])
      try listener.tell(Listing(key.asInstanceOf[Key[Any]], refs))
      catch case _: MailboxFullException => () // a dead letter of the listener

    def changed(key: Key[?]): Unit = for one <- listeners.getOrElse(key, Vector()) do tell(one, key)

    def without(key: Key[?], ref: ActorRef[?]): Unit =
      var isChanged = false
      table.computeIfPresent(
        key,
        (_, known) =>
          val left = known.filterNot(_.ref == ref)
          isChanged = left.size < known.size
          if left.isEmpty then null else left
      ): Unit
      if isChanged then changed(key)

    Behavior
      .receive[Change] {
        case Change.Entered(key, ref) =>
          context[Change].watch(ref.asInstanceOf[ActorRef[Nothing]])
          changed(key)
          Behavior.same
        case Change.Left(key, ref) =>
          without(key, ref)
          Behavior.same
        case Change.Subscribed(key, listener) =>
          val one = listener.asInstanceOf[ActorRef[Any]]
          context[Change].watch(one)
          listeners(key) = listeners.getOrElse(key, Vector()).filterNot(_ == one) :+ one
          tell(one, key)
          Behavior.same
      }
      .onSignal { case Signal.Terminated(gone, _) =>
        for key <- listeners.keys.toVector do
          listeners(key) = listeners(key).filterNot(_ == gone)
          if listeners(key).isEmpty then listeners.remove(key): Unit
        for key <- keys(table) do without(key, gone.asInstanceOf[ActorRef[Any]])
        Behavior.same
      }
  end keeper

  private def keys(table: Table): Vector[Key[?]] =
    table.keySet.toArray(Array.empty[Key[?]]).toVector
end Registry
