package undercroft.struct.internal

import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.memory.Cage
import undercroft.struct.*

/** Generates access to the elements of an [[Inline]]. */
@publicInBinary private[struct] object Inlines:

  /** The primitives of an Inline type, and how many of them: those of all dimensions. */
  def kind(using Quotes)(tpe: quotes.reflect.TypeRepr): Option[Kind.Elements] =
    parts(tpe).map: (inner, size) =>
      val (of, each) = kind(inner) match
        case Some(nested) => (nested.of, nested.count)
        case None         => (primitive(tpe, inner), 1)
      if size.toLong * each * of.size > Inline.Longest then
        quotes.reflect.report.errorAndAbort(
          s"${tpe.show}: an Inline has at most ${Inline.Longest} bytes; keep more in a table"
        )
      Kind.Elements(of, size * each)

  private def primitive(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, inner: quotes.reflect.TypeRepr): Kind =
    Schema
      .primitive(inner)
      .getOrElse:
        quotes.reflect.report.errorAndAbort(
          s"${tpe.show}: an Inline holds primitives and Inlines of them, and ${inner.show} is " +
            "neither: keep such elements in a table of their own, or as fields"
        )

  /** What an Inline type is of, and how often. */
  def parts(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr): Option[(quotes.reflect.TypeRepr, Int)] =
    import quotes.reflect.*
    tpe match
      case AppliedType(inline, List(inner, size))
          if inline.typeSymbol.fullName == "undercroft.struct.Inline" =>
        size.dealias match
          case ConstantType(IntConstant(n)) if n > 0 => Some((inner.dealias, n))
          case _ => report.errorAndAbort(s"${tpe.show}: its length is not a number above 0")
      case _ => None

  /** How many values each dimension has, from the outermost on. */
  def sizes(using Quotes)(tpe: quotes.reflect.TypeRepr): List[Int] =
    parts(tpe).toList.flatMap((inner, size) => size :: sizes(inner))

  /** An Inline of an array of its elements. */
  def made(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, array: quotes.reflect.Term): quotes.reflect.Term =
    import quotes.reflect.*
    val all = Expr(sizes(tpe))
    tpe.asType match
      case '[type n <: Int; Inline[a, `n`]] =>
        '{ ElementBytes.inline[a, n](${ array.asExprOf[Array[?]] }, $all) }.asTerm

  /** The array of an Inline's elements. */
  def array(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, value: quotes.reflect.Term): quotes.reflect.Term =
    import quotes.reflect.*
    tpe.asType match
      case '[type n <: Int; Inline[a, `n`]] =>
        val inline = value.asExprOf[Inline[a, n]]
        '{ $inline.whole }.asTerm

  def read[A: Type, N <: Int: Type, L <: Layout: Type](
      ref: Expr[Reference[Inline[A, N], L]],
      index: Expr[Int]
  )(using Quotes): Expr[Reference.Field[A, L]] =
    at(ref, index): (bits, layout) =>
      Schema.primitive(quotes.reflect.TypeRepr.of[A].dealias) match
        case Some(_) => Place.InCage(bits, layout == Tables.Known.Packed).get(leaf[A])
        case None    => '{ Reference.at[A, L]($bits) }
    .asExprOf[Reference.Field[A, L]]

  def assign[A: Type, N <: Int: Type, L <: Layout: Type](
      ref: Expr[Reference[Inline[A, N], L]],
      index: Expr[Int],
      value: Expr[A]
  )(using Quotes): Expr[Unit] =
    '{
      val stored = $value
      ${
        at(ref, index): (bits, layout) =>
          Place.InCage(bits, layout == Tables.Known.Packed).set(leaf[A], Code.leafOf('stored))
      }
    }.asExprOf[Unit]

  /** The one leaf of an element. */
  private def leaf[A: Type](using Quotes): Leaf = Schema.shape[A].leaves.head

  private def at[A: Type, N <: Int: Type, L <: Layout: Type, R: Type](
      ref: Expr[Reference[Inline[A, N], L]],
      index: Expr[Int]
  )(next: Quotes ?=> (Expr[Long], Tables.Known) => Expr[R])(using Quotes): Expr[R] =
    import quotes.reflect.*
    val layout = Single.required[Inline[A, N], L]("an element")
    val size = parts(TypeRepr.of[Inline[A, N]].dealias).fold(0)(_._2)
    val stride = Expr(Schema.shape[A].packedSize.toLong)
    '{
      val bits = Cage.moved($ref._address, Inline.checked($index, ${ Expr(size) }) * $stride)
      ${ next('bits, layout) }
    }
end Inlines
