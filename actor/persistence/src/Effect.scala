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
    private[persistence] val isStop: Boolean,
    private[persistence] val isUnhandled: Boolean
):
  /** Adds an action.
    *
    * {{{
    * def count(sum: Long)(using Effects[Long, Long]): Effect[Long, Long] =
    *   Effect.persist(1L).thenRun(sum => println(s"$sum commands"))
    * }}}
    */
  def thenRun(action: S => Unit): Effect[E, S] =
    new Effect(events, actions :+ action, failure, isStop, isUnhandled)

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
    *   if the effect is `Effect.unhandled`
    */
  def thenStop: Effect[E, S] =
    if isUnhandled then
      throw IllegalStateException(
        "thenStop cannot follow Effect.unhandled: use Effect.stop, or Effect.none with actions"
      )
    new Effect(events, actions, failure, true, isUnhandled)

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
    new Effect(events, actions, handle, isStop, isUnhandled)

  override def toString: String = s"Effect(${events.size} events, ${actions.size} actions)"
end Effect

object Effect:
  private def of[E, S](
      events: Vector[E],
      isStop: Boolean = false,
      isUnhandled: Boolean = false
  ): Effect[E, S] = new Effect(events, Vector.empty, null, isStop, isUnhandled)

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
  def unhandled[E, S](using Effects[E, S]): Effect[E, S] = of(Vector.empty, isUnhandled = true)

  /** Stores nothing, and stops the actor. */
  def stop[E, S](using Effects[E, S]): Effect[E, S] = of(Vector.empty, isStop = true)
end Effect
