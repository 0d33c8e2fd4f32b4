package undercroft.pekko
package internal.wire

import internal.bridge.PekkoAddress
import org.apache.pekko.actor.ExtendedActorSystem
import org.apache.pekko.actor.typed
import org.apache.pekko.actor.typed.ActorRefResolver
import org.apache.pekko.actor.typed.scaladsl.adapter.*
import undercroft.actor.{ActorRef, Reply}

/** Writes and reads the references in messages. Thread-safe. Serializers exist before the actor
  * system has started, so its typed form is created at the first reference.
  */
private[pekko] final class WireRefs(system: ExtendedActorSystem):
  private given typedSystem: typed.ActorSystem[?] = system.toTyped
  private lazy val ofPekko = ActorRefResolver(typedSystem)

  def write(ref: ActorRef[?]): String = PekkoAddress.write(ref)
  def read(text: String): ActorRef[Any] = PekkoAddress.read(text)
  def readReply(text: String): Reply[Any] = PekkoAddress.readReply(text)

  def writePekko(ref: typed.ActorRef[?]): String = ofPekko.toSerializationFormat(ref)
  def readPekko(text: String): typed.ActorRef[Any] = ofPekko.resolveActorRef[Any](text)
