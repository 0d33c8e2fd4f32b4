package undercroft.actor
package persistence
package internal.cell

import internal.journal.RecoveredPart
import undercroft.actor.internal.cell.{ActorCell, InternalMessage, RetriedMessage}

/** An answer of the journal to one incarnation of an actor. A later incarnation skips it. */
private[persistence] sealed abstract class JournalMessage[C](actor: PersistentActor[C, ?, ?])
    extends InternalMessage:
  protected def handle(): Behavior[C]

  def deliver[T](cell: ActorCell[T], behavior: Behavior[T]): Behavior[T] =
    if actor.isEnded then Behavior.skipped
    else
      val before = cell.hasNoMessage
      cell.hasNoMessage = true // an action cannot stash this message
      try handle().asInstanceOf[Behavior[T]]
      finally cell.hasNoMessage = before

  override def isNotice: Boolean = true
end JournalMessage

private[persistence] object JournalMessage:
  final class Appended[C](actor: PersistentActor[C, ?, ?], failure: JournalException | Null)
      extends JournalMessage[C](actor):
    protected def handle(): Behavior[C] = actor.onAppended(failure)

    /** The command, which the supervision may let handle again. */
    override def kept: AnyRef | Null =
      val command = actor.failedCommand
      if command == null then null else InternalMessage.kept(command)
    override def failures: Int =
      val command = actor.failedCommand
      if command == null then 0 else RetriedMessage.failures(command)
    // After a restart.
    override def tooLate(reason: DeadLetterReason): Unit = actor.concludeCommand(failure)
    override def toString: String = "an answer of the journal"

  final class Recovered[C, E, S](actor: PersistentActor[C, E, S], part: RecoveredPart[E, S])
      extends JournalMessage[C](actor):
    protected def handle(): Behavior[C] = actor.onRecovered(part)
    override def toString: String = s"${part.events.size} events of the journal"

  final class RecoveryFailed[C](actor: PersistentActor[C, ?, ?], cause: JournalException)
      extends JournalMessage[C](actor):
    protected def handle(): Behavior[C] = actor.onRecoveryFailed(cause)
    override def toString: String = s"a failed recovery: ${cause.getMessage}"
end JournalMessage
