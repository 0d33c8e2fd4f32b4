package undercroft.pekko
package internal.wire

import java.nio.{ByteBuffer, ByteOrder}

/** Writes values into a buffer, little-endian. Confined to one thread.
  *
  * If the buffer may not grow, a value that does not fit throws BufferOverflowException, which
  * Artery reports as an oversized message.
  */
private[pekko] final class WireOutput(
    private var buffer: ByteBuffer,
    canGrow: Boolean,
    val refs: WireRefs
):
  private def room(size: Int): Unit =
    if canGrow && buffer.remaining < size then grow(size)

  private def grow(size: Int): Unit =
    val needed = buffer.position.toLong + size
    if needed > WireOutput.MaxBytes then
      throw IllegalArgumentException(
        s"a message has at most ${WireOutput.MaxBytes} bytes: $needed or more are needed"
      )
    val capacity = (buffer.capacity * 2L).max(needed).min(WireOutput.MaxBytes)
    val larger = ByteBuffer.allocate(capacity.toInt).order(ByteOrder.LITTLE_ENDIAN)
    buffer = larger.put(buffer.flip())

  def boolean(value: Boolean): Unit = byte(if value then 1 else 0)

  def byte(value: Byte): Unit =
    room(1)
    buffer.put(value): Unit

  def short(value: Short): Unit =
    room(2)
    buffer.putShort(value): Unit

  def char(value: Char): Unit =
    room(2)
    buffer.putChar(value): Unit

  def int(value: Int): Unit =
    room(4)
    buffer.putInt(value): Unit

  def long(value: Long): Unit =
    room(8)
    buffer.putLong(value): Unit

  def float(value: Float): Unit =
    room(4)
    buffer.putFloat(value): Unit

  def double(value: Double): Unit =
    room(8)
    buffer.putDouble(value): Unit

  /** A count or a case number: 7 bits a byte, the lowest first, the top bit set in all but the last
    * (LEB128).
    */
  def count(value: Int): Unit =
    room(5)
    var left = value
    while (left & ~0x7f) != 0 do
      buffer.put((left | 0x80).toByte): Unit
      left >>>= 7
    buffer.put(left.toByte): Unit

  def string(text: String): Unit =
    val size = Utf8.sizeOf(text)
    count(size)
    room(size)
    if size == text.length then
      var i = 0
      while i < size do
        buffer.put(text.charAt(i).toByte): Unit
        i += 1
    else Utf8.write(text, buffer)

  def bytes(bytes: Array[Byte]): Unit =
    count(bytes.length)
    room(bytes.length)
    buffer.put(bytes): Unit

  def result: Array[Byte] =
    val bytes = new Array[Byte](buffer.position)
    buffer.flip().get(bytes): Unit
    bytes
end WireOutput

private[pekko] object WireOutput:
  /** The largest message: some JVMs cannot allocate the last few indices of an array. */
  val MaxBytes: Long = Int.MaxValue - 64L
  private val FirstBytes = 128

  def growing(refs: WireRefs): WireOutput =
    WireOutput(ByteBuffer.allocate(FirstBytes).order(ByteOrder.LITTLE_ENDIAN), true, refs)
