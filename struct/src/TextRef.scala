package undercroft.struct

import scala.annotation.publicInBinary
import undercroft.memory.{Address, Allocator}
import undercroft.struct.internal.{Far, TextBytes}

/** Text of any length outside the heap, in UTF-8 without NUL. In a struct it is a checked address
  * and a number of bytes, two Longs; the bytes themselves lie where the text was made, usually in
  * the region of the struct, and die with it.
  *
  * {{{
  * import undercroft.memory.Region
  * final case class Article(id: Int, title: TextRef, body: TextRef) derives Struct
  * Region.scoped:
  *   val article = Ref(Article(1, TextRef("Vaults"), TextRef("Below every house lies another.")))
  *   article.title.startsWith("Vau")
  * }}}
  *
  * It is compared, searched and hashed on its bytes, in the order of the code points, and where it
  * is used in place no object is made; [[string]] makes a String. Equal is what has the same bytes.
  * Zeroed memory holds the empty text, which lies nowhere. Structs that are copied share the bytes.
  * Any thread may read it; after its region is closed, or its block freed, every use is a
  * StaleReferenceException, never the bytes of another owner. A field that one thread stores while
  * another reads may give the address of one text with the length of the other: then the use is an
  * error, or bytes of the same owner.
  */
final class TextRef @publicInBinary private[struct] (
    @publicInBinary private[struct] val address: Long,
    @publicInBinary private[struct] val length: Long
):

  // All inline: what works on the bytes gets two Longs, so that no object is needed for them.

  /** How many bytes it has. */
  inline def byteLength: Int = length.toInt
  inline def isEmpty: Boolean = length == 0
  inline def nonEmpty: Boolean = length != 0

  /** The text on the heap. */
  inline def string: String = Far.string(address, length)

  /** Whether the text begins with another. */
  inline def startsWith(prefix: String): Boolean = Far.startsWith(address, length, prefix)

  /** Whether another text is part of it. */
  inline def contains(part: String): Boolean = Far.contains(address, length, part)

  /** Whether it is the same as another text. */
  inline def sameAs(other: String): Boolean = Far.compare(address, length, other) == 0
  inline def sameAs(other: TextRef): Boolean =
    Far.same(address, length, other.address, other.length)

  /** Less than 0, 0 or more than 0, as it comes before another text, is the same or comes after. */
  inline def compare(other: String): Int = Far.compare(address, length, other)
  inline def compare(other: TextRef): Int =
    Far.compare(address, length, other.address, other.length)

  /** A hash of the bytes, that of the same [[Text]]. */
  inline def hash: Int = Far.hash(address, length)

  /** The bytes themselves. */
  inline def bytes: BytesRef = new BytesRef(address, length)

  override def equals(other: Any): Boolean = other match
    case that: TextRef => sameAs(that)
    case _             => false
  override def hashCode: Int = hash

  /** The text: as every use, an error once its region is closed. */
  override def toString: String = string
end TextRef

object TextRef:
  given CanEqual[TextRef, TextRef] = CanEqual.derived

  /** No text, which lies nowhere. */
  val empty: TextRef = new TextRef(0, 0)

  /** The text in memory of the allocator. A NUL, half a surrogate pair, and more than 2 GiB are an
    * IllegalArgumentException with the place or the number, and nothing is allocated.
    */
  // Inline, so that the object is made where it is used, and where it is used in place not at all.
  inline def apply(text: String)(using allocator: Allocator): TextRef =
    val size = TextBytes.sizeOf(text)
    new TextRef(Far.written(text, size, allocator), size)

  /** The address of the bytes, for `Malloc.free` and the like. */
  inline def address(text: TextRef): Address = Address.ofBits(text.address)
end TextRef
