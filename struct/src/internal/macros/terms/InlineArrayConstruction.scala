package undercroft.struct
package internal.macros.terms

import internal.bytes.{ElementBytes, StructElements}
import internal.macros.schema.{InlineArrayTypes, LayoutCheck, ShapeDerivation, StoredTypes}
import scala.quoted.*
import undercroft.struct.internal.macros.schema.ShapeLiterals.given
import undercroft.struct.{BytesRef, InlineArray, Shape, Struct, TextRef}

/** Generates the conversions between an [[InlineArray]] and the leaf that its elements are stored
  * as.
  */
private[struct] object InlineArrayConstruction:

  /** An InlineArray from the leaf that its elements are loaded as. */
  def made(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, leaf: quotes.reflect.Term): quotes.reflect.Term =
    import quotes.reflect.*
    val dimensions = Expr(InlineArrayTypes.sizes(tpe))
    val inner = InlineArrayTypes.elementType(tpe)
    val elements: Expr[Array[?]] = inner.asType match
      case '[e] =>
        ShapeDerivation.kind(inner) match
          case None =>
            '{ StructElements.decoded[e](${ leaf.asExprOf[StructElements] }, ${ structOf[e] }) }
          case Some(of) if ShapeDerivation.primitive(inner).isEmpty =>
            val array = leaf.asExprOf[Array[?]]
            '{
              ElementBytes.mapped($array)(item =>
                ${ StructConstruction.single[e](asLeaf(of, 'item)) }
              )
            }
          case Some(_) => leaf.asExprOf[Array[?]]
    tpe.asType match
      case '[type n <: Int; InlineArray[a, `n`]] =>
        '{ ElementBytes.inline[a, n]($elements, $dimensions) }.asTerm
  end made

  /** An element, cast to its stored type. */
  private def asLeaf(of: Shape.Kind, item: Expr[Any])(using Quotes): Expr[Any] = of match
    case Shape.Kind.TextRef     => '{ $item.asInstanceOf[TextRef] }
    case Shape.Kind.BytesRef    => '{ $item.asInstanceOf[BytesRef] }
    case Shape.Kind.Ordinal(of) => asLeaf(of, item)
    case number if !number.isCompound =>
      import quotes.reflect.*
      StoredTypes.cast(item.asTerm, Symbol.requiredClass(s"scala.$number").typeRef).asExpr
    case _ => item

  /** The leaf that an InlineArray's elements are stored as; elements that cannot be stored fail
    * here.
    */
  def array(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, value: quotes.reflect.Term): quotes.reflect.Term =
    import quotes.reflect.*
    val inner = InlineArrayTypes.elementType(tpe)
    val whole: Expr[Array[?]] = tpe.asType match
      case '[type n <: Int; InlineArray[a, `n`]] =>
        val count = Expr(InlineArrayTypes.sizes(tpe).product)
        '{ ElementBytes.sized(${ value.asExprOf[InlineArray[a, n]] }.whole, $count) }
    inner.asType match
      case '[e] =>
        ShapeDerivation.kind(inner) match
          case None => '{ StructElements.encoded[e]($whole, ${ structOf[e] }) }.asTerm
          case Some(of) =>
            def typed(elements: Expr[Array[?]])(using Quotes): Expr[Array[?]] =
              '{
                ElementBytes.typed($elements, ${ Expr(of) })(item =>
                  ${ StructConstruction.leafOf[e]('{ item.asInstanceOf[e] }) }
                )
              }
            // An opaque type with a StoredAs may have the array type of its stored form.
            if StoredTypes.isConverted(inner) then typed(whole).asTerm
            else
              '{
                val elements = $whole
                if ElementBytes.isTyped(elements, ${ Expr(of) }) then elements
                else ${ typed('elements) }
              }.asTerm
  end array

  /** The Struct of an element, which must have the layout that the enclosing code was compiled for.
    */
  private def structOf[A: Type](using Quotes): Expr[Struct[A]] =
    import quotes.reflect.*
    Expr
      .summon[Struct[A]]
      .map(LayoutCheck.checked(_))
      .getOrElse:
        val name = TypeRepr.of[A].show
        report.errorAndAbort(
          s"an InlineArray of ${name.split('.').last} needs its Struct: add `derives Struct` to $name"
        )
end InlineArrayConstruction
