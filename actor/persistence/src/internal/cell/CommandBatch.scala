package undercroft.actor
package persistence
package internal.cell

import scala.collection.mutable
import undercroft.actor.internal.cell.{ActorCell, ConfirmedMessage, ContextEnvelope, Envelope}
import undercroft.actor.internal.cell.{AskMessage, InternalMessage, Stash}

/** Commands whose events one append stores, all or none. They were decided in their order, each on
  * the state after the events of the one before.
  *
  * {{{
  *   Waiting --stored--> Stored:  each command is due, and its turn runs the actions of its effect
  *        \----failed--> Refused: each command is due, and its turn decides it again
  * }}}
  *
  * The commands stay in the stash, each inside a [[DecidedCommand]]. So a command has a turn of its
  * own in each case, and a restart between the append and the turns loses no action and decides no
  * stored command again.
  *
  * Owner thread only, except [[end]].
  */
private[persistence] final class CommandBatch[C, E, S](
    val definition: Definition[C, E, S],
    firstState: S,
    firstSequence: Long
):
  import CommandBatch.Outcome

  private val commands = mutable.ArrayBuffer[DecidedCommand[C, E, S]]()

  /** The dropped messages whose senders wait for the outcome. Guarded by the lock of this batch. */
  private var waiting = List.empty[AnyRef]
  @volatile private var outcome = Outcome.Waiting

  def size: Int = commands.size
  def isEmpty: Boolean = commands.isEmpty
  def isStored: Boolean = outcome == Outcome.Stored
  def isRefused: Boolean = outcome == Outcome.Refused
  def events: Vector[E] = commands.iterator.flatMap(_.effect.events).toVector

  /** The state after all events. */
  def state: S = if isEmpty then firstState else commands.last.state

  /** The number of events then. */
  def sequence: Long = if isEmpty then firstSequence else commands.last.sequence

  /** Whether the next command is decided after this batch: one without events is not held back by
    * later ones, and a stop or an unstashing changes which command is the next one.
    */
  private def isFull: Boolean =
    size >= definition.commandsPerCommit || !isEmpty && (sequence == firstSequence ||
      commands.last.effect.end != Effect.End.Continue || commands.last.effect.isUnstashing)

  /** Decides a message of the stash on the state after this batch. Returns whether it belongs to
    * the batch. A command that fails, or has too many events, is decided again in its own turn.
    */
  private def add(message: AnyRef): Boolean =
    val plainMessage = CommandBatch.plain(message)
    val command = CommandBatch.commandIn(plainMessage)
    command != null && {
      try
        val effect = definition.decide(state, command.asInstanceOf[C], sequence)
        val count = sequence + effect.events.size - firstSequence
        val isSmall = count <= Persistent.MaxEventsPerCommand
        if isSmall then
          val after = definition.after(state, effect.events, sequence)
          commands += DecidedCommand(plainMessage, effect, after, firstSequence + count, this)
        isSmall
      catch
        case _: InterruptedException =>
          Thread.currentThread.interrupt()
          false
        case _: Throwable => false
    }
  end add

  /** Lets all commands be due. */
  def makeDue(stash: Stash): Unit =
    stash.request(size)
    stash.bringBack()

  /** Tells the senders that wait for it that the events are stored. */
  def conclude(): Unit =
    for command <- commands do ConfirmedMessage.conclude(command.message, isStored = true)

  /** Sets the outcome. On any thread. */
  def end(isStored: Boolean): Unit = synchronized:
    outcome = if isStored then Outcome.Stored else Outcome.Refused
    for message <- waiting do ConfirmedMessage.conclude(message, isStored)
    waiting = Nil

  /** The actor stopped before the turn of a command. Returns whether its sender is told the outcome
    * by [[end]], because it is unknown now.
    */
  private[cell] def drop(message: AnyRef): Boolean = synchronized:
    val isHeld = outcome == Outcome.Waiting && ConfirmedMessage.isIn(message)
    if isHeld then waiting = message :: waiting
    isHeld
end CommandBatch

private[persistence] object CommandBatch:
  private enum Outcome derives CanEqual:
    case Waiting, Stored, Refused

  /** Decides commands of the stash, the oldest ones, and puts them back as decided. */
  def decide[C, E, S](
      definition: Definition[C, E, S],
      stash: Stash,
      state: S,
      sequence: Long,
      cell: ActorCell[C]
  ): CommandBatch[C, E, S] =
    val batch = new CommandBatch(definition, state, sequence)
    val before = cell.hasNoMessage
    cell.hasNoMessage = true // the current message is another one
    try
      while !batch.isFull && batch.size < stash.stashedCount && batch.add(stash.stashed(batch.size))
      do ()
    finally cell.hasNoMessage = before
    for (command, i) <- batch.commands.iterator.zipWithIndex do stash.replace(i, command)
    batch

  /** The message as it was before a refused batch. */
  private def plain(message: AnyRef): AnyRef = message match
    case decided: DecidedCommand[?, ?, ?] if decided.batch.isRefused => decided.message
    case _                                                           => message

  /** The user's command inside a message, or null if the message must be decided in its turn. */
  private def commandIn(message: AnyRef): AnyRef | Null = message match
    case ask: AskMessage                                => commandIn(ask.content)
    case envelope: (ContextEnvelope | ConfirmedMessage) => commandIn(envelope.message)
    case _: InternalMessage                             => null
    case command                                        => command
end CommandBatch

/** A command that was decided before its turn.
  *
  * @param state
  *   the state after its events
  * @param sequence
  *   the number of events then
  */
private[persistence] final class DecidedCommand[C, E, S](
    command: AnyRef,
    val effect: Effect[E, S],
    val state: S,
    val sequence: Long,
    val batch: CommandBatch[C, E, S]
) extends Envelope(command):

  override def deliver[T](cell: ActorCell[T], behavior: Behavior[T]): Behavior[T] =
    if batch.isRefused then super.deliver(cell, behavior)
    else // also if the outcome is not known yet: then the actor stashes it
      behavior match
        case actor: PersistentActor[C @unchecked, E @unchecked, S @unchecked]
            if actor.isOf(batch.definition) =>
          val following = new Behavior.Receive[C]:
            def onObject(command: C): Behavior[C] = actor.onDecided(DecidedCommand.this)
          super.deliver(cell, following.asInstanceOf[Behavior[T]])
        case _ => Behavior.skipped // restarted as another behavior
  end deliver

  /** Whether a later turn may decide the command again. */
  private def mayRepeat: Boolean = effect.events.isEmpty || batch.isRefused

  override def kept: AnyRef | Null = if mayRepeat then InternalMessage.kept(message) else null
  override def aside: AnyRef = if mayRepeat then InternalMessage.aside(message) else this

  /** A stored command is not lost. */
  override def shown: AnyRef | Null = if mayRepeat then super.shown else null

  override def tooLate(reason: DeadLetterReason): Unit =
    if !batch.drop(message) then
      if batch.isStored then ConfirmedMessage.conclude(message, isStored = true)
      super.tooLate(reason)
end DecidedCommand
