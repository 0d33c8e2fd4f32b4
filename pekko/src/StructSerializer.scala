package undercroft.pekko

import internal.codec.MessageRegistry
import internal.wire.{WireInput, WireOutput, WireRefs}
import java.nio.{ByteBuffer, ByteOrder}
import org.apache.pekko.serialization.{ByteBufferSerializer, SerializerWithStringManifest}
import scala.util.control.NonFatal

/** Pekko's serializer for all messages with a [[MessageCodec]]. Created by
  * [[UndercroftSerialization]].
  *
  * The bytes of a message are its fields in declaration order, without names: primitives
  * little-endian with fixed width, texts in UTF-8. The manifest has the name of the type and of the
  * case, and the names and types of the fields, so that a receiver reads messages of another
  * version of the class; Artery compresses manifests that are sent often. A manifest is US-ASCII
  * and has at most 16384 characters.
  *
  * A receiver whose class is different matches cases and fields by name. Fields may be reordered
  * and widened (Int to Long, Float to Double, `Text[8]` to `Text[16]`, `Text[N]` to String). A
  * field that the sender lacks has its default value, or `None`; a field that the receiver lacks is
  * skipped.
  *
  * Thread-safe. A message costs time and memory proportional to its size. The receiver parses each
  * distinct manifest of another version once, and keeps the plans of 256.
  *
  * {{{
  * import org.apache.pekko.actor.ActorSystem
  * import org.apache.pekko.serialization.SerializationExtension
  * def serializer(system: ActorSystem, message: AnyRef): String =
  *   SerializationExtension(system).findSerializerFor(message) match
  *     case struct: StructSerializer => struct.manifest(message)
  *     case other                    => s"${other.identifier}"
  * }}}
  */
final class StructSerializer private[pekko] (registry: MessageRegistry, refs: WireRefs)
    extends SerializerWithStringManifest,
      ByteBufferSerializer:

  /** [[StructSerializer.Identifier]]. */
  def identifier: Int = StructSerializer.Identifier

  /** The manifest of a message.
    *
    * @throws java.lang.IllegalArgumentException
    *   if no codec was registered for its class
    */
  def manifest(message: AnyRef): String = registry.entryOf(message).manifest

  /** Writes a message into a new array.
    *
    * @throws java.lang.IllegalArgumentException
    *   if no codec was registered for its class, if a text has half a surrogate pair, or if a
    *   reference cannot be resolved
    * @throws java.lang.NullPointerException
    *   if a field is null
    */
  def toBinary(message: AnyRef): Array[Byte] =
    val out = WireOutput.growing(refs)
    registry.entryOf(message).write(message, out)
    out.result

  /** Writes a message into a buffer from its position on, without an array in between. Throws as
    * the other method.
    *
    * @throws java.nio.BufferOverflowException
    *   if it does not fit, which Artery reports as an oversized message
    */
  def toBinary(message: AnyRef, buffer: ByteBuffer): Unit =
    val entry = registry.entryOf(message)
    val order = buffer.order
    buffer.order(ByteOrder.LITTLE_ENDIAN): Unit
    try entry.write(message, WireOutput(buffer, false, refs))
    finally buffer.order(order): Unit

  /** Reads a message.
    *
    * @throws MessageFormatException
    *   if bytes or manifest are cut, forged, or of a version that cannot be converted
    */
  def fromBinary(bytes: Array[Byte], manifest: String): AnyRef =
    fromBinary(ByteBuffer.wrap(bytes), manifest)

  /** Reads a message that ends at the buffer's limit. Throws as the other method. */
  def fromBinary(buffer: ByteBuffer, manifest: String): AnyRef =
    val reader = registry.readerOf(manifest)
    val order = buffer.order
    buffer.order(ByteOrder.LITTLE_ENDIAN): Unit
    try
      val in = WireInput(buffer, reader.subject, refs)
      val message =
        try reader.read(in)
        catch
          case error: MessageFormatException => throw error
          case NonFatal(cause) =>
            in.fail(MessageFault.Rejected, 0, in.offset, s"its constructor threw $cause", cause)
      in.end()
      message
    finally buffer.order(order): Unit
  end fromBinary
end StructSerializer

object StructSerializer:

  /** The identifier of the serializer in Pekko, the same on all nodes: `Ucft` in US-ASCII. */
  final val Identifier = 0x55636674
