package undercroft.pekko
package internal.bridge

import org.apache.pekko.actor.typed
import undercroft.actor.{ActorRef, ExternalRef}

/** A Pekko actor as a reference of Undercroft. */
private[pekko] final class PekkoRef[T](val underlying: typed.ActorRef[T], bridge: PekkoBridge)
    extends ExternalRef[T](bridge.system):
  def name: String = underlying.path.toString

  def tell(message: T): Unit =
    if message.asInstanceOf[AnyRef] eq null then
      throw NullPointerException(s"a message to $name is null")
    underlying ! message

  /** Pekko does not report it; a watcher gets Terminated. */
  def isStopped: Boolean = false

  private[undercroft] def lifetime: ActorRef[Nothing] = bridge.lifetime(underlying.unsafeUpcast)

  override def equals(other: Any): Boolean = other match
    case ref: PekkoRef[?] => ref.underlying.equals(underlying)
    case _                => false
  override def hashCode: Int = underlying.hashCode
