package undercroft.actor
package internal.cell

import java.lang.invoke.{MethodHandles, VarHandle}
import scala.annotation.nowarn

/** The fields of an actor that the hot path accesses, with their ordered accessors. They are in a
  * superclass of the [[ActorCell]] because HotSpot places the fields of a superclass first: so they
  * are adjacent, in the first 72 bytes of the object. `ActorFieldsTest` asserts the layout:
  *
  * {{{
  *   0      12                             16                                48             72
  *  +------+------------------------------+---------------------------------+--------------+
  *  |header| notified runState state muted| slotKind sentHere handled other | 6 references |
  *  +------+------------------------------+---------------------------------+--------------+
  *     references: head takenNode systemMessages owner behavior coldStateOrNull
  * }}}
  *
  * The fields that senders write (`head`, `systemMessages`, `notified`) are on the same cache lines
  * on purpose: the owner reads all of them in each turn, and padding would double an idle actor.
  *
  * The inbound queue is a stack of nodes:
  *
  * {{{
  *   head -> n9 -> n8 -> n7 -> n6        senders push nodes at the head, by CAS
  *                             ^
  *                             takenNode the newest node that the owner took; the queue is empty
  *                                       if it is the head
  * }}}
  *
  * The owner takes all nodes by walking from the head to `takenNode`: this needs no atomic
  * operation, only a read of the head. A node's number counts all nodes pushed, so the number of
  * waiting messages is `head.number + sentHere - handled - other`: `sentHere` counts the messages
  * that the actor's own thread sent to it, `handled` and `other` the completed ones.
  *
  * There are no lost and no superfluous wake-ups: a sender first pushes its node (a full fence),
  * then sets `notified`, and only the thread that set it wakes the actor. The owner clears it (a
  * full fence) before it reads the head: so either it sees the node, or the sender sees the flag
  * cleared.
  *
  * Method names state the memory order: `Volatile`, `Acquire`, `Release`, `Opaque`; methods without
  * one access the owner's own fields. The stack of nodes is R. K. Treiber's ("Systems Programming:
  * Coping with Parallelism", 1986), read from the bottom.
  */
