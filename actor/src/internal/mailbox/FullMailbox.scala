package undercroft.actor
package internal.mailbox

import internal.cell.{ActorCell, AskMessage, DeadLetters, InboundNode, SystemMessage}
import internal.dispatch.Dispatcher

/** The overflow strategies of a full mailbox, and the senders that wait for room in one. */
private[actor] object FullMailbox:

  /** Applies the overflow strategy to a message. Called by the sender. */
  def overflow(cell: ActorCell[?], message: AnyRef, thread: Thread): Unit =
    cell.mailbox.overflow match
      case Overflow.Backpressure =>
        val waiters = cell.coldStateOrNull.nn.waiters.nn
        waiters.waitFor(cell, Dispatcher.current(thread), AskMessage.in(message)) match
          case null             => MessageQueue.put(cell, message, Int.MaxValue)
          case Waiters.TimedOut => reject(cell, message) // the ask fails
          case cycle =>
            reject(cell, message)
            throw MailboxFullException(cycle)
      case Overflow.Fail =>
        reject(cell, message)
        throw MailboxFullException(
          s"the mailbox of ${cell.name} is full: ${cell.mailbox.limit} messages wait"
        )
      case Overflow.DropNewest | Overflow.DropOldest => reject(cell, message)

  private def reject(cell: ActorCell[?], message: AnyRef): Unit =
    DeadLetters.reject(cell, message, DeadLetterReason.Full)

  /** Whether waiting senders may continue. Thread-safe. */
  def hasRoom(cell: ActorCell[?]): Boolean =
    (cell.headVolatile eq InboundNode.Closed) || cell.waitingCount <= cell.mailbox.limit / 2

  /** Releases the waiting senders if there is room. Owner thread only, after messages were taken.
    */
  def releaseWaiters(cell: ActorCell[?]): Unit =
    java.lang.invoke.VarHandle.fullFence()
    releaseKnown(cell, cell.coldStateOrNull.nn.waiters.nn)

  /** As [[releaseWaiters]], after each message of a turn, which may be endless. Without a fence, so
    * it may miss a sender that begins to wait now; a later call or [[releaseWaiters]] finds it.
    */
  def releaseKnown(cell: ActorCell[?], waiters: Waiters): Unit =
    if !waiters.isEmptyVolatile && hasRoom(cell) then waiters.release(cell)

  /** The actor that `sender` waits for. Guarded by [[Waiters.lock]], on any thread. */
  def targetOf(sender: ActorCell[?]): ActorCell[?] | Null =
    val coldState = sender.coldStateOrNull
    val reply = if coldState == null then null else coldState.waitsUntil
    if coldState == null || (reply != null && !reply.isOpen) then null else coldState.waitsFor

  /** The mailbox for which the actor was muted has room. */
  final class Unmute extends SystemMessage:
    def apply(cell: ActorCell[?]): Unit =
      cell.isMuted = false
      Waiters.lock.synchronized(cell.coldState().waitsFor = null)
end FullMailbox
