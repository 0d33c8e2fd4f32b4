package undercroft.actor

import java.lang.invoke.{MethodHandles, VarHandle}
import scala.annotation.nowarn

/** What other threads touch of an actor: the lane on which they leave messages, the stack on which
  * they leave commands, and the word that says whether the actor knows of them.
  *
  * {{{
  *   head -> n9 -> n8 -> n7 -> n6        senders put nodes before the head, by compare-and-set
  *                             ^
  *                             taken     the newest that the owner took; the lane is empty when
  *                                       it is the head
  * }}}
  *
  * The owner takes all nodes there are by walking from the head to `taken`: it needs no atomic
  * operation, only the read of the head. A node's number counts all that were ever put here, so the
  * number of messages that wait is `head.number + sentHere - handled - other`, where `sentHere` are
  * those that its own thread sent to it, and the last two those dealt with.
  *
  * Nobody is woken in vain or too late: a sender first puts its node (a full fence), then raises
  * `notified`, and only who raised it wakes the actor. The owner lowers it (a full fence) before it
  * looks at the head: so either it sees the node, or the sender sees it lowered.
  *
  * The names say the order of memory: `Volatile`, `Acquire`, `Release`, `Opaque`; those without are
  * for the owner's own fields. The stack of nodes is R. K. Treiber's ("Systems Programming: Coping
  * with Parallelism", 1986), read from below.
  */
