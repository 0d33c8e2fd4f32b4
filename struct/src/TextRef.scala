package undercroft.struct

import internal.bytes.{FixedText, OutOfLine}
import scala.annotation.publicInBinary
import undercroft.memory.{Address, Allocator}

/** Off-heap text of any length, in UTF-8 without NUL. In a struct it is a checked address and a
  * number of bytes, two Longs. The bytes are stored where the text was allocated, usually in the
  * region of the struct, and are freed with it.
  *
  * {{{
  * import undercroft.memory.Region
  * final case class Article(id: Int, title: TextRef, body: TextRef) derives Struct
  * Region.scoped:
  *   val article = Ref(Article(1, TextRef("Vaults"), TextRef("Below every house lies another.")))
  *   article.title.startsWith("Vau")
  * }}}
  *
  * It is compared (by code points), searched and hashed on its bytes, without allocating if it is
  * used in place; [[string]] allocates a String. Texts are equal if their bytes are. A String with
  * a NUL or half a surrogate pair is equal to no text, and no text starts with it or contains it.
  * Zeroed memory holds the empty text, which has no memory. Copies of a struct share the bytes. Any
  * thread may read the text; after its region is closed, or its block freed, every use throws
  * StaleReferenceException and never reads the bytes of another owner. If one thread stores a field
  * while another reads it, the reader may get the address of one text with the length of the other:
  * then the use throws, or reads bytes of the same owner.
  */
final class TextRef @publicInBinary private[struct] (
    @publicInBinary private[struct] val address: Long,
    @publicInBinary private[struct] val lengthBytes: Long
):

  // All methods are inline: functions on the bytes take two Longs, so that no TextRef is allocated.

  /** The number of bytes. */
  inline def byteLength: Int = lengthBytes.toInt
  inline def isEmpty: Boolean = lengthBytes == 0
  inline def nonEmpty: Boolean = lengthBytes != 0

  /** The text as a String on the heap.
    *
    * {{{
    * println(TextRef("Below every house lies another.").string.length) // 31
    * }}}
    */
  inline def string: String = OutOfLine.string(address, lengthBytes)

  /** Whether the text starts with `prefix`.
    *
    * {{{
    * println(TextRef("Ada Lovelace").startsWith("Ada")) // true
    * }}}
    */
  inline def startsWith(prefix: String): Boolean =
    OutOfLine.startsWith(address, lengthBytes, prefix)

  /** Whether the text contains `part`.
    *
    * {{{
    * println(TextRef("Ada Lovelace").contains("Love")) // true
    * }}}
    */
  inline def contains(part: String): Boolean = OutOfLine.contains(address, lengthBytes, part)

  /** Whether the text equals `other`.
    *
    * {{{
    * println(TextRef("Ada").contentEquals("Ada")) // true
    * }}}
    */
  inline def contentEquals(other: String): Boolean =
    OutOfLine.compare(address, lengthBytes, other) == 0
  inline def contentEquals(other: TextRef): Boolean =
    OutOfLine.same(address, lengthBytes, other.address, other.lengthBytes)

  /** Less than 0, 0 or more than 0 if the text is before, equal to or after `other`.
    *
    * {{{
    * println(TextRef("Ada").compare("Bob") < 0) // true
    * }}}
    */
  inline def compare(other: String): Int = OutOfLine.compare(address, lengthBytes, other)
  inline def compare(other: TextRef): Int =
    OutOfLine.compare(address, lengthBytes, other.address, other.lengthBytes)

  /** A hash of the bytes, equal to the hash of an equal [[Text]].
    *
    * {{{
    * println(TextRef("Ada").hash == Text[8]("Ada").hash) // true
    * }}}
    */
  inline def hash: Int = OutOfLine.hash(address, lengthBytes)

  /** The bytes of the text, without a copy.
    *
    * {{{
    * println(TextRef("5 €").bytes.length) // 5
    * }}}
    */
  inline def bytes: BytesRef = new BytesRef(address, lengthBytes)

  override def equals(other: Any): Boolean = other match
    case that: TextRef => contentEquals(that)
    case _             => false
  override def hashCode: Int = hash

  /** The text; as every use, throws once its region is closed. */
  override def toString: String = string
end TextRef

object TextRef:
  given CanEqual[TextRef, TextRef] = CanEqual.derived

  /** The empty text; it has no memory.
    *
    * {{{
    * println(TextRef.empty.isEmpty) // true
    * }}}
    */
  val empty: TextRef = new TextRef(0, 0)

  /** A copy of the text in memory of the allocator. A NUL, half a surrogate pair, and more than 2
    * GiB throw IllegalArgumentException with the index or the size, and nothing is allocated.
    *
    * {{{
    * import undercroft.memory.*
    * final case class Article(id: Int, title: TextRef) derives Struct
    * Region.scoped:
    *   val article = Ref(Article(1, TextRef("Vaults")))
    *   article.title = TextRef("Vaults and cellars") // the old text is kept until the close
    *   println(article.title.string) // Vaults and cellars
    * }}}
    */
  // Inline, so that the TextRef is created where it is used, and not allocated if used in place.
  inline def apply(text: String)(using allocator: Allocator): TextRef =
    val size = FixedText.sizeOf(text)
    new TextRef(OutOfLine.written(text, size, allocator), size)

  /** The address of the bytes, for `Malloc.free` and similar calls.
    *
    * {{{
    * import undercroft.memory.*
    * val text = TextRef("Ada")(using Malloc)
    * Malloc.free(TextRef.address(text))
    * }}}
    */
  inline def address(text: TextRef): Address = Address.ofBits(text.address)
end TextRef
