package undercroft.actor

import scala.annotation.publicInBinary

/** Where the messages for one actor go.
  *
  * Any thread may hold one and send to it. A message is handled at most once; messages from one
  * sender to one actor are handled in the order they were sent. What cannot be handled goes to the
  * system's dead letters, with a [[Reason]].
  */
abstract class ActorRef[-T] private[actor] ():

  /** The actor's name, with its number where it has none of its own. */
  def name: String

  /** Sends a message and returns at once, wherever the mailbox's [[Overflow]] lets it.
    *
    * To an actor on the sender's own worker it costs some ten nanoseconds and allocates nothing;
    * from another thread a compare-and-set and an object of 32 bytes.
    *
    * @throws MailboxFullException
    *   if the mailbox is full and its policy is to fail the sender
    * @throws java.lang.NullPointerException
    *   if the message is null
    */
  infix def tell(message: T): Unit

  /** Sends a message that is handled before all others that wait but those sent so too, for what
    * controls an actor with a full mailbox. It costs a compare-and-set and two objects.
    *
    * @throws MailboxFullException
    *   if [[ActorRef.FirstLimit]] such messages wait
    */
  def tellFirst(message: T): Unit = tell(message)

  /** [[tell]], as actors have always spelled it. A message of a struct, written out here, is sent
    * without an object where the actor reads such: on the sender's own worker it allocates nothing.
    */
  inline def !(inline message: T): Unit = ${ internal.Sending[T]('this, 'message) }

  /** Sends a message of a kind whose fields are still to be written: into the slot that it answers,
    * at once, before this thread does anything else. 0 where the actor takes none of that kind, at
    * present or here: then nothing was sent.
    */
  @publicInBinary private[undercroft] def openSlot(kind: Long, header: Long): Long =
    val _ = (kind, header)
    0L

  /** Whether the actor has handled its last message, for good. */
  def isStopped: Boolean

  override def toString: String = name
end ActorRef

object ActorRef:
  /** Messages that may wait to be handled before the others of one actor. */
  final val FirstLimit = 4096

  given [A, B]: CanEqual[ActorRef[A], ActorRef[B]] = CanEqual.derived
