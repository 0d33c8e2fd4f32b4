package undercroft.pekko
package internal.codec

import internal.wire.*

/** Writes and reads the values of one type, as a field of a message. Thread-safe, as it has no
  * state.
  */
private[pekko] abstract class ValueCodec[T] extends WireReader[T]:
  def wireType: WireType
  def write(value: T, out: WireOutput): Unit
  def read(in: WireInput): T

  /** A reader of values that another version of the type wrote. */
  final def readerOf(written: WireType, path: FieldPath): WireReader[T] =
    if written == wireType then this else converted(written, path)

  /** A reader of values of a different wire type. */
  protected def converted(written: WireType, path: FieldPath): WireReader[T] =
    path.mismatch(written, wireType)

/** A field of a message, for errors of schema evolution.
  *
  * @param manifestLength
  *   the characters of the sender's manifest
  */
private[pekko] final case class FieldPath(typeName: String, names: String, manifestLength: Int):
  def /(name: String): FieldPath =
    copy(names = if names.isEmpty then name else s"$names.$name")

  def mismatch(written: WireType, expected: WireType): Nothing =
    val subject = if names.isEmpty then "its value" else s"field $names"
    fail(
      s"$subject is ${MessageFormatException.shorten(written.show)}; " +
        s"expected ${MessageFormatException.shorten(expected.show)}"
    )

  def fail(detail: String): Nothing =
    throw MessageFormatException(MessageFault.WrongSchema, typeName, 0, manifestLength, detail)
