package undercroft.actor
package internal.cell

import java.lang.invoke.{MethodHandles, VarHandle}
import scala.annotation.nowarn

/** The fields of an actor that other threads access: the inbound queue of messages, the stack of
  * system messages, and the flag that says whether the actor was notified of them.
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
private[actor] abstract class ActorFields[T](first: Behavior[T]) extends ActorRef[T]:
  @volatile private var head: InboundNode = InboundNode.First
  private var takenNode: InboundNode = InboundNode.First
  @volatile private var commands: SystemMessage | Null = null
  @volatile private var notified: Boolean = false
  @volatile private var owner: Thread | Null = null

  // Declared here for locality: a turn accesses little more than the fields of this class, which
  // are adjacent in memory.
  protected final var behavior: Behavior[T] = first
  protected final var side: ColdState | Null = null
  protected final var kind: Long = 0

  private var sentHere: Long = 0
  private var handled: Long = 0
  private var other: Long = 0

  /** Links the actors that arrive at one worker; written by the thread that set `notified`. */
  private[actor] var nextArrived: ActorFields[?] | Null = null

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
    val dealt = doneAcquire // first: a message sent meanwhile makes the result larger, not smaller
    newest.number + sentHereAcquire - dealt

  private def sentHereAcquire: Long = ActorFields.SentHere.getAcquire(this).asInstanceOf[Long]

  /** The number of completed messages: handled, failed, dead or stashed. Never more than at the
    * moment of return, although a stashed message may become current again and lower it: therefore
    * the field that only grows is read first.
    */
  final def doneAcquire: Long =
    val sure = handledAcquire
    val otherCount: Long = ActorFields.Other.getAcquire(this).asInstanceOf[Long]
    sure + otherCount

  /** The number of handled messages. */
  final def handledAcquire: Long = ActorFields.Handled.getAcquire(this).asInstanceOf[Long]

  /** Sets `notified`. Returns true if this thread set it and therefore must wake the actor. */
  final def notifyVolatile(): Boolean =
    !notified && ActorFields.Notified.compareAndSet(this, false, true)

  final def isNotifiedVolatile: Boolean = notified

  /** Pushes a system message. Returns false if the actor accepts no more. */
  final def pushCommand(command: SystemMessage): Boolean =
    var pushed = false
    var top = commands
    while !pushed && (top ne SystemMessage.Closed) do
      command.next = top
      command.depth = if top == null then 0 else top.depth + 1
      pushed = ActorFields.Commands.compareAndSet(this, top, command)
      if !pushed then top = commands
    pushed

  /** The number of system messages not yet taken; may be a few too low under contention. */
  final def commandsWaiting: Int = commands match
    case null => 0
    case top  => top.depth + 1

  // ---- owner side

  final def lowerNotifiedVolatile(): Unit = notified = false

  final def hasCommandsVolatile: Boolean =
    val top = commands
    (top ne null) && (top ne SystemMessage.Closed)

  /** Whether a system message to stop, or to halt for a group restart, is pending. */
  final def isToldToStop: Boolean =
    var command = commands
    while command != null && !command.isInstanceOf[SystemMessage.Stop] && !command.isInstanceOf[
        SystemMessage.Halt
      ]
    do
      command = command.next
    command != null

  final def isLaneEmptyVolatile: Boolean = head eq takenNode

  /** Takes all system messages, in the order of arrival. */
  final def takeCommands(last: SystemMessage | Null): SystemMessage | Null =
    val top = ActorFields.Commands.getAndSet(this, last).asInstanceOf[SystemMessage | Null]
    var command = if top eq SystemMessage.Closed then null else top
    var first: SystemMessage | Null = null
    while command != null do
      val next = command.next
      command.next = first
      first = command
      command = next
    first

  /** The number of nodes from the last taken one up to `newest`. */
  final def countTo(newest: InboundNode): Int = (newest.number - takenNode.number).toInt

  /** As `takeTo`, for the last time: closes the queue. */
  final def closeLane(): InboundNode | Null =
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

  /** Takes only the oldest message, or null. Walks all waiting nodes; does not allocate. */
  final def takeOldest(): AnyRef | Null =
    var node = head
    if (node eq InboundNode.Closed) || (node eq takenNode) then null
    else
      while node.next ne takenNode do node = node.next.nn
      val message = node.message
      node.message = null
      node.next = null
      takenNode = node
      message

  /** The number of messages ever sent to the actor. Owner thread, or a reader that tolerates a
    * race.
    */
  final def sentCount: Long =
    val here = sentHereAcquire
    laneNumber + here

  /** The number of waiting messages, including the current one. */
  final def waitingCount: Long =
    val dealt = doneAcquire // first, as above
    sentCount - dealt

  private def laneNumber: Long =
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

  /** Whether no message waits. Owner thread only; the actor must be open for messages. */
  final def isAllDone: Boolean = head.number + sentHere == handled + other
end ActorFields

private[actor] object ActorFields:
  private val lookup =
    MethodHandles.privateLookupIn(classOf[ActorFields[?]], MethodHandles.lookup())
  private def of(name: String, kind: Class[?]): VarHandle =
    lookup.findVarHandle(classOf[ActorFields[?]], name, kind)
  private val Head = of("head", classOf[InboundNode])
  private val Commands = of("commands", classOf[SystemMessage])
  private val Notified = of("notified", classOf[Boolean])
  private val SentHere = of("sentHere", classOf[Long])
  private val Handled = of("handled", classOf[Long])
  private val Other = of("other", classOf[Long])

/** An inbound message, and the number of messages before it. */
private[actor] final class InboundNode(
    var message: AnyRef | Null,
    var next: InboundNode | Null,
    val number: Long
)

private[actor] object InboundNode:
  /** The initial head of every inbound queue. */
  val First: InboundNode = InboundNode(null, null, 0)

  /** The head of every closed inbound queue. */
  val Closed: InboundNode = InboundNode(null, null, 0)
