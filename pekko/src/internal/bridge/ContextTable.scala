package undercroft.pekko
package internal.bridge

import java.lang.ref.{ReferenceQueue, WeakReference}
import java.util.concurrent.ConcurrentHashMap
import org.apache.pekko.actor.{ExtendedActorSystem, Extension, ExtensionId}
import undercroft.actor.internal.cell.{MessageTracer, Tracing}

/** The trace contexts of messages on their way through Pekko, by the identity of the message: from
  * a send to the hosted actor on this node, or to the transport, and from the transport on.
  * Thread-safe.
  *
  * Pekko has no place for a context beside a message. A message object that several senders share
  * is not traced: a value without fields, a text, a number, an object on its way with different
  * contexts. So a context is never that of another message.
  *
  * An entry is removed when the last of its sends has arrived, else when the message is garbage: an
  * actor of Pekko takes no context, and nobody takes that of a lost message.
  */
private[pekko] final class ContextTable extends Extension:
  import ContextTable.*

  private val entries = ConcurrentHashMap[Key, Entry]()
  private val garbage = ReferenceQueue[AnyRef]()
  @volatile private var tracing: Tracing | Null = null

  /** The tracing of the actor system of Undercroft. */
  def use(tracing: Tracing): Unit = this.tracing = tracing

  def tracer: MessageTracer | Null =
    val present = tracing
    if present eq null then null else present.tracer

  /** The number of messages with a context. */
  def size: Int =
    expunge()
    entries.size

  /** This thread is about to send a message through Pekko. */
  def sending(message: Any): Unit =
    val present = tracer
    if present ne null then
      val text = present.outgoing()
      if (text ne null) || !entries.isEmpty then put(message.asInstanceOf[AnyRef], text)

  /** Notes the context of a message, or that it has none. */
  def put(message: AnyRef, text: String | Null): Unit = if isOwnObject(message) then
    expunge()
    val key = StoredKey(message, garbage)
    entries.compute(
      key,
      (_, before) =>
        if before eq null then if text eq null then null else Entry(text, 1)
        else Entry(if isSame(before.text, text) then text else null, before.sends + 1)
    ): Unit

  /** The context of a message that has arrived, or null. */
  def take(message: AnyRef): String | Null =
    if entries.isEmpty || !isOwnObject(message) then null
    else
      var text: String | Null = null
      entries.computeIfPresent(
        SoughtKey(message),
        (_, before) =>
          text = before.text
          if before.sends == 1 then null else Entry(before.text, before.sends - 1)
      ): Unit
      text

  /** Sends a message that has arrived to an actor of Undercroft, in its context. The send is
    * inlined: it costs nothing more if there are no contexts.
    */
  inline def deliver(message: Any)(inline send: Unit): Unit =
    val text = take(message.asInstanceOf[AnyRef])
    if text eq null then send else deliverIn(text, () => send)

  def deliverIn(text: String, send: Runnable): Unit =
    val present = tracer
    if present eq null then send.run() else present.incoming(text, send)

  private def expunge(): Unit =
    var key = garbage.poll
    while key ne null do
      entries.remove(key): Unit
      key = garbage.poll
end ContextTable

private[pekko] object ContextTable extends ExtensionId[ContextTable]:
  def createExtension(system: ExtendedActorSystem): ContextTable = new ContextTable()

  /** Whether two contexts, or none, are the same. */
  def isSame(first: String | Null, second: String | Null): Boolean =
    if (first eq null) || (second eq null) then first eq second else first.equals(second)

  /** Whether a message is an object of its own, and not a value that many senders share. */
  private def isOwnObject(message: AnyRef): Boolean = message match
    case product: Product => product.productArity > 0
    case _                => false

  /** @param sends
    *   the number of sends that have not arrived
    */
  private final class Entry(val text: String | Null, val sends: Int)

  private sealed trait Key:
    def subject: AnyRef | Null
    override def equals(other: Any): Boolean = other match
      case key: Key => (this eq key) || ((subject ne null) && (subject eq key.subject))
      case _        => false

  private final class StoredKey(message: AnyRef, garbage: ReferenceQueue[AnyRef])
      extends WeakReference[AnyRef](message, garbage),
        Key:
    override val hashCode: Int = System.identityHashCode(message)
    def subject: AnyRef | Null = get

  private final class SoughtKey(val subject: AnyRef) extends Key:
    override val hashCode: Int = System.identityHashCode(subject)
end ContextTable
