package undercroft.actor
package persistence

import scala.annotation.implicitNotFound

/** The right to create effects, which the command handler of a [[Persistent]] behavior has. It
  * tells the compiler the types of the events and of the state.
  *
  * {{{
  * import undercroft.actor.*
  * final case class Add(amount: Long, to: ActorRef[Long])
  * def handle(sum: Long, add: Add)(using Effects[Long, Long]): Effect[Long, Long] =
  *   Effect.persist(add.amount).thenReply(add.to)(sum => sum)
  * }}}
  */
@implicitNotFound(
  "an effect with events of type ${E} can only be created in the command handler of a Persistent behavior with such events; `persist` takes single events, `persistAll` a Seq of them, and a method that the handler calls has the parameter (using Effects[Event, State])"
)
final class Effects[-E, S] private ()

private[persistence] object Effects:
  private val untyped = new Effects[Any, Any]()
  def apply[E, S]: Effects[E, S] = untyped.asInstanceOf[Effects[E, S]]

/** The result of a command handler: the events to store, and the actions that follow once they are
  * durable. Immutable.
  *
  * Actions run on the actor's thread, in their order, with the state after the events. They do not
  * run if the events could not be stored.
  *
  * {{{
  * import undercroft.actor.*
  * def add(amount: Long, to: ActorRef[String])(using Effects[Long, Long]): Effect[Long, Long] =
  *   if amount <= 0 then Effect.none.thenReply(to)(sum => s"refused: the sum is $sum")
  *   else
  *     Effect
  *       .persist(amount)
  *       .thenRun(sum => println(sum))
  *       .thenReply(to)(sum => s"the sum is $sum")
  *       .onFailure(error => to ! s"not stored: ${error.getMessage}")
  * }}}
  */
final class Effect[+E, S] private (
    private[persistence] val events: Vector[E],
    private[persistence] val actions: Vector[S => Unit],
    private[persistence] val failure: (JournalException => Unit) | Null,
    private[persistence] val end: Effect.End,
    private[persistence] val isUnstashing: Boolean
):
  /** Adds an action.
    *
    * {{{
    * def count(sum: Long)(using Effects[Long, Long]): Effect[Long, Long] =
    *   Effect.persist(1L).thenRun(sum => println(s"$sum commands"))
    * }}}
    */
  def thenRun(action: S => Unit): Effect[E, S] =
    new Effect(events, actions :+ action, failure, end, isUnstashing)

  /** Adds a message to another actor, computed from the new state: the reply to the command.
    *
    * {{{
    * import undercroft.actor.*
    * def count(to: ActorRef[Long])(using Effects[Long, Long]): Effect[Long, Long] =
    *   Effect.persist(1L).thenReply(to)(sum => sum)
    * }}}
    */
  def thenReply[R](to: ActorRef[R])(message: S => R): Effect[E, S] =
    thenRun(state => to.tell(message(state)))

  /** Stops the actor after all actions.
    *
    * @throws java.lang.IllegalStateException
    *   if the effect is `Effect.unhandled` or `Effect.stash`
    */
  def thenStop: Effect[E, S] =
    if end == Effect.End.Unhandled || end == Effect.End.Stash then
      throw IllegalStateException(
        s"thenStop cannot follow Effect.${end.toString.toLowerCase}: use Effect.stop, or " +
          "Effect.none with actions"
      )
    new Effect(events, actions, failure, Effect.End.Stop, isUnstashing)

  /** Lets the actor handle the commands of `Effect.stash` after all actions, in their order and
    * before all commands that were sent later.
    *
    * {{{
    * def opened(using Effects[Long, Long]): Effect[Long, Long] = Effect.persist(1L).thenUnstashAll
    * }}}
    */
  def thenUnstashAll: Effect[E, S] = new Effect(events, actions, failure, end, true)

  /** Handles a failure to store the events: the actor then continues with its present state.
    * Without a handler the actor fails with the [[JournalException]], and its supervision decides.
    * A later handler replaces an earlier one.
    *
    * {{{
    * import undercroft.actor.*
    * def count(to: ActorRef[String])(using Effects[Long, Long]): Effect[Long, Long] =
    *   Effect
    *     .persist(1L)
    *     .thenReply(to)(sum => s"$sum")
    *     .onFailure(error => to ! s"${error.kind}")
    * }}}
    */
  def onFailure(handle: JournalException => Unit): Effect[E, S] =
    new Effect(events, actions, handle, end, isUnstashing)

  override def toString: String = s"Effect(${events.size} events, ${actions.size} actions)"
end Effect

object Effect:
  /** The outcome for the command and the actor. */
  private[persistence] enum End derives CanEqual:
    case Continue, Stop, Unhandled, Stash

  private def of[E, S](events: Vector[E], end: End = End.Continue): Effect[E, S] =
    new Effect(events, Vector.empty, null, end, false)

  /** Stores events, in their order: all of them or none.
    *
    * {{{
    * def twice(using Effects[Long, Long]): Effect[Long, Long] = Effect.persist(250L, 250L)
    * }}}
    */
  def persist[E, S](event: E, more: E*)(using Effects[E, S]): Effect[E, S] =
    of(event +: more.toVector)

  /** Stores events as `persist`; none if `events` is empty.
    *
    * {{{
    * def all(amounts: List[Long])(using Effects[Long, Long]): Effect[Long, Long] =
    *   Effect.persistAll(amounts)
    * }}}
    */
  def persistAll[E, S](events: Seq[E])(using Effects[E, S]): Effect[E, S] = of(events.toVector)

  /** Stores nothing. Its actions run at once.
    *
    * {{{
    * import undercroft.actor.*
    * def total(to: ActorRef[Long])(using Effects[Long, Long]): Effect[Long, Long] =
    *   Effect.none.thenReply(to)(sum => sum)
    * }}}
    */
  def none[E, S](using Effects[E, S]): Effect[E, S] = of(Vector.empty)

  /** Stores nothing. Its actions run at once; then the command is a dead letter, as unhandled, and
    * its ask fails if no action has answered it.
    */
  def unhandled[E, S](using Effects[E, S]): Effect[E, S] = of(Vector.empty, End.Unhandled)

  /** Stores nothing, and stashes the command until an effect with [[Effect.thenUnstashAll]], or
    * until the actor restarts. Its actions run at once. If the stash has `stashLimit` commands, the
    * actor fails with a [[StashOverflowException]].
    *
    * {{{
    * import undercroft.actor.*
    * enum Door:
    *   case Open
    *   case Pass(to: ActorRef[Long])
    * def handle(guests: Long, door: Door)(using Effects[Long, Long]): Effect[Long, Long] =
    *   door match
    *     case Door.Open                    => Effect.persist(0L).thenUnstashAll
    *     case Door.Pass(_) if guests == -1 => Effect.stash // closed
    *     case Door.Pass(to)                => Effect.persist(1L).thenReply(to)(guests => guests)
    * }}}
    */
  def stash[E, S](using Effects[E, S]): Effect[E, S] = of(Vector.empty, End.Stash)

  /** Stores nothing, and stops the actor. */
  def stop[E, S](using Effects[E, S]): Effect[E, S] = of(Vector.empty, End.Stop)
end Effect
