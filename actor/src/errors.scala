package undercroft.actor

/** A message did not fit into a mailbox. The mailbox is as it was. */
final class MailboxFullException private[actor] (message: String) extends RuntimeException(message)

/** An actor that was watched stopped, and the watcher had no handler for it. */
final class DeathPactException private[actor] (ref: String, cause: Option[Throwable])
    extends RuntimeException(
      s"$ref was watched and stopped, and nothing handles Terminated",
      cause.getOrElse(null)
    )

/** A child failed and escalated to its parent, which fails with this. */
final class ChildFailedException private[actor] (ref: String, cause: Throwable)
    extends RuntimeException(s"$ref failed and escalated", cause)

/** An actor was spawned by one that is stopping, or in a system that is. */
final class SpawnRefusedException private[actor] (message: String) extends RuntimeException(message)

/** An ask got no answer. */
sealed abstract class AskException(message: String) extends RuntimeException(message)

/** An ask got no answer in time. */
final class AskTimeoutException private[actor] (message: String) extends AskException(message)

/** The actor that was asked has stopped, and did not answer. */
final class AskedStoppedException private[actor] (message: String) extends AskException(message)

/** The actor that was asked did not handle the message: its mailbox was full, or it has no handler
  * for it.
  */
final class AskLostException private[actor] (message: String) extends AskException(message)

/** An ask that would wait for ever, because who was asked waits for the asker. Nothing was sent. */
final class AskCycleException private[actor] (message: String) extends AskException(message)

/** An actor to which this one was linked failed, and stopped. */
final class LinkBrokenException private[actor] (ref: String, cause: Throwable)
    extends RuntimeException(s"$ref, which was linked, failed", cause)

/** An actor stashed more than it may. */
final class StashFullException private[actor] (message: String) extends RuntimeException(message)
