package undercroft.struct

import internal.macros.access.UnionAccess
import scala.language.dynamics

/** Members in the same bytes, as C's union, without a tag that records which member is stored. `M`
  * is a named tuple of the members.
  *
  * {{{
  * final case class Reading(unit: Byte, value: Union[(whole: Int, real: Double)]) derives Struct
  * val reading = Reading(1, Union(real = 36.6))
  * reading.value.real
  * }}}
  *
  * Reading a member that is not the stored one reinterprets its bytes, but never reads memory of
  * another owner: so a member is a primitive, a text, a struct or an InlineArray of such, or
  * another union, and none contains a reference, an enum or an Option. Members have no padding, so
  * a union has the same bytes in every layout. Bytes beyond the stored member are zero in a new
  * value, and unchanged if a member is stored through a reference (`ref.value.whole = 3`). Unions
  * are equal if all their bytes are. Loading a whole union allocates; through a reference and in
  * the function literal of a loop a member is read without allocating.
  */
sealed abstract class Union[M <: NamedTuple.AnyNamedTuple] extends Selectable:
  type Fields = M

  private[struct] def _bytes: Array[Byte]

  /** A member of the union.
    *
    * {{{
    * val value: Union[(whole: Int, real: Float)] = Union(real = 1f)
    * println(value.real) // 1.0
    * println(value.whole == 0x3f800000) // true
    * }}}
    */
  transparent inline def selectDynamic(inline name: String): Any =
    ${ UnionAccess.select[M]('this, 'name) }

  override def equals(other: Any): Boolean = other match
    case that: Union[?] => java.util.Arrays.equals(_bytes, that._bytes)
    case _              => false
  override def hashCode: Int = java.util.Arrays.hashCode(_bytes)
  override def toString: String = _bytes.map(byte => f"$byte%02x").mkString("Union(", " ", ")")
end Union

object Union extends Dynamic:
  given [M <: NamedTuple.AnyNamedTuple]: CanEqual[Union[M], Union[M]] = CanEqual.derived

  private[struct] def of[M <: NamedTuple.AnyNamedTuple](bytes: Array[Byte]): Union[M] =
    Stored(bytes)

  // The class itself is abstract: otherwise `Union(...)` would be its constructor.
  private final class Stored[M <: NamedTuple.AnyNamedTuple](
      private[struct] val _bytes: Array[Byte]
  ) extends Union[M]

  /** `Union(real = 36.6)`: a union of that member, with zeros in the remaining bytes.
    *
    * {{{
    * final case class Reading(unit: Byte, value: Union[(whole: Int, real: Double)]) derives Struct
    * val readings = Rows[Reading](10)
    * readings(0) = Reading(1, Union(real = 36.6))
    * readings.ref(1).value.whole = 3
    * println(readings.map(_.value.real).max) // 36.6
    * }}}
    */
  inline def applyDynamicNamed[M <: NamedTuple.AnyNamedTuple](inline method: String)(
      inline arguments: (String, Any)*
  ): Union[M] = ${ UnionAccess.make[M]('method, 'arguments) }
end Union
