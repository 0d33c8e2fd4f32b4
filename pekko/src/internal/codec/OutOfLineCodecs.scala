package undercroft.pekko
package internal.codec

import internal.wire.*
import scala.util.control.NonFatal
import undercroft.memory.Allocator
import undercroft.struct.{BytesRef, TextRef}

/** The codecs of texts and bytes that are stored out of line: a receiver copies them to memory of
  * an allocator of the application, which owns the copies.
  */
private[pekko] object OutOfLineCodecs:

  def textRefs(memory: () => Allocator): ValueCodec[TextRef] = TextRefCodec(memory)

  /** Texts as Strings on the wire, which are read into memory of an allocator. */
  private final class TextRefCodec(memory: () => Allocator) extends ValueCodec[TextRef]:
    val wireType: WireType = WireType.Str
    def write(value: TextRef, out: WireOutput): Unit = out.bytes(value.bytes.toArray) // in UTF-8

    def read(in: WireInput): TextRef =
      val from = in.offset
      val text = ValueCodecs.readText(in)
      storing(in, from)(TextRef(text)(using memory()))

    override protected def converted(written: WireType, path: FieldPath): WireReader[TextRef] =
      written match
        case WireType.Text(_) => this
        case _                => path.mismatch(written, wireType)

  def bytesRefs(memory: () => Allocator): ValueCodec[BytesRef] = new ValueCodec[BytesRef]:
    val wireType: WireType = WireType.Bytes
    def write(value: BytesRef, out: WireOutput): Unit = out.bytes(value.toArray)

    def read(in: WireInput): BytesRef =
      val from = in.offset
      val bytes = in.bytes()
      storing(in, from)(BytesRef(bytes)(using memory()))

  /** Copies the bytes that were read to memory, or rejects the message. */
  private inline def storing[A](in: WireInput, from: Int)(inline copy: A): A =
    try copy
    catch
      case NonFatal(cause) =>
        in.fail(
          MessageFault.Rejected,
          from,
          in.offset,
          s"no memory for the ${in.offset - from} bytes at offset $from: $cause",
          cause
        )
end OutOfLineCodecs
