package undercroft.struct
package internal.macros.schema

import internal.bytes.{AgreedLayouts, Fingerprint}
import scala.quoted.*

/** Generated code that compares the layout it was compiled for with the layout of a [[Struct]]. */
private[undercroft] object LayoutCheck:

  /** The constants of a layout in generated code: its fingerprint, and its text for an error. */
  def constants[T: Type](using Quotes): (Expr[Long], Expr[String]) =
    constants(Fingerprint.text(ShapeDerivation.shape[T]))

  /** As above, for the key and value types of a map. */
  def constants[K: Type, V: Type](using Quotes): (Expr[Long], Expr[String]) =
    constants(both(
      Fingerprint.text(ShapeDerivation.shape[K]),
      Fingerprint.text(ShapeDerivation.shape[V])
    ))

  private def constants(text: String)(using Quotes): (Expr[Long], Expr[String]) =
    (Expr(Fingerprint.hash(text)), Expr(text.take(Fingerprint.MostCharacters)))

  private def both(key: String, value: String): String =
    (named(key, "key") ++ named(value, "value")).mkString("\n")

  private def named(text: String, part: String): List[String] =
    text.linesIterator.toList.map(line =>
      if line.startsWith(":") then s"$part$line" else s"$part.$line"
    )

  /** The instance, after a check that it has the layout that the call site was compiled with. */
  def checked[T: Type](struct: Expr[Struct[T]])(using Quotes): Expr[Struct[T]] =
    val (fingerprint, text) = constants[T]
    '{ $struct.agreed($fingerprint, $text) }

  /** A statement that rejects an instance of another layout, if the layout is known here. */
  def agreement[T: Type](struct: Expr[Struct[T]])(using Quotes): Expr[Unit] =
    if ShapeDerivation.isKnown[T] then '{ val _ = ${ checked(struct) } } else '{ () }

  /** A statement that rejects a table of another layout. */
  def check[T: Type](table: Expr[Table[T, ?]])(using Quotes): Expr[Unit] =
    val (fingerprint, text) = constants[T]
    import quotes.reflect.*
    val check = Select.unique(table.asTerm, "checkLayout")
    check.appliedTo(fingerprint.asTerm, text.asTerm).asExprOf[Unit]

  /** The Struct in scope for a type, if it was created elsewhere: an inline given creates its
    * instance here, with the layout that is known here.
    */
  def inScope[T: Type](using Quotes): Option[Expr[Struct[T]]] =
    import quotes.reflect.*
    def isMadeHere(term: Term): Boolean = term match
      case Apply(function, _)      => isMadeHere(function)
      case TypeApply(function, _)  => isMadeHere(function)
      case Typed(inner, _)         => isMadeHere(inner)
      case Inlined(_, _, _)        => true
      case Select(_, _) | Ident(_) => term.symbol.flags.is(Flags.Inline)
      case _                       => true
    Expr.summon[Struct[T]].filter(struct => !isMadeHere(struct.asTerm))

  /** The bits of a reference, after a check against the layout of the Struct in scope. */
  def address[T: Type, L <: Layout: Type](ref: Expr[Reference[T, L]])(using Quotes): Expr[Long] =
    if !ShapeDerivation.isKnown[T] then '{ $ref._address }
    else
      inScope[T] match
        case None => '{ $ref._address }
        case Some(struct) =>
          val (fingerprint, text) = constants[T]
          val name = TypeNames.full(quotes.reflect.TypeRepr.of[T])
          val number =
            Expr(AgreedLayouts.numberOf(name, Fingerprint.text(ShapeDerivation.shape[T])))
          '{
            if !AgreedLayouts.has($number) then
              AgreedLayouts.add($number, $struct, $fingerprint, $text)
            $ref._address
          }
end LayoutCheck
