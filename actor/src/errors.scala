package undercroft.actor

/** A message did not fit into a mailbox. The mailbox is unchanged. */
final class MailboxFullException private[actor] (message: String) extends RuntimeException(message)

/** A watched actor stopped, and the watcher does not handle [[Signal.Terminated]]. */
final class DeathPactException private[actor] (ref: String, cause: Option[Throwable])
    extends RuntimeException(
      s"$ref was watched and stopped, and nothing handles Terminated",
      cause.getOrElse(null)
    )

/** A child failed and escalated; its parent fails with this exception. */
final class ChildFailedException private[actor] (ref: String, cause: Throwable)
    extends RuntimeException(s"$ref failed and escalated", cause)

/** An actor could not be spawned: its parent or the system is stopping, or no thread could be
  * started.
  */
final class SpawnRejectedException private[actor] (message: String, cause: Throwable | Null = null)
    extends RuntimeException(message, cause)

/** An ask failed without a reply. */
sealed abstract class AskException(message: String) extends RuntimeException(message)

/** An ask received no reply before its timeout. */
final class AskTimeoutException private[actor] (message: String) extends AskException(message)

/** The asked actor has stopped without a reply. */
final class AskTargetStoppedException private[actor] (message: String) extends AskException(message)

/** The asked actor did not handle the message: its mailbox was full, or it has no handler for it.
  */
final class AskDeadLetterException private[actor] (message: String) extends AskException(message)

/** An ask would be a deadlock, because the asked actor waits for the asker. Nothing was sent. */
final class AskDeadlockException private[actor] (message: String) extends AskException(message)

/** A linked actor failed and stopped. */
final class LinkedActorFailedException private[actor] (ref: String, cause: Throwable)
    extends RuntimeException(s"$ref, which was linked, failed", cause)

/** A stash is full. */
final class StashOverflowException private[actor] (message: String)
    extends RuntimeException(message)
