package undercroft.pekko
package internal.delivery

import java.nio.{ByteBuffer, ByteOrder}
import java.nio.charset.StandardCharsets.UTF_8
import org.apache.pekko.actor.ExtendedActorSystem
import org.apache.pekko.actor.typed
import org.apache.pekko.actor.typed.ActorRefResolver
import org.apache.pekko.actor.typed.scaladsl.adapter.ClassicActorSystemOps
import org.apache.pekko.serialization.{ByteBufferSerializer, SerializerWithStringManifest}

/** Pekko's serializer for batches and acknowledgements. Registered in `reference.conf`.
  *
  * All numbers are little-endian. A batch is the sender's address, base, first, transmission and
  * count; then for each message its serializer, manifest and bytes, each text and array behind its
  * length. A message with the serializer and manifest of the one before has the mark [[Same]] in
  * their place, and a withdrawn one the mark [[Withdrawn]]. Thread-safe.
  */
private[pekko] final class DeliverySerializer(system: ExtendedActorSystem)
    extends SerializerWithStringManifest,
      ByteBufferSerializer:
  import DeliverySerializer.*

  private def resolver = ActorRefResolver(system.toTyped)

  /** The last written address, and the last read address. */
  @volatile private var written: (typed.ActorRef[Acknowledgement], Array[Byte]) | Null = null
  @volatile private var read: (Array[Byte], typed.ActorRef[Acknowledgement]) | Null = null

  def identifier: Int = Identifier

  def manifest(message: AnyRef): String = message match
    case _: DeliveryBatch   => BatchManifest
    case _: Acknowledgement => AcknowledgementManifest
    case other =>
      throw IllegalArgumentException(s"${other.getClass.getName} is no message of delivery")

  def toBinary(message: AnyRef): Array[Byte] =
    val buffer = ByteBuffer.allocate(message match
      case batch: DeliveryBatch => BatchOverhead + batch.payloads.iterator.map(_.length).sum
      case _                    => AcknowledgementLength).nn
    toBinary(message, buffer)
    java.util.Arrays.copyOf(buffer.array, buffer.position).nn

  def toBinary(message: AnyRef, buffer: ByteBuffer): Unit = littleEndian(buffer):
    message match
      case batch: DeliveryBatch   => write(batch, buffer)
      case reply: Acknowledgement => write(reply, buffer)
      case other                  => manifest(other): Unit

  def fromBinary(bytes: Array[Byte], manifest: String): AnyRef =
    fromBinary(ByteBuffer.wrap(bytes).nn, manifest)

  def fromBinary(buffer: ByteBuffer, manifest: String): AnyRef = littleEndian(buffer):
    manifest match
      case BatchManifest           => readBatch(buffer)
      case AcknowledgementManifest => readAcknowledgement(buffer)
      case _ => throw IllegalArgumentException(s"'$manifest' is no manifest of delivery")

  private def littleEndian[A](buffer: ByteBuffer)(body: => A): A =
    val order = buffer.order
    buffer.order(ByteOrder.LITTLE_ENDIAN): Unit
    try body
    finally buffer.order(order): Unit

  // ---- batches

  private def write(batch: DeliveryBatch, out: ByteBuffer): Unit =
    writeText(addressOf(batch.replyTo), out)
    out.putLong(batch.base).putLong(batch.first).putLong(batch.transmission)
    out.putInt(batch.payloads.length): Unit
    var last: Payload = Payload.Withdrawn
    for payload <- batch.payloads do
      if payload eq Payload.Withdrawn then out.putInt(Withdrawn): Unit
      else
        if payload.serializer == last.serializer && payload.manifest == last.manifest then
          out.putInt(Same): Unit
        else
          writeText(payload.manifest.getBytes(UTF_8).nn, out)
          out.putInt(payload.serializer): Unit
        out.putInt(payload.bytes.length).put(payload.bytes): Unit
        last = payload
  end write

  private def readBatch(in: ByteBuffer): DeliveryBatch =
    val replyTo = resolve(readBytes(in, in.getInt))
    val (base, first, transmission) = (in.getLong, in.getLong, in.getLong)
    if base < 0 || first < base then
      throw IllegalArgumentException(s"a batch from $first on, with the base $base")
    // Each message has at least one number.
    val count = checkedLength(in.getInt, in.remaining / 4)
    var last: Payload = Payload.Withdrawn
    val payloads = Array.fill(count)(in.getInt match
      case Withdrawn => Payload.Withdrawn
      case Same =>
        last = Payload(last.serializer, last.manifest, readBytes(in, in.getInt))
        last
      case length =>
        val manifest = String(readBytes(in, length), UTF_8)
        val serializer = in.getInt
        last = Payload(serializer, manifest, readBytes(in, in.getInt))
        last)
    DeliveryBatch(replyTo, base, first, transmission, payloads)
  end readBatch

  private def addressOf(ref: typed.ActorRef[Acknowledgement]): Array[Byte] =
    val last = written
    if (last ne null) && last._1.equals(ref) then last._2
    else
      val bytes = resolver.toSerializationFormat(ref).getBytes(UTF_8).nn
      written = (ref, bytes)
      bytes

  private def resolve(bytes: Array[Byte]): typed.ActorRef[Acknowledgement] =
    val last = read
    if (last ne null) && java.util.Arrays.equals(last._1, bytes) then last._2
    else
      val ref = resolver.resolveActorRef[Acknowledgement](String(bytes, UTF_8))
      read = (bytes, ref)
      ref

  // ---- acknowledgements

  private def write(reply: Acknowledgement, out: ByteBuffer): Unit =
    out.putLong(reply.expected).putLong(reply.transmission): Unit
    reply.outcome match
      case Outcome.Accepted => out.putInt(0): Unit
      case Outcome.Gap      => out.putInt(1): Unit
      case Outcome.Full     => out.putInt(2): Unit
      case Outcome.Unreadable(reason) =>
        out.putInt(3)
        writeText(reason.take(MaxReason).getBytes(UTF_8).nn, out)
      case Outcome.NotStored => out.putInt(4): Unit

  private def readAcknowledgement(in: ByteBuffer): Acknowledgement =
    val (expected, transmission) = (in.getLong, in.getLong)
    val outcome = in.getInt match
      case 0 => Outcome.Accepted
      case 1 => Outcome.Gap
      case 2 => Outcome.Full
      case 3 => Outcome.Unreadable(String(readBytes(in, in.getInt), UTF_8))
      case 4 => Outcome.NotStored
      case n => throw IllegalArgumentException(s"the outcome of a batch is $n; expected 0 to 4")
    Acknowledgement(expected, transmission, outcome)

  // ---- texts and arrays

  private def writeText(bytes: Array[Byte], out: ByteBuffer): Unit =
    out.putInt(bytes.length).put(bytes): Unit

  private def readBytes(in: ByteBuffer, length: Int): Array[Byte] =
    val bytes = new Array[Byte](checkedLength(length, in.remaining))
    in.get(bytes): Unit
    bytes

  private def checkedLength(length: Int, limit: Int): Int =
    if length < 0 || length > limit then
      throw IllegalArgumentException(
        s"a length in a message of delivery is $length; allowed: 0 to $limit"
      )
    length
end DeliverySerializer

private[pekko] object DeliverySerializer:
  /** `UcfD` in US-ASCII. */
  final val Identifier = 0x55636644
  private final val BatchManifest = "b"
  private final val AcknowledgementManifest = "a"

  private final val Same = -1
  private final val Withdrawn = -2

  /** Upper bounds in bytes: of a batch without its messages, and of an acknowledgement. */
  val BatchOverhead = 2048
  private val MaxReason = 500
  private val AcknowledgementLength = 24 + 3 * MaxReason
end DeliverySerializer
