package undercroft.struct
package internal.macros.access

import scala.annotation.publicInBinary
import undercroft.struct.*

/** Loads of a field and of an element that [[CompoundAssignment]] replaces by an assignment. */
@publicInBinary private[struct] object AssignedPart:
  inline def field[T, L <: Layout, A](
      ref: Reference[T, L],
      inline name: String
  ): A & AssignableField =
    ${ CompoundAssignment.loadField[T, L, A]('ref, 'name) }

  inline def element[A, N <: Int, L <: Layout](
      array: Reference[InlineArray[A, N], L],
      index: Int
  ): A & AssignableField =
    ${ CompoundAssignment.loadElement[A, N, L]('array, 'index) }
