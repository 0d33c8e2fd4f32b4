package undercroft.struct
package internal.macros.schema

import scala.quoted.*

/** The positions of errors about fields. */
private[schema] object FieldPosition:

  /** The position of a field of a class, if it is in the file that is compiled; otherwise the
    * position of the code that derives the Struct.
    */
  def named(using
      Quotes
  )(owner: quotes.reflect.Symbol, field: String): quotes.reflect.Position =
    owner.caseFields.find(_.name == field).fold(quotes.reflect.Position.ofMacroExpansion)(of(_))

  def of(using Quotes)(field: quotes.reflect.Symbol): quotes.reflect.Position =
    val derivation = quotes.reflect.Position.ofMacroExpansion
    field.pos.filter(_.sourceFile.path == derivation.sourceFile.path).getOrElse(derivation)
end FieldPosition
