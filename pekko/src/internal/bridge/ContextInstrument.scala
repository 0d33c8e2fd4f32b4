package undercroft.pekko
package internal.bridge

import internal.delivery.{DeliveryBatch, Payload}
import java.nio.{ByteBuffer, ByteOrder}
import java.nio.charset.StandardCharsets.UTF_8
import org.apache.pekko.actor.{ActorRef, ExtendedActorSystem, WrappedMessage}
import org.apache.pekko.remote.artery.RemoteInstrument

/** Carries the trace contexts of messages between nodes, as metadata of Artery's envelope.
  * Registered in `reference.conf`.
  *
  * A message without a context has no metadata, and its bytes are those without this class. A node
  * that has no such instrument skips the metadata; the message's own bytes are never different. The
  * metadata is a version and the number of runs, then for each run of messages with one context its
  * first index, its length, and the text; all but a batch of reliable delivery is one message.
  * Numbers are little-endian:
  *
  * {{{
  *   | 1: Byte | runs: Short | first: Short | messages: Short | bytes: Short | UTF-8 ... | first ...
  * }}}
  *
  * Forged metadata has no effect on its message: Pekko skips an instrument that throws.
  */
private[pekko] final class ContextInstrument(system: ExtendedActorSystem) extends RemoteInstrument:
  import ContextInstrument.*

  private lazy val contexts = ContextTable(system)

  def identifier: Byte = Identifier

  override def remoteWriteMetadata(
      recipient: ActorRef,
      message: Object,
      sender: ActorRef,
      buffer: ByteBuffer
  ): Unit =
    content(message) match
      case batch: DeliveryBatch =>
        if batch.payloads.exists(_.context ne null) then
          val length = batch.payloads.iterator.map(_.length).sum
          write(batch.payloads, buffer.remaining - FrameOverhead - length, buffer)
      case other =>
        val text = contexts.take(other)
        if text ne null then
          val payload = Payload(0, "", Array.emptyByteArray)
          payload.context = text
          write(Array(payload), buffer.remaining, buffer)

  /** Writes as many contexts as fit into `room` bytes, which are those beside the message. */
  private def write(payloads: Array[Payload], room: Int, buffer: ByteBuffer): Unit =
    littleEndian(buffer):
      val start = buffer.position
      val end = start + math.min(MaxBytes, room)
      buffer.put(Version).putShort(0): Unit
      var runs = 0
      var i = 0
      while i < payloads.length do
        val text = payloads(i).context
        var next = i + 1
        while next < payloads.length && ContextTable.isSame(payloads(next).context, text) do
          next += 1
        if text ne null then
          val bytes = text.getBytes(UTF_8).nn
          if bytes.length <= MaxTextBytes && buffer.position + RunOverhead + bytes.length <= end
          then
            buffer.putShort(i.toShort).putShort((next - i).toShort): Unit
            buffer.putShort(bytes.length.toShort).put(bytes): Unit
            runs += 1
        i = next
      if runs == 0 then buffer.position(start): Unit
      else buffer.putShort(start + 1, runs.toShort): Unit

  override def remoteReadMetadata(
      recipient: ActorRef,
      message: Object,
      sender: ActorRef,
      buffer: ByteBuffer
  ): Unit =
    if contexts.tracer ne null then
      content(message) match
        case batch: DeliveryBatch =>
          read(buffer, batch.payloads.length): (i, text) =>
            val payload = batch.payloads(i)
            if payload ne Payload.Withdrawn then payload.context = text
        case other => read(buffer, 1)((_, text) => contexts.put(other, text))

  private def read(buffer: ByteBuffer, count: Int)(use: (Int, String) => Unit): Unit =
    littleEndian(buffer):
      if buffer.get == Version then
        var runs = number(buffer, count)
        while runs > 0 do
          runs -= 1
          val first = number(buffer, count - 1)
          val length = number(buffer, count - first)
          val bytes = new Array[Byte](number(buffer, math.min(MaxTextBytes, buffer.remaining - 2)))
          buffer.get(bytes): Unit
          val text = String(bytes, UTF_8)
          for i <- first until first + length do use(i, text)

  private def number(buffer: ByteBuffer, max: Int): Int =
    val value = buffer.getShort.toInt
    if value < 0 || value > max then
      throw IllegalArgumentException(
        s"a number in the metadata of trace contexts must be from 0 to $max, but is $value"
      )
    value

  def remoteMessageSent(
      recipient: ActorRef,
      message: Object,
      sender: ActorRef,
      size: Int,
      time: Long
  ): Unit = ()

  def remoteMessageReceived(
      recipient: ActorRef,
      message: Object,
      sender: ActorRef,
      size: Int,
      time: Long
  ): Unit = ()
end ContextInstrument

private[pekko] object ContextInstrument:
  /** Its number among the instruments of a system: Pekko allows 8 to 31 for others. */
  private val Identifier: Byte = 21
  private val Version: Byte = 1

  /** The longest context, and the longest metadata of one envelope. A message that is traced may be
    * shorter than Artery's frame by as much.
    */
  val MaxTextBytes = 1024
  private val MaxBytes = 65536

  /** The three numbers of a run. */
  private val RunOverhead = 6

  /** Room in a frame for the other parts of a batch and its envelope. */
  private val FrameOverhead = 4096

  /** The message inside the envelopes of Pekko, as that of Cluster Sharding is. */
  private def content(message: AnyRef): AnyRef = message match
    case wrapped: WrappedMessage => wrapped.message.asInstanceOf[AnyRef]
    case other                   => other

  private def littleEndian(buffer: ByteBuffer)(body: => Unit): Unit =
    val order = buffer.order
    buffer.order(ByteOrder.LITTLE_ENDIAN): Unit
    try body
    finally buffer.order(order): Unit
end ContextInstrument
