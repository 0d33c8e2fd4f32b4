package undercroft.struct

/** Thrown if code was compiled for another layout of a type than its [[Struct]] has, or if rows are
  * copied to a table whose Struct has another layout than theirs. Nothing was read or stored.
  *
  * It happens if two places define differently how a type is stored, by two [[Struct.StoredAs]] or
  * because only one of them sees through an opaque type; or if a library changed a type and the
  * code that uses it was not recompiled.
  *
  * {{{
  * def firstPrice(bills: Rows[Bill]): Int =
  *   try bills(0).price
  *   catch
  *     case error: LayoutMismatchException =>
  *       throw IllegalStateException(s"compile ${error.typeName} again", error)
  * }}}
  *
  * @param typeName
  *   the type
  * @param field
  *   the first field that differs; empty if the fields agree and the whole differs
  * @param compiled
  *   kind and offsets of the field in the layout that the code was compiled for, or of the rows to
  *   copy
  * @param found
  *   the same in the layout of the Struct
  */
final class LayoutMismatchException private[struct] (
    val typeName: String,
    val field: String,
    val compiled: String,
    val found: String
) extends IllegalStateException(
      s"layout of $typeName differs" + (if field.isEmpty then "" else s" in field `$field`") +
        s": this code was compiled for $compiled, but the Struct has $found; compile both with " +
        s"one version of $typeName, and say how each type is stored by one Struct.StoredAs"
    )
