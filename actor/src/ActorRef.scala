package undercroft.actor

import internal.macros.SendMacro
import scala.annotation.publicInBinary
import scala.concurrent.Future

/** A reference to an actor: the address to which messages for it are sent.
  *
  * Thread-safe. An actor handles a message at most once, and handles the messages of one sender in
  * the order in which they were sent. A message that it does not handle goes to the system's dead
  * letters, with a [[DeadLetterReason]].
  *
  * {{{
  * def announce(actors: List[ActorRef[String]]): Unit =
  *   for actor <- actors if !actor.isStopped do actor ! "closing time"
  * }}}
  */
abstract class ActorRef[-T] private[actor] ():

  /** The actor's name; for an actor spawned without a name, the system's name and a number. */
  def name: String

  /** The actor's place in its system: the path of its parent, a slash, and the name that it was
    * spawned with. No two live actors have the same path: if an older sibling has the same name, or
    * the actor has none, a `#` and the actor's number follow. A `/`, `#` or `%` in a name is
    * written `%2F`, `%23` or `%25`.
    *
    * [[ActorSystem.find]] finds the actor by each path that it ever had: its path loses the number
    * when the older sibling stops, and gets it when the actor has stopped itself. Of an adapter, a
    * reply or an actor of another runtime it is the `name`. Cost: O(depth) and, for each level, a
    * walk over the siblings; an actor stores no path.
    *
    * {{{
    * def shop: Behavior[Int] = Behavior.setup:
    *   println(spawn(Behavior.ignore[Int], "till").path) // shop/till
    *   Behavior.ignore
    * ActorSystem.scoped("town")(println(spawn(shop, "shop").path)) // shop
    * }}}
    */
  def path: String = name

  /** Sends a message. Returns at once, unless the mailbox is full and its [[Overflow]] blocks the
    * sender.
    *
    * Between actors of one worker it costs about 10 ns and does not allocate; from another thread
    * it costs a CAS and an object of 32 bytes.
    *
    * {{{
    * ActorSystem.scoped("shop"):
    *   val printer = spawn(Behavior.receive[String] { text =>
    *     println(text) // hello
    *     Behavior.same
    *   })
    *   printer.tell("hello")
    * }}}
    *
    * @throws MailboxFullException
    *   if the mailbox is full and its overflow strategy is to fail the sender; or to block it, and
    *   the wait would be a deadlock or is interrupted. The message becomes a dead letter
    * @throws java.lang.NullPointerException
    *   if the message is null
    */
  infix def tell(message: T): Unit

  /** Sends a priority message: it is handled before all waiting messages except earlier priority
    * messages. It can control an actor whose mailbox is full. It costs a CAS and two objects. For a
    * [[Reply]] and an actor of another runtime it is the same as [[tell]].
    *
    * {{{
    * def hurry(worker: ActorRef[String]): Unit =
    *   worker ! "a task"
    *   worker.tellPriority("stop now") // handled before all waiting tasks
    * }}}
    *
    * @throws MailboxFullException
    *   if [[ActorRef.PriorityLimit]] such messages wait
    */
  def tellPriority(message: T): Unit = tell(message)

  /** Alias of [[tell]]. If the argument constructs a struct and the actor reads that type from
    * slots, the message is written to a slot instead of the heap: between actors of one worker this
    * does not allocate.
    *
    * {{{
    * enum Account:
    *   case Deposit(amount: Int)
    *
    * def pay(account: ActorRef[Account]): Unit = account ! Account.Deposit(250)
    * }}}
    */
  inline def !(inline message: T): Unit = ${ SendMacro[T]('this, 'message) }

  /** Allocates a slot for a message whose fields the caller writes next, and enqueues it. The
    * caller must write the fields before this thread does anything else. Returns 0, and sends
    * nothing, if the actor does not accept slots of this kind now or from this thread.
    */
  @publicInBinary private[undercroft] def openSlot(kind: Long, header: Long): Long = 0L

  /** Whether the mailbox accepts another message now without an effect on the sender or on other
    * messages, and the stash has room for it. Thread-safe; the result may be obsolete at once.
    */
  private[undercroft] def hasRoom: Boolean = true

  /** Whether the actor handles a message completely only when its events are stored: see
    * [[tellConfirmed]]. Thread-safe; once true, it stays so.
    */
  private[undercroft] def storesEvents: Boolean = false

  /** Sends a message to an actor that [[storesEvents]]. `concluded` is called at most once, on the
    * thread of the actor or of the sender: with true when the events of the message are stored, or
    * when it has none or failed for another reason; with false if it can be sent again. It is not
    * called if the actor stops.
    */
  private[undercroft] def tellConfirmed(message: T, concluded: Boolean => Unit): Unit =
    val _ = concluded
    tell(message)

  /** Stops the actor after all messages that were sent before; a persistent one stores their
    * events. Thread-safe. No effect on an actor of another runtime.
    */
  private[undercroft] def stopInOrder(): Unit = ()

  /** Whether the next turn starts, stops or restarts the actor, so that an executor must not delay
    * it for the sake of the actor's messages. Only while no turn runs, by the thread that runs the
    * turns.
    */
  private[undercroft] def isLifecycleTurnDue: Boolean = false

  /** Whether the actor has stopped and handles no more messages.
    *
    * {{{
    * val system = ActorSystem("shop")
    * val actor = spawn(Behavior.ignore[Int])(using system)
    * println(actor.isStopped) // false
    * system.close()
    * println(actor.isStopped) // true
    * }}}
    */
  def isStopped: Boolean

  /** A future that completes, once, when the actor has stopped, normally or by a failure; at once
    * if it has. The actor has handled its last message and signal then, and its children have
    * stopped. A restart does not complete it. For code outside of actors; an actor uses
    * [[ActorContext.watch]].
    *
    * Costs nothing until the future is requested, then an entry in a hash map until the actor
    * stops. The future of a message adapter is its actor's.
    *
    * {{{
    * import scala.concurrent.Await
    * import scala.concurrent.duration.*
    * ActorSystem.scoped("shop"):
    *   val till = spawn(Behavior.receive[Int] { _ =>
    *     Behavior.stopped
    *   })
    *   val end = till.whenStopped
    *   till ! 250
    *   Await.result(end, 10.seconds)
    *   println(till.isStopped) // true
    * }}}
    *
    * @throws java.lang.IllegalArgumentException
    *   if the reference cannot be watched: a [[Reply]], an entity of a cluster, or an actor of a
    *   simulated node
    */
  def whenStopped: Future[Unit]

  override def toString: String = name
end ActorRef

object ActorRef:
  /** The largest number of priority messages that may wait for one actor. */
  final val PriorityLimit = 4096

  given [A, B]: CanEqual[ActorRef[A], ActorRef[B]] = CanEqual.derived
