package undercroft.struct

import java.lang.invoke.VarHandle
import undercroft.memory.Cage
import undercroft.struct.internal.TextBytes

/** Text of at most `N` bytes in UTF-8, without NUL: a String on the heap, and `char[N]` as C has it
  * in a struct, filled up with zeros. `N` is a number from 1 to [[Text.Longest]].
  *
  * {{{
  * final case class Person(name: Text[24], born: Short) derives Struct
  * val ada = Person(Text("Ada Lovelace"), 1815)
  * }}}
  *
  * Loading it makes a String. Through a reference (`ref.name.startsWith("Ada")`) and in the
  * function literal of a loop (`rows.count(_.name.startsWith("Ada"))`) it is compared on its bytes,
  * and no object is made; the order is that of the code points.
  */
opaque type Text[N <: Int] = String

object Text:
  /** The most bytes of a field. */
  inline val Longest = 4096

  given [N <: Int]: CanEqual[Text[N], Text[N]] = CanEqual.derived

  /** The text, which has to fit. Otherwise, and where it holds a NUL or half a surrogate pair, an
    * IllegalArgumentException with the numbers.
    */
  def apply[N <: Int](text: String)(using bytes: ValueOf[N]): Text[N] =
    TextBytes.fitting(text, bytes.value)

  /** As much of the text as fits, never a part of a code point. */
  def truncated[N <: Int](text: String)(using bytes: ValueOf[N]): Text[N] =
    TextBytes.truncated(text, bytes.value)

  extension [N <: Int](text: Text[N])
    def string: String = text

    /** Whether the text begins with another. */
    def startsWith(prefix: String): Boolean = text.string.indexOf(prefix) == 0

    /** Whether another text is part of it. */
    def contains(part: String): Boolean = text.string.indexOf(part) >= 0

    /** Whether it is the same as another text. */
    def sameAs(other: String): Boolean = text.string.equals(other)

    /** Less than 0, 0 or more than 0, as it comes before another text, is the same or comes after.
      */
    def compare(other: String): Int =
      TextBytes.compare(TextBytes.segmentOf(text), 0, TextBytes.sizeOf(text), other)

    /** A hash of the bytes, the same for the same text wherever it is. */
    def hash: Int = TextBytes.hash(TextBytes.segmentOf(text), 0, TextBytes.sizeOf(text))

    /** How many bytes it has. */
    def byteLength: Int = TextBytes.sizeOf(text)
  end extension

  extension [N <: Int](ref: Reference[Text[N], ?])(using bytes: ValueOf[N])

    /** Whether the text begins with another. */
    def startsWith(prefix: String): Boolean =
      onBytes(ref, bytes.value)(at => TextBytes.startsWith(Cage.segment, at, bytes.value, prefix))

    /** Whether another text is part of it. */
    def contains(part: String): Boolean =
      onBytes(ref, bytes.value)(at => TextBytes.contains(Cage.segment, at, bytes.value, part))

    /** Whether it is the same as another text. */
    def sameAs(text: String): Boolean =
      onBytes(ref, bytes.value)(at => TextBytes.compare(Cage.segment, at, bytes.value, text)) == 0

    /** Less than 0, 0 or more than 0, as it comes before another text, is the same or comes after.
      */
    def compare(text: String): Int =
      onBytes(ref, bytes.value)(at => TextBytes.compare(Cage.segment, at, bytes.value, text))

    /** A hash of the bytes, the same for the same text wherever it is. */
    def hash: Int =
      onBytes(ref, bytes.value)(at => TextBytes.hash(Cage.segment, at, bytes.value))

    /** How many bytes it has. */
    def byteLength: Int =
      onBytes(ref, bytes.value)(at => TextBytes.length(Cage.segment, at, bytes.value))
  end extension

  /** Reads, then checks that the bytes still belonged to the reference: as every field is read. */
  private inline def onBytes[A](ref: Reference[?, ?], bytes: Int)(inline read: Long => A): A =
    Cage.check(ref._address, 0, bytes)
    val result = read(Cage.offsetOf(ref._address))
    VarHandle.loadLoadFence()
    Cage.check(ref._address, 0, bytes)
    result
end Text
