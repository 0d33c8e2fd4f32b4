package undercroft.struct

import scala.language.dynamics
import undercroft.struct.internal.Unions

/** Members in the same place, as C's union, of which nothing tells which one is stored: `M` is a
  * named tuple of them.
  *
  * {{{
  * final case class Reading(unit: Byte, value: Union[(whole: Int, real: Double)]) derives Struct
  * val reading = Reading(1, Union(real = 36.6))
  * reading.value.real
  * }}}
  *
  * Reading a member that is not the one stored gives what its bytes happen to say, never memory of
  * another owner: so a member is a primitive, a text, a struct or an Inline of such, or another
  * union, and none holds a reference, an enum or an Option. Members have no padding, so a union has
  * the same bytes in every layout. Those that the stored member leaves are zero in a new value, and
  * stay as they were where a member is stored through a reference (`ref.value.whole = 3`). Equal is
  * what has the same bytes, all of them. Loading a whole one makes an object; through a reference
  * and in the function literal of a loop a member is read without.
  */
sealed abstract class Union[M <: NamedTuple.AnyNamedTuple] extends Selectable:
  type Fields = M

  private[struct] def _bytes: Array[Byte]

  transparent inline def selectDynamic(inline name: String): Any =
    ${ Unions.select[M]('this, 'name) }

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

  /** `Union(real = 36.6)`: that member, and zeros. */
  inline def applyDynamicNamed[M <: NamedTuple.AnyNamedTuple](inline method: String)(
      inline arguments: (String, Any)*
  ): Union[M] = ${ Unions.make[M]('method, 'arguments) }
end Union
