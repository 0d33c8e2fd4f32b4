package undercroft.actor
package persistence
package internal.cell

import internal.journal.{JournalClient, RecoveredPart}
import undercroft.actor.internal.cell.{ActorCell, ConfirmedMessage, ContextEnvelope}
import undercroft.actor.internal.cell.{Stash, State}
import undercroft.actor.internal.dispatch.{Dispatcher, HelperThreads, SystemFailure}

/** One incarnation of a persistent actor.
  *
  * {{{
  *   Recovering --last part--> Idle --command with events--> Storing --answer--> Idle
  *        \---failed---> Failed
  * }}}
  *
  * Commands that arrive in Recovering and Storing are stashed. In Idle at most one of them is due
  * again, the oldest, or all commands of a stored [[CommandBatch]]; they precede the mailbox. A
  * priority message may precede them and start the next storing; then a due command goes back to
  * its place in the stash. If an interceptor keeps the due command back, the next one is due.
  *
  * Owner thread only, except the methods of the [[JournalClient]].
  */
private[persistence] final class PersistentActor[C, E, S] private (
    cell: ActorCell[C],
    definition: Definition[C, E, S]
) extends Behavior.Receive[C],
      JournalClient[E, S],
      Stash.Keeper:
  import PersistentActor.Phase

  private val journal = definition.journal
  private var phase = Phase.Recovering
  private var state: S = definition.empty
  private var sequence = 0L

  /** In Storing: the effect whose events are stored, and the state after them. */
  private var effect: Effect[E, S] | Null = null
  private var stateAfter: S = definition.empty

  /** In Storing: the commands whose events are stored together, or null. Set before the append, and
    * not changed until its answer is handled, so the threads of the journal may read it.
    */
  private var batch: CommandBatch[C, E, S] | Null = null

  /** The number of commands to handle one by one, because their batch could not be stored. */
  private var singleCount = 0

  /** In Storing, and after events could not be stored: the message with the command. */
  private var storedCommand: AnyRef | Null = null

  /** Whether the stash has no room for the current command. */
  private var isRefused = false

  /** In Storing, of a traced actor: the context of the command. */
  private var commandContext: AnyRef | Null = null

  /** In Failed: the reason. */
  private var failure: JournalException | Null = null

  /** Whether this is the actor's first behavior: a restart begins with it again. */
  private val isFirst = cell.state == State.Starting

  private val incarnation = cell.coldState().restarts
  private var isStopped = false

  /** Whether this incarnation is over: answers of the journal come too late. An interceptor may
    * keep the signal of a restart from this behavior, so the restarts are counted.
    */
  private[cell] def isEnded: Boolean = isStopped || cell.coldState().restarts != incarnation

  private def begin(): Unit =
    val stash = cell.coldState().ownStash()
    stash.keeper = this
    stash.takeBack()
    journal.recover(definition.id, this)

  // ---- commands

  def onObject(command: C): Behavior[C] =
    phase match
      case Phase.Idle   => continuing(handle(command))
      case Phase.Failed => continuing(failAgain())
      case _ =>
        val stash = cell.coldState().ownStash()
        if stash.isDueAgain || stash.stashedCount < stashLimit then stashed(stash)
        else
          isRefused = true
          Behavior.unhandled
  end onObject

  private def failAgain(): Nothing =
    val cause = failure.nn
    throw JournalException(s"the recovery failed before: ${cause.getMessage}", cause.kind, cause)

  /** Runs the actions of a command of a stored batch. */
  private[cell] def onDecided(decided: DecidedCommand[C, E, S]): Behavior[C] =
    phase match
      case Phase.Idle if decided.batch.isStored =>
        continuing(follow(decided.effect, decided.state, decided.sequence))
      case Phase.Failed => continuing(failAgain())
      case _            => stashed(cell.coldState().ownStash())

  /** Whether the events of a batch are those of this actor. */
  private[cell] def isOf(other: Definition[?, ?, ?]): Boolean =
    (other.journal eq journal) && other.id == definition.id

  def stashLimit: Int = definition.stashLimit

  def settled(message: AnyRef): Unit =
    if isRefused then isRefused = false
    else if phase == Phase.Storing && batch == null && storedCommand == null then
      storedCommand = message
    else ConfirmedMessage.conclude(message, isStored = true)

  /** The message whose events could not be stored, or null. */
  private[cell] def failedCommand: AnyRef | Null =
    if phase == Phase.Idle then storedCommand else null

  /** The command is over: its events are stored or not. */
  private[cell] def concludeCommand(error: JournalException | Null): Unit =
    val command = storedCommand
    storedCommand = null
    ConfirmedMessage.conclude(command, isStored = error == null || error.isPermanent)

  def stopInOrder(): Behavior[C] =
    phase match
      case Phase.Idle | Phase.Failed => Behavior.stopped
      case _                         => stashed(cell.coldState().ownStash())

  private def stashed(stash: Stash): Behavior[C] =
    stash.wantsThis = true
    Behavior.same

  def dueEnded(): Unit =
    if !isEnded && (phase == Phase.Idle || phase == Phase.Failed) then dueNext()

  private def handle(command: C): Behavior[C] =
    if singleCount > 0 then singleCount -= 1
    val decided = definition.decide(state, command, sequence)
    if decided.events.isEmpty then follow(decided, state, sequence)
    else
      store(decided)
      Behavior.same

  /** Runs the actions of an effect whose events, if any, are durable.
    *
    * @param state
    *   the state after its events
    * @param sequence
    *   the number of events then
    */
  private def follow(done: Effect[E, S], state: S, sequence: Long): Behavior[C] =
    definition.setNumber(sequence)
    for action <- done.actions do action(state)
    if done.end == Effect.End.Stash then setAside()
    if done.isUnstashing then cell.coldState().ownStash().takeAsideBack()
    done.end match
      case Effect.End.Stop => Behavior.stopped
      case Effect.End.Unhandled =>
        dueNext()
        Behavior.unhandled
      case Effect.End.Stash =>
        dueNext()
        Behavior.same
      case Effect.End.Continue =>
        decideNext()
        Behavior.same
  end follow

  /** Stashes the current command for the user. */
  private def setAside(): Unit =
    val stash = cell.coldState().ownStash()
    if stash.asideCount >= stashLimit then
      throw StashOverflowException(
        s"the stash of ${cell.name} is full: ${stash.asideCount} commands"
      )
    stash.wantsThis = true
    stash.wantsAside = true

  private def store(decided: Effect[E, S]): Unit =
    val count = decided.events.size
    if count > Persistent.MaxEventsPerCommand then
      throw IllegalArgumentException(
        s"a command may store at most ${Persistent.MaxEventsPerCommand} events, but has $count"
      )
    val after = definition.after(state, decided.events, sequence)
    try
      storedCommand = null
      effect = decided
      stateAfter = after
      phase = Phase.Storing
      commandContext = if cell.isTraced then ContextEnvelope.context(cell) else null
      journal.append(definition.id, sequence + 1, decided.events, this)
    catch
      case error: JournalException => appendFailed(error)
      case error: Throwable => // for example no memory: the journal does not answer
        effect = null
        phase = Phase.Idle
        throw error
  end store

  // ---- batches of commands

  /** Decides commands of the stash and stores their events, or lets the oldest one be due. */
  private def decideNext(): Unit =
    val stash = cell.stashOrNull
    val isBatch = definition.commandsPerCommit > 1 && singleCount == 0 && stash != null &&
      stash.stashedCount > 1 && !stash.hasDueAgain && stash.urgentCount == 0 &&
      phase == Phase.Idle && (cell.behavior eq this) // an interceptor must see each command
    if isBatch then storeTogether(stash.nn) else dueNext()

  private def storeTogether(stash: Stash): Unit =
    val decided = CommandBatch.decide(definition, stash, state, sequence, cell)
    if decided.isEmpty then dueNext()
    else if decided.events.isEmpty then
      decided.end(isStored = true)
      decided.makeDue(stash)
    else
      batch = decided
      phase = Phase.Storing
      storedCommand = null
      commandContext = null
      try journal.append(definition.id, sequence + 1, decided.events, this)
      catch
        case _: Throwable => // each command meets it again in its own turn
          decided.end(isStored = false)
          onBatchAppended(decided, isStored = false): Unit
  end storeTogether

  private def onBatchAppended(stored: CommandBatch[C, E, S], isStored: Boolean): Behavior[C] =
    batch = null
    phase = Phase.Idle
    if isStored then
      stored.conclude()
      advance(stored.sequence, stored.state)
      stored.makeDue(cell.coldState().ownStash())
    else
      singleCount = stored.size
      dueNext()
    Behavior.same

  /** The events up to `after` are durable. */
  private def advance(after: Long, state: S): Unit =
    val before = sequence
    sequence = after
    this.state = state
    if definition.isSnapshotDue(before, sequence) then
      journal.snapshot(definition.id, sequence, state, this)

  /** Lets the oldest stashed command be due, also if `body` fails. */
  private inline def continuing(inline body: Behavior[C]): Behavior[C] =
    try body
    catch
      case cause: Throwable =>
        dueNext()
        throw cause

  /** Lets the oldest stashed command be due, if none is. */
  private def dueNext(): Unit =
    val stash = cell.stashOrNull
    if stash != null && !stash.hasDueAgain && stash.stashedCount > 0 then
      stash.request(1)
      stash.bringBack()

  // ---- answers of the journal

  private[cell] def onAppended(error: JournalException | Null): Behavior[C] =
    val together = batch
    if together != null then onBatchAppended(together, error == null)
    else onSingleAppended(error)

  private def onSingleAppended(error: JournalException | Null): Behavior[C] =
    val done = effect.nn
    effect = null
    phase = Phase.Idle
    continuing:
      if error == null then
        concludeCommand(null)
        advance(sequence + done.events.size, stateAfter)
        follow(done, state, sequence)
      else
        val handler = done.failure
        if handler == null then throw error
        concludeCommand(error)
        handler(error)
        dueNext()
        Behavior.same
  end onSingleAppended

  private[cell] def onRecovered(part: RecoveredPart[E, S]): Behavior[C] =
    for snapshot <- part.snapshot do state = snapshot
    sequence = part.sequence
    for event <- part.events do
      try state = definition.next(state, event, sequence + 1)
      catch
        case cause: Throwable =>
          onRecoveryFailed(
            JournalException(
              s"the event handler failed for event ${sequence + 1} of the persistence id " +
                s"${definition.id}: $cause",
              JournalException.Kind.Replay,
              cause
            )
          ): Unit
      sequence += 1
    if part.isLast then
      phase = Phase.Idle
      continuing:
        definition.recovered(state)
        dueNext()
        Behavior.same
    else
      part.next()
      Behavior.same
  end onRecovered

  private[cell] def onRecoveryFailed(cause: JournalException): Behavior[C] =
    phase = Phase.Failed
    failure = cause
    continuing(throw cause)

  // ---- the journal's client, on any thread

  def appended(): Unit = answer(null)
  def appendFailed(cause: JournalException): Unit = answer(cause)

  private def answer(cause: JournalException | Null): Unit =
    val together = batch
    if together != null then together.end(isStored = cause == null)
    send(ContextEnvelope.wrapped(cell, JournalMessage.Appended(this, cause), commandContext))

  def snapshotFailed(cause: JournalException): Unit = report(cause)
  def deletionFailed(cause: JournalException): Unit = report(cause)

  /** The listener of the system is code of the user, too, and may block. */
  private def report(cause: JournalException): Unit =
    val event = ActorEvent.Failed(cell, cause, Supervision.Resume)
    HelperThreads.execute(() => cell.system.report(event))

  def recovered(part: RecoveredPart[E, S]): Unit = send(JournalMessage.Recovered(this, part))
  def recoveryFailed(cause: JournalException): Unit =
    send(JournalMessage.RecoveryFailed(this, cause))

  def failSystem(cause: Throwable): Unit =
    cell.system.failure.begin(cause, cell, SystemFailure.Place.Journal)

  def after(nanos: Long)(task: => Unit): Unit =
    if nanos == 0 then task
    else cell.system.clock.schedule(nanos, () => task): Unit

  /** Sends the actor an answer. An actor that runs on its senders' threads, or an executor that
    * runs its tasks at once, would run handlers on the journal's thread, and they may block: a
    * thread of its own sends the answer.
    */
  private def send(message: AnyRef): Unit =
    if cell.runner.runsOnSender && (Dispatcher.current(Thread.currentThread) ne cell) then
      HelperThreads.execute(() => cell.tellInternal(message))
    else cell.tellInternal(message)

  // ---- the end

  override private[actor] def signal(of: Signal): Behavior[C] =
    of match
      case Signal.PreRestart =>
        isStopped = true
        // A restart evaluates the setup again, so the actor keeps its persistence id.
        if !isFirst then journal.release(definition.id, cell)
      case Signal.PostStop =>
        isStopped = true
        journal.release(definition.id, cell)
      case _ => ()
    if definition.signal.isDefinedAt((state, of)) then
      definition.signal((state, of))
      Behavior.same
    else Behavior.unhandled
end PersistentActor

private[persistence] object PersistentActor:
  private enum Phase derives CanEqual:
    case Recovering, Idle, Storing, Failed

  /** Starts an incarnation: reserves the persistence id and requests the recovery. */
  def start[C, E, S](definition: Definition[C, E, S])(using context: ActorContext[C]): Behavior[C] =
    val cell = context.self match
      case cell: ActorCell[C @unchecked] => cell
      case other => throw IllegalArgumentException(s"${other.name} cannot be a persistent actor")
    val journal = definition.journal
    if cell.system.engine.isSimulated && !journal.isSimulated then
      throw IllegalArgumentException(
        "a simulation cannot use a journal of files, whose threads are real: use Journal.inMemory"
      )
    journal.acquire(definition.id, cell)
    val actor = new PersistentActor(cell, definition)
    actor.begin()
    actor
  end start
end PersistentActor
