package undercroft.actor
package persistence

import internal.cell.{Definition, PersistentActor}

/** Creates behaviors whose state is the sum of their events, which a [[Journal]] stores.
  *
  * {{{
  * import undercroft.actor.*
  * import undercroft.struct.*
  * final case class Total(sum: Long) derives Struct
  * final case class Added(amount: Long) derives Struct
  * final case class Add(amount: Long, to: ActorRef[Long])
  *
  * def counter(journal: Journal[Added, Total], id: Long): Behavior[Add] =
  *   Persistent(journal, id, Total(0))(
  *     command = (total, add) =>
  *       Effect.persist(Added(add.amount)).thenReply(add.to)(total => total.sum),
  *     event = (total, added) => Total(total.sum + added.amount)
  *   )
  * }}}
  *
  * A call of `supervised` or another method on the result hides its type from the compiler. So the
  * types of commands, events and states are stated then:
  *
  * {{{
  * import scala.concurrent.duration.*
  * import undercroft.actor.*
  * def restarted(journal: Journal[Added, Total], id: Long): Behavior[Add] =
  *   Persistent[Add, Added, Total](journal, id, Total(0))(
  *     command = (total, add) => Effect.persist(Added(add.amount)),
  *     event = (total, added) => Total(total.sum + added.amount)
  *   ).supervised { case _: JournalException => Supervision.Restart(3, within = 1.minute) }
  * }}}
  */
object Persistent:

  /** Default for `snapshotEvery`, in events: a recovery reads at most about as many. */
  final val DefaultSnapshotEvery = 1000

  /** Default for `stashLimit`, in commands. */
  final val DefaultStashLimit = 4096

  /** Default for `commandsPerCommit`: the events of each command are stored alone. */
  final val DefaultCommandsPerCommit = 1

  /** The largest number of events of one command: they are stored together or not at all. */
  final val MaxEventsPerCommand = 1000

  /** A behavior that recovers its state from the journal when it starts and restarts.
    *
    * A command is handled when the events of the one before are durable, or with others: see
    * `commandsPerCommit`. Meanwhile commands wait in the actor's stash, in their order. No thread
    * waits for the disk: a journal's own threads do. `event` is applied before events are stored,
    * so an exception of it stores nothing. Both handlers must depend on nothing but their
    * arguments, and states must be immutable.
    *
    * If events cannot be stored, the state is unchanged, and the handler given to
    * [[Effect.onFailure]] is called, or else the actor fails with the [[JournalException]]. If its
    * supervision restarts it, it recovers. If the recovery fails, so does the actor, and, if
    * resumed, each later command. The number of an event is [[eventNumber]]. With `Run.Caller`,
    * commands whose events are stored are answered on another thread.
    *
    * {{{
    * import scala.concurrent.duration.*
    * import undercroft.actor.*
    * val journal = Journal.inMemory[Added, Total]()
    * ActorSystem.scoped("sums"):
    *   val first = spawn(counter(journal, id = 7))
    *   for n <- 1L to 3L do println(first.ask[Long](10.seconds)(Add(n, _))) // prints 1, 3 and 6
    * ActorSystem.scoped("sums"):
    *   val again = spawn(counter(journal, id = 7))
    *   println(again.ask[Long](10.seconds)(Add(4, _))) // 10
    * }}}
    *
    * @param id
    *   the persistence id: the actor's number in the journal. At most one actor that has not
    *   stopped may use it, also while that one waits to restart; a second one fails with a
    *   [[JournalException]] when it starts
    * @param empty
    *   the state before the first event
    * @param snapshotEvery
    *   a snapshot of the state is stored each time the number of events reaches a multiple of it;
    *   with 0 never. It is stored later than the events, and no reply waits for it. If it cannot be
    *   stored, or segments that it makes obsolete cannot be deleted, that is reported as
    *   [[ActorEvent.Failed]], and the actor continues
    * @param stashLimit
    *   the largest number of commands that wait; further ones are dead letters, and their asks fail
    * @param commandsPerCommit
    *   the largest number of waiting commands whose events are stored together; 1 stores those of
    *   each command alone. With more, waiting commands are decided in their order, each on the
    *   state after the events of the one before. Their events, at most 1000, are stored together or
    *   not at all. Their actions, also those of effects without events, run afterwards, in order.
    *   If the events cannot be stored, each command is decided again, alone. So the command handler
    *   must have no effect outside its result: it must not send, spawn, log or start a timer
    *   itself. A [[Behavior.intercept]] around the behavior lets commands be stored alone
    * @param recovered
    *   called with the recovered state, before the first command
    * @param signal
    *   called with the state, which is incomplete during the recovery, and a signal; one for which
    *   it is not defined is unhandled. Stores no events
    * @throws java.lang.IllegalArgumentException
    *   if `snapshotEvery` is negative, `stashLimit` is not from 1 to 65 536, or `commandsPerCommit`
    *   is not from 1 to 1000
    */
  def apply[C, E, S](
      journal: Journal[E, S],
      id: Long,
      empty: S,
      snapshotEvery: Int = DefaultSnapshotEvery,
      stashLimit: Int = DefaultStashLimit,
      commandsPerCommit: Int = DefaultCommandsPerCommit
  )(
      command: (Effects[E, S], EventNumber) ?=> (S, C) => Effect[E, S],
      event: EventNumber ?=> (S, E) => S,
      recovered: S => Unit = (_: S) => (),
      signal: PartialFunction[(S, Signal), Unit] = PartialFunction.empty
  ): Behavior[C] =
    if snapshotEvery < 0 then
      throw IllegalArgumentException(s"snapshotEvery must be at least 0, but is $snapshotEvery")
    if stashLimit < 1 || stashLimit > ActorContext.StashLimit then
      throw IllegalArgumentException(
        s"stashLimit must be from 1 to ${ActorContext.StashLimit}, but is $stashLimit"
      )
    if commandsPerCommit < 1 || commandsPerCommit > MaxEventsPerCommand then
      throw IllegalArgumentException(
        s"commandsPerCommit must be from 1 to $MaxEventsPerCommand, but is $commandsPerCommit"
      )
    val number = new EventNumber()
    val definition = Definition(
      journal,
      id,
      empty,
      snapshotEvery,
      stashLimit,
      commandsPerCommit,
      command(using Effects[E, S], number),
      event(using number),
      recovered,
      signal,
      number
    )
    Behavior.setup[C](PersistentActor.start(definition))
  end apply
end Persistent