@nowarn("msg=unset private variable") // set by VarHandles
private[actor] abstract class Lane[T](first: Behavior[T]) extends ActorRef[T]:
  @volatile private var head: Node = Node.First
  private var taken: Node = Node.First
  @volatile private var commands: Command | Null = null
  @volatile private var notified: Boolean = false
  @volatile private var owner: Thread | Null = null

  // Here for one reason: a turn touches little more than this class's fields, which lie together.
  protected final var behavior: Behavior[T] = first
  protected final var side: Side | Null = null
  protected final var kind: Long = 0

  private var sentHere: Long = 0
  private var handled: Long = 0
  private var other: Long = 0

  /** Links the actors that wait for one worker; for who raised `notified`. */
  private[actor] var nextArrived: Lane[?] | Null = null

  // ---- whose thread it is

  /** The thread that runs this actor; it may use all fields. Null where that changes by the call.
    */
  final def ownerVolatile: Thread | Null = owner

  /** Hands the actor over: the new owner sees all that the old one did. */
  final def setOwnerVolatile(thread: Thread | Null): Unit = owner = thread

  // ---- the senders' side

  final def headVolatile: Node = head
  final def casHead(expected: Node, node: Node): Boolean =
    Lane.Head.compareAndSet(this, expected, node)

  /** As `waitingCount`, where the head is `newest`: never less than the truth of some moment. */
  final def waitingAtAcquire(newest: Node): Long =
    val dealt = doneAcquire // first: what is sent meanwhile makes it more, not less
    newest.number + sentHereAcquire - dealt

  private def sentHereAcquire: Long = Lane.SentHere.getAcquire(this).asInstanceOf[Long]

  /** Messages dealt with: handled, come to another end, or put aside. Never more than of the moment
    * at which it returns, though the last ones may come into hand again: so what only grows is read
    * first.
    */
  final def doneAcquire: Long =
    val sure = handledAcquire
    val other: Long = Lane.Other.getAcquire(this).asInstanceOf[Long]
    sure + other

  /** Messages handled. */
  final def handledAcquire: Long = Lane.Handled.getAcquire(this).asInstanceOf[Long]

  /** Raises `notified`; true for the one who is to wake the actor. */
  final def notifyVolatile(): Boolean = !notified && Lane.Notified.compareAndSet(this, false, true)

  final def isNotifiedVolatile: Boolean = notified

  /** Leaves a command; false if the actor takes none any more. */
  final def pushCommand(command: Command): Boolean =
    var pushed = false
    var top = commands
    while !pushed && (top ne Command.Closed) do
      command.next = top
      command.depth = if top == null then 0 else top.depth + 1
      pushed = Lane.Commands.compareAndSet(this, top, command)
      if !pushed then top = commands
    pushed

  /** Commands that were left and not taken, at a moment; a few less where many come at once. */
  final def commandsWaiting: Int = commands match
    case null => 0
    case top  => top.depth + 1

  // ---- the owner's side

  final def lowerNotifiedVolatile(): Unit = notified = false

  final def hasCommandsVolatile: Boolean =
    val top = commands
    (top ne null) && (top ne Command.Closed)

  /** Whether there is a command to stop among those left. */
  final def isToldToStop: Boolean =
    var each = commands
    while each != null && !each.isInstanceOf[Command.Stop] do each = each.next
    each != null

  final def isLaneEmptyVolatile: Boolean = head eq taken

  /** All commands left, in the order they came. */
  final def takeCommands(last: Command | Null): Command | Null =
    val top = Lane.Commands.getAndSet(this, last).asInstanceOf[Command | Null]
    var each = if top eq Command.Closed then null else top
    var first: Command | Null = null
    while each != null do
      val next = each.next
      each.next = first
      first = each
      each = next
    first

  /** All nodes put since the last call, oldest first; null if there are none. */
  final def takeLane(): Node | Null =
    val newest = head
    if newest eq Node.Closed then null else takeTo(newest)

  /** As `takeLane`, the last time: no more nodes can be put. */
  final def closeLane(): Node | Null =
    val newest = Lane.Head.getAndSet(this, Node.Closed).asInstanceOf[Node]
    takeTo(newest)

  private def takeTo(newest: Node): Node | Null =
    var first: Node | Null = null
    var each: Node | Null = newest
    while each != null && (each ne taken) do
      val next = each.next
      each.next = first
      first = each
      each = next
    taken = newest
    first

  /** All that were ever sent to it. The owner's, or a reader's that bears a race. */
  final def sentCount: Long =
    val here = sentHereAcquire
    laneNumber + here

  /** Messages that wait, the one in hand among them. */
  final def waitingCount: Long =
    val dealt = doneAcquire // first, as above
    sentCount - dealt

  private def laneNumber: Long =
    val newest = head
    if newest eq Node.Closed then taken.number else newest.number

  /** Counts a message that the actor's own thread sent. */
  final def countSentRelease(): Unit = Lane.SentHere.setRelease(this, sentHere + 1)

  /** Counts the message in hand as dealt with, when what became of it is counted. */
  final def countDoneRelease(isHandled: Boolean): Unit =
    if isHandled then countHandledRelease() else countOtherRelease()

  final def countHandledRelease(): Unit = Lane.Handled.setRelease(this, handled + 1)

  /** Counts a message that failed, is not handled, or is put aside. */
  final def countOtherRelease(): Unit = Lane.Other.setRelease(this, other + 1)

  /** Counts a message that was put aside and is in hand again. */
  final def countAgainRelease(): Unit = Lane.Other.setRelease(this, other - 1)

  /** As `waitingCount`, by the owner, with the head it has just read. */
  final def waitingAt(newest: Node): Long = newest.number + sentHere - (handled + other)

  /** Whether nothing waits, on the lane or here. The owner's, of an actor that takes messages. */
  final def isAllDone: Boolean = head.number + sentHere == handled + other
end Lane

private[actor] object Lane:
  private val lookup = MethodHandles.privateLookupIn(classOf[Lane[?]], MethodHandles.lookup())
  private def of(name: String, kind: Class[?]): VarHandle =
    lookup.findVarHandle(classOf[Lane[?]], name, kind)
  private val Head = of("head", classOf[Node])
  private val Commands = of("commands", classOf[Command])
  private val Notified = of("notified", classOf[Boolean])
  private val SentHere = of("sentHere", classOf[Long])
  private val Handled = of("handled", classOf[Long])
  private val Other = of("other", classOf[Long])

/** A message on a lane, and how many came before it. */
private[actor] final class Node(var message: AnyRef | Null, var next: Node | Null, val number: Long)

private[actor] object Node:
  /** Lies on every lane that nothing was ever put on. */
  val First: Node = Node(null, null, 0)

  /** Lies on every lane that takes no more. */
  val Closed: Node = Node(null, null, 0)
