package undercroft.struct

import internal.bytes.{BestKey, FixedText, TextBytes}
import undercroft.memory.internal.cage.Cage
import java.lang.foreign.MemorySegment
import java.lang.invoke.VarHandle
import scala.annotation.{implicitNotFound, publicInBinary}

/** Text of at most `N` bytes in UTF-8, without NUL: a String on the heap, and C's `char[N]` in a
  * struct, padded with zeros. `N` is a number from 1 to [[Text.MaxBytes]].
  *
  * {{{
  * final case class Person(name: Text[24], born: Short) derives Struct
  * val ada = Person(Text("Ada Lovelace"), 1815)
  * }}}
  *
  * Loading it allocates a String. Through a reference (`ref.name.startsWith("Ada")`) and in the
  * function literal of a loop (`rows.count(_.name.startsWith("Ada"))`) it is compared on its bytes,
  * without allocating; the order is by code points. A String with a NUL or half a surrogate pair is
  * equal to no text, and no text starts with it or contains it.
  */
opaque type Text[N <: Int] = String

object Text:
  /** The largest size of a field, in bytes. */
  inline val MaxBytes = 4096

  given [N <: Int]: CanEqual[Text[N], Text[N]] = CanEqual.derived

  /** The text, which must fit. If it does not, or contains a NUL or half a surrogate pair,
    * IllegalArgumentException is thrown with the numbers.
    *
    * {{{
    * println(Text[8]("Ada").string) // Ada
    * try println(Text[8]("Ada Lovelace"))
    * catch case _: IllegalArgumentException => println("more than 8 bytes") // more than 8 bytes
    * }}}
    */
  def apply[N <: Int](text: String)(using
      @implicitNotFound("the size of this text is not known here: write it, as in Text[8](name)")
      bytes: ValueOf[N]
  ): Text[N] =
    FixedText.fitting(text, bytes.value)

  /** The text of the bytes `[from, until)` of a segment, which must be UTF-8 without NUL and fit,
    * or IllegalArgumentException is thrown. Written as the key of an operation of a [[StructMap]]
    * or [[StructSet]], it makes no String: the key is compared and stored by its bytes, which must
    * not change before the operation returns.
    *
    * {{{
    * import java.lang.foreign.MemorySegment
    * val line = MemorySegment.ofArray("Ada;1815".getBytes)
    * val born = StructMap[Text[24], Int]()
    * born(Text(line, 0, 3)) = 1815
    * println(born(Text("Ada"))) // 1815
    * }}}
    *
    * @throws java.lang.IndexOutOfBoundsException
    *   if the range is not in the segment
    */
  def apply[N <: Int](segment: MemorySegment, from: Long, until: Long)(using
      @implicitNotFound("the size of this text is not known here: write it, as in Text[8](name)")
      bytes: ValueOf[N]
  ): Text[N] =
    TextBytes.string(segment, from, until, bytes.value)

  /** The longest prefix of the text that fits, cut between code points.
    *
    * {{{
    * println(Text.truncated[8]("Ada Lovelace").string) // Ada Love
    * }}}
    */
  def truncated[N <: Int](text: String)(using
      @implicitNotFound(
        "the size of this text is not known here: write it, as in Text.truncated[8](name)"
      )
      bytes: ValueOf[N]
  ): Text[N] =
    FixedText.truncated(text, bytes.value)

  extension [N <: Int](text: Text[N])
    def string: String = text

    /** Whether the text starts with `prefix`.
      *
      * {{{
      * println(Text[24]("Ada Lovelace").startsWith("Ada")) // true
      * }}}
      */
    def startsWith(prefix: String): Boolean =
      !FixedText.isCut(prefix) && text.string.indexOf(prefix) == 0

    /** Whether the text contains `part`.
      *
      * {{{
      * println(Text[24]("Ada Lovelace").contains("Love")) // true
      * }}}
      */
    def contains(part: String): Boolean =
      !FixedText.isCut(part) && text.string.indexOf(part) >= 0

    /** Whether the text equals `other`. */
    def contentEquals(other: String): Boolean = text.string.equals(other)

    /** Less than 0, 0 or more than 0 if the text is before, equal to or after `other`.
      *
      * {{{
      * println(Text[8]("Ada").compare("Bob") < 0) // true
      * }}}
      */
    def compare(other: String): Int =
      FixedText.compare(FixedText.segmentOf(text), 0, FixedText.sizeOf(text), other)

    /** A hash of the UTF-8 bytes, equal for equal texts wherever they are stored. */
    def hash: Int = FixedText.hash(FixedText.segmentOf(text), 0, FixedText.sizeOf(text))

    /** The number of bytes in UTF-8.
      *
      * {{{
      * println(Text[8]("5 €").byteLength) // 5
      * }}}
      */
    def byteLength: Int = FixedText.sizeOf(text)

    /** Adds the text to a key, as the words of a field of `bytes` bytes. */
    @publicInBinary private[struct] def addTo(key: BestKey, bytes: Int, descends: Boolean): Unit =
      key.add(text, bytes, descends)
  end extension

  extension [N <: Int](ref: Reference[Text[N], ?])(using bytes: ValueOf[N])

    /** Whether the text starts with `prefix`.
      *
      * {{{
      * final case class Person(name: Text[24], born: Short) derives Struct
      * val ada = Ref(Person(Text("Ada Lovelace"), 1815))
      * println(ada.name.startsWith("Ada")) // true
      * }}}
      */
    def startsWith(prefix: String): Boolean =
      onBytes(ref, bytes.value)(at => FixedText.startsWith(Cage.segment, at, bytes.value, prefix))

    /** Whether the text contains `part`. */
    def contains(part: String): Boolean =
      onBytes(ref, bytes.value)(at => FixedText.contains(Cage.segment, at, bytes.value, part))

    /** Whether the text equals `text`. */
    def contentEquals(text: String): Boolean =
      onBytes(ref, bytes.value)(at => FixedText.compare(Cage.segment, at, bytes.value, text)) == 0

    /** Less than 0, 0 or more than 0 if this text is before, equal to or after `text`. */
    def compare(text: String): Int =
      onBytes(ref, bytes.value)(at => FixedText.compare(Cage.segment, at, bytes.value, text))

    /** A hash of the UTF-8 bytes, equal for equal texts wherever they are stored. */
    def hash: Int =
      onBytes(ref, bytes.value)(at => FixedText.hash(Cage.segment, at, bytes.value))

    /** The number of bytes in UTF-8. */
    def byteLength: Int =
      onBytes(ref, bytes.value)(at => FixedText.length(Cage.segment, at, bytes.value))
  end extension

  /** Reads, then checks that the bytes still belong to the reference, as for every field. */
  private inline def onBytes[A](ref: Reference[?, ?], bytes: Int)(inline read: Long => A): A =
    Cage.check(ref._address, 0, bytes)
    val result = read(Cage.offsetOf(ref._address))
    VarHandle.loadLoadFence()
    Cage.check(ref._address, 0, bytes)
    result
end Text
