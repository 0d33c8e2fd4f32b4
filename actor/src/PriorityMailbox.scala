package undercroft.actor

/** A mailbox that orders the waiting messages by a level: level 0 is handled first.
  *
  * Messages of one level are handled in the order of their arrival, so the order of each sender is
  * kept within a level. The most urgent message is chosen before each handler; a running handler is
  * not interrupted. Messages of `tellPriority` and unstashed messages precede all levels. A level
  * can starve: its messages wait as long as more urgent ones do.
  *
  * The level function is called once for each message, by the actor's thread between two handlers.
  * It must depend on the message alone and be short. If it throws, or returns a level outside
  * `[0, levels)`, the message fails as if its handler had thrown that exception: the actor's
  * supervision and its `onMessageFailure` decide, and no other message is affected. A retried
  * message is passed to the handler, without a level.
  *
  * With [[Overflow.DropOldest]] a full mailbox drops the oldest message of the least urgent level,
  * the new message included: a message less urgent than all waiting ones is dropped itself. Then
  * each sending thread calls the level function, so it must be thread-safe; its failure is still
  * one of the actor.
  *
  * | message                                   | level                                                                       |
  * |:------------------------------------------|:----------------------------------------------------------------------------|
  * | a user's, of a timer, an ask or watchWith | that of the message                                                         |
  * | of an adapter or of `pipeToSelf`          | that of the converted message, which is created when the mailbox is ordered |
  * | `Terminated`, `MessageFailed`             | the last: it follows all earlier messages                                   |
  *
  * With `DropOldest` converted messages and messages of `watchWith` have the last level, because
  * only the actor's thread knows them.
  *
  * Cost: a message is moved to the queue of its level, in O(1) and without an allocation. The actor
  * receives struct messages as objects, not in slots, and messages are not handed off directly.
  *
  * {{{
  * def urgentFirst: PriorityMailbox[String] =
  *   Mailbox.prioritized(levels = 2, limit = 1000)(word => if word.endsWith("!") then 0 else 1)
  * println(urgentFirst) // PriorityMailbox(2,Mailbox(1000,Fail))
  * }}}
  */
final class PriorityMailbox[-T] private[actor] (
    val levels: Int,
    /** The limit of all levels together, and the overflow strategy. */
    val mailbox: Mailbox,
    private[actor] val level: T => Int
):
  if levels < 1 || levels > PriorityMailbox.LevelLimit then
    throw IllegalArgumentException(
      s"levels must be at least 1 and at most ${PriorityMailbox.LevelLimit}, but is $levels"
    )
  if level == null then throw NullPointerException("the level function of a mailbox is null")

  override def toString: String = s"PriorityMailbox($levels,$mailbox)"
end PriorityMailbox

object PriorityMailbox:
  /** The largest number of levels: the mailbox has one bit of a Long for each. */
  final val LevelLimit = 64