@nowarn("msg=unset private variable") // set by VarHandles
private[actor] abstract class ActorFields[T](start: Behavior[T]) extends ActorRef[T]:
  @volatile private var head: InboundNode = InboundNode.First
  private var takenNode: InboundNode = InboundNode.First
  @volatile private var systemMessages: SystemMessage | Null = null
  @volatile private var notified: Boolean = false
  @volatile private var owner: Thread | Null = null

  /** The present behavior. */
  final var behavior: Behavior[T] = start

  /** The cold state, or null if the actor has not needed it. */
  final var coldStateOrNull: ColdState | Null = null

  /** The kind of all slots that the actor accepts; 0 for none. */
  final var slotKind: Long = 0

  private var sentHere: Long = 0
  private var handled: Long = 0
  private var other: Long = 0

  private var runState: Byte = RunState.Idle

  /** The lifecycle state: one of [[State]]. */
  final var state: Byte = State.New

  /** Whether it waits for room in a mailbox. */
  final var isMuted: Boolean = false

  // ---- run state: see [[RunState]]; owner thread only

  /** Whether no turn is due. */
  final def isIdle: Boolean = runState != RunState.Scheduled

  /** Whether it is idle, and its worker may hand it a message directly. */
  final def isResting: Boolean = runState == RunState.Resting

  /** Whether a turn is due or running, or turns are not allowed. */
  final def isScheduled: Boolean = runState == RunState.Scheduled

  final def setIdle(): Unit = runState = RunState.Idle
  final def setResting(): Unit = runState = RunState.Resting
  final def setScheduled(): Unit = runState = RunState.Scheduled

  // ---- owner thread

  /** The thread that runs this actor and may access all fields; null if it changes with each call.
    */
  final def ownerVolatile: Thread | Null = owner

  /** Transfers the actor: the new owner sees all writes of the old one. */
  final def setOwnerVolatile(thread: Thread | Null): Unit = owner = thread

  // ---- sender side

  final def headVolatile: InboundNode = head
  final def casHead(expected: InboundNode, node: InboundNode): Boolean =
    ActorFields.Head.compareAndSet(this, expected, node)

  /** As `waitingCount`, for the head `newest`: never less than the true count of some moment. */
  final def waitingAtAcquire(newest: InboundNode): Long =
    val completed = completedAcquire // first: a later message makes the result larger, not smaller
    newest.number + sentHereAcquire - completed

  private def sentHereAcquire: Long = ActorFields.SentHere.getAcquire(this).asInstanceOf[Long]

  /** The number of completed messages: handled, failed, dead or stashed. Never more than at the
    * moment of return, although a stashed message may become current again and lower it: therefore
    * the field that only grows is read first.
    */
  final def completedAcquire: Long =
    val handledCount = handledAcquire
    val otherCount: Long = ActorFields.Other.getAcquire(this).asInstanceOf[Long]
    handledCount + otherCount

  /** The number of handled messages. */
  final def handledAcquire: Long = ActorFields.Handled.getAcquire(this).asInstanceOf[Long]

  /** Sets `notified`. Returns true if this thread set it and therefore must wake the actor. */
  final def notifyVolatile(): Boolean =
    !notified && ActorFields.Notified.compareAndSet(this, false, true)

  final def isNotifiedVolatile: Boolean = notified

  /** Pushes a system message. Returns false if the actor accepts no more. */
  final def pushSystemMessage(message: SystemMessage): Boolean =
    var pushed = false
    var top = systemMessages
    while !pushed && (top ne SystemMessage.Closed) do
      message.placeAbove(top)
      pushed = ActorFields.SystemMessages.compareAndSet(this, top, message)
      if !pushed then top = systemMessages
    pushed

  /** The number of priority messages not yet taken; may be a few too low under contention. */
  final def priorityMessageCount: Int = SystemMessage.priorityDepth(systemMessages)

  // ---- owner side

  final def clearNotifiedVolatile(): Unit = notified = false

  final def hasSystemMessagesVolatile: Boolean =
    val top = systemMessages
    (top ne null) && (top ne SystemMessage.Closed)

  /** Whether a system message to stop, or to halt for a group restart, is pending. */
  final def isStopRequested: Boolean = isPending(_.stopsWork)

  /** Whether a pending system message may end or restart the actor. */
  final def mayBeEnded: Boolean = isPending(_.endsActor)

  /** Whether its handler was interrupted, as it was to stop. Owner thread only. */
  final def isInterrupted: Boolean = isPending(_.isInterrupt)

  private inline def isPending(inline isSought: SystemMessage => Boolean): Boolean =
    var message = systemMessages
    while message != null && !isSought(message) do message = message.next
    message != null

  /** Whether only the handler of `PostStop` may still run. Any thread. */
  final def isEndingVolatile: Boolean = (ActorFields.States.getVolatile(this): Byte) >= State.Ending

  /** Ends all requests to interrupt a handler; the state is `Ending`. A request that is pushed
    * after the fence finds that state.
    */
  final def endInterruptions(): Unit =
    VarHandle.fullFence()
    var message = systemMessages
    while message != null do
      message.endInterrupt()
      message = message.next

  /** Lets the actor accept no further message and handle none, because its system has failed.
    * Thread-safe.
    */
  def closeBySystem(): Unit =
    head = InboundNode.Closed
    ActorFields.SystemMessages.setVolatile(this, SystemMessage.EndBySystem())
    java.util.concurrent.locks.LockSupport.unpark(owner)

  final def isInboundEmptyVolatile: Boolean = head eq takenNode

  /** Takes all system messages, in the order of arrival. */
  final def takeSystemMessages(last: SystemMessage | Null): SystemMessage | Null =
    val top = ActorFields.SystemMessages.getAndSet(this, last).asInstanceOf[SystemMessage | Null]
    var message = if top eq SystemMessage.Closed then null else top
    var first: SystemMessage | Null = null
    while message != null do
      val next = message.next
      message.next = first
      first = message
      message = next
    first

  /** The number of nodes up to `newest` that the owner has not taken. */
  final def inboundCount(newest: InboundNode): Int = (newest.number - takenNode.number).toInt

  /** As `takeTo`, for the last time: closes the queue. */
  final def closeInbound(): InboundNode | Null =
    val newest = ActorFields.Head.getAndSet(this, InboundNode.Closed).asInstanceOf[InboundNode]
    takeTo(newest)

  /** Takes all nodes up to `newest`, oldest first; null if there are none. */
  final def takeTo(newest: InboundNode): InboundNode | Null =
    var first: InboundNode | Null = null
    var node: InboundNode | Null = newest
    while node != null && (node ne takenNode) do
      val next = node.next
      node.next = first
      first = node
      node = next
    takenNode = newest
    first

  // ---- counts

  /** The number of messages ever sent to the actor. Owner thread, or a reader that tolerates a
    * race.
    */
  final def sentCount: Long =
    val here = sentHereAcquire
    inboundNumber + here

  /** The number of waiting messages, including the current one. */
  final def waitingCount: Long =
    val completed = completedAcquire // first, as above
    sentCount - completed

  private def inboundNumber: Long =
    val newest = head
    if newest eq InboundNode.Closed then takenNode.number else newest.number

  /** Counts a message that the actor's own thread sent. */
  final def countSentRelease(): Unit = ActorFields.SentHere.setRelease(this, sentHere + 1)

  /** Counts the current message as completed, after its outcome was counted. */
  final def countDoneRelease(isHandled: Boolean): Unit =
    if isHandled then countHandledRelease() else countOtherRelease()

  final def countHandledRelease(): Unit = ActorFields.Handled.setRelease(this, handled + 1)

  /** Counts a message that failed, is dead or was stashed. */
  final def countOtherRelease(): Unit = ActorFields.Other.setRelease(this, other + 1)

  /** Counts a stashed message that becomes current again. */
  final def countAgainRelease(): Unit = ActorFields.Other.setRelease(this, other - 1)

  /** As `waitingCount`, by the owner thread, with the head it has just read. */
  final def waitingAt(newest: InboundNode): Long = newest.number + sentHere - (handled + other)

  /** Whether all counted messages are completed. Owner thread only; the actor must be open for
    * messages.
    */
  final def areAllCompleted: Boolean = head.number + sentHere == handled + other
end ActorFields

private[actor] object ActorFields:
  private val lookup =
    MethodHandles.privateLookupIn(classOf[ActorFields[?]], MethodHandles.lookup())
  private def of(name: String, kind: Class[?]): VarHandle =
    lookup.findVarHandle(classOf[ActorFields[?]], name, kind)
  private val Head = of("head", classOf[InboundNode])
  private val SystemMessages = of("systemMessages", classOf[SystemMessage])
  private val States = of("state", classOf[Byte])
  private val Notified = of("notified", classOf[Boolean])
  private val SentHere = of("sentHere", classOf[Long])
  private val Handled = of("handled", classOf[Long])
  private val Other = of("other", classOf[Long])
