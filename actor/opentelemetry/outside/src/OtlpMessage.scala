package outside.actor.opentelemetry

import java.nio.{ByteBuffer, ByteOrder}

/** A message in the wire format of Protocol Buffers, as OTLP has it: fields by number, each with
  * its values in order. A value is a number or the bytes of a string or of another message.
  */
final class OtlpMessage private (fields: Map[Int, Vector[Long | Array[Byte]]]):
  private def values(field: Int): Vector[Long | Array[Byte]] = fields.getOrElse(field, Vector.empty)

  def messages(path: Int*): Vector[OtlpMessage] =
    path.foldLeft(Vector(this))((messages, field) =>
      messages.flatMap(_.values(field).collect { case bytes: Array[Byte] => OtlpMessage(bytes) })
    )

  def number(field: Int): Long =
    values(field).collectFirst { case number: Long => number }.getOrElse(0L)

  def text(field: Int): String = bytes(field).fold("")(String(_, "UTF-8"))

  def hex(field: Int): String = bytes(field).fold("")(java.util.HexFormat.of.formatHex)

  private def bytes(field: Int): Option[Array[Byte]] =
    values(field).collectFirst { case bytes: Array[Byte] => bytes }
end OtlpMessage

object OtlpMessage:
  def apply(bytes: Array[Byte]): OtlpMessage =
    val in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)
    var fields = Map.empty[Int, Vector[Long | Array[Byte]]]
    while in.hasRemaining do
      val tag = varint(in).toInt
      val value: Long | Array[Byte] = tag & 7 match
        case 0 => varint(in)
        case 1 => in.getLong
        case 5 => in.getInt.toLong
        case 2 =>
          val part = new Array[Byte](varint(in).toInt)
          in.get(part)
          part
        case kind => throw IllegalArgumentException(s"unknown wire type $kind at ${in.position}")
      fields = fields.updatedWith(tag >>> 3)(before => Some(before.getOrElse(Vector()) :+ value))
    new OtlpMessage(fields)

  private def varint(in: ByteBuffer): Long =
    var (result, shift, byte) = (0L, 0, -1)
    while byte < 0 do
      byte = in.get
      result |= (byte & 0x7fL) << shift
      shift += 7
    result
end OtlpMessage
