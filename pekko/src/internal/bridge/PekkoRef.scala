package undercroft.pekko
package internal.bridge

import org.apache.pekko.actor.typed
import scala.concurrent.Future
import undercroft.actor.{ActorRef, ExternalRef}

/** A Pekko actor as a reference of Undercroft. */
private[pekko] final class PekkoRef[T](val underlying: typed.ActorRef[T], bridge: PekkoBridge)
    extends ExternalRef[T](bridge.system):
  def name: String = underlying.path.toString

  def tell(message: T): Unit =
    if message.asInstanceOf[AnyRef] eq null then
      throw NullPointerException(s"a message to $name is null")
    bridge.contexts.sending(message)
    underlying ! message

  /** The actor that [[isStopped]] looks at: it stops when Pekko reports the end. */
  @volatile private var watched: ActorRef[Nothing] | Null = null

  /** Whether Pekko has reported that the actor has stopped, or that its node was removed. The first
    * call begins to watch it; nothing else tells about an actor of another node.
    */
  def isStopped: Boolean =
    val known = watched
    if known ne null then known.isStopped
    else if bridge.pekko.whenTerminated.isCompleted then true
    else
      val first = lifetime
      watched = first // racy, but benign: each one stops
      first.isStopped

  override def whenStopped: Future[Unit] =
    if bridge.pekko.whenTerminated.isCompleted then Future.unit else lifetime.whenStopped

  private[undercroft] def lifetime: ActorRef[Nothing] = bridge.lifetime(underlying.unsafeUpcast)

  override def equals(other: Any): Boolean = other match
    case ref: PekkoRef[?] => ref.underlying.equals(underlying)
    case _                => false
  override def hashCode: Int = underlying.hashCode
end PekkoRef
