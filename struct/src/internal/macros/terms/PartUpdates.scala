package undercroft.struct
package internal.macros.terms

import internal.macros.places.Place
import internal.macros.schema.{InlineArrayTypes, ShapeDerivation}
import scala.quoted.*
import undercroft.struct.{InlineArray, Shape}

/** Replaces the part of a struct that a literal selects, and nothing else: a field of any type,
  * `_.price` or `_.at.x`, an element of an inline array, `_.cells(2)`, a field of such an element,
  * `_.corners(1).x`, or a member of a union, `_.value.real`.
  */
private[struct] object PartUpdates:

  /** Replaces the part by the result of `f`. The value is complete before anything is stored. */
  def changed[T: Type, A: Type](
      place: Place,
      field: Expr[T => A],
      f: Expr[A => A],
      operation: String
  )(using Quotes): Expr[Unit] =
    import quotes.reflect.*
    val leaves = ShapeDerivation.shape[T].leaves
    val updated = Projection.strip(field.asTerm) match
      case Lambda(List(row), body) =>
        val selected = bare(Projection.unnamed(row.symbol, body))
        val elements = ElementTerms[quotes.type](row.symbol, leaves, place)
        val members = MemberTerms[quotes.type](row.symbol, leaves, place)
        def index(term: Term): Expr[Int] =
          Projection.project[T](row.symbol, term, place, Map.empty).asExprOf[Int]
        // An element of a tuple, `_.pair(0)`, is known by its whole term.
        val written = Projection.pathFrom(row.symbol, Projection.strip(body))
        written.orElse(Projection.pathFrom(row.symbol, selected)) match
          case Some(Nil) =>
            val whole = if operation == "updateAt" then "transformAt" else "transform"
            report.errorAndAbort(s"$operation replaces a part: $whole replaces the whole", field)
          case Some(path) =>
            val part = leaves.filter(_.path.startsWith(path))
            Option.when(part.nonEmpty)(replaced[A](place, part, f))
          case None =>
            elements.selected(selected).map(element => ofElement[A](place, element, index, f))
              .orElse(members.leavesOf(selected).map((union, part) =>
                within(place, union, '{ 0L })(inside => replaced[A](inside, part, f))
              ))
      case _ => None
    updated.getOrElse(
      report.errorAndAbort(
        s"$operation needs a field, an element of an inline array or a member of a union, written " +
          s"as `_.field`; ${Projection.fieldsHere[T]}",
        field
      )
    )
  end changed

  private def ofElement[A: Type](using
      Quotes
  )(
      place: Place,
      element: ElementTerms.Selected[quotes.reflect.TypeRepr, quotes.reflect.Term],
      index: quotes.reflect.Term => Expr[Int],
      f: Expr[A => A]
  ): Expr[Unit] =
    val shape = ShapeDerivation.shapeOf(InlineArrayTypes.elementType(element.tpe))
    val stride = if place.isPackedFor(element.leaf) then shape.packedSize else shape.alignedSize
    val sizes = InlineArrayTypes.sizes(element.tpe)
    val number = element.indices.map(index).zip(sizes).foldLeft('{ 0 }):
      case (sum, (index, size)) =>
        '{ $sum * ${ Expr(size) } + InlineArray.checked($index, ${ Expr(size) }) }
    within(place, element.leaf, '{ $number * ${ Expr(stride.toLong) } })(inside =>
      replaced[A](inside, shape.leaves.filter(_.path.startsWith(element.path)), f)
    )

  private def within(place: Place, leaf: Shape.Leaf, offset: Expr[Long])(
      next: Quotes ?=> Place => Expr[Unit]
  )(using Quotes): Expr[Unit] =
    place.inside(leaf, offset)(next).getOrElse(
      quotes.reflect.report.errorAndAbort(s"${leaf.path.mkString(".")} is not in one place here")
    )

  /** Replaces the value of some leaves of a place. */
  private def replaced[A: Type](place: Place, leaves: List[Shape.Leaf], f: Expr[A => A])(using
      Quotes
  ): Expr[Unit] =
    import quotes.reflect.*
    val tpe = TypeRepr.of[A].widen.dealias
    leaves match
      case List(leaf) if ShapeDerivation.kind(tpe).isDefined =>
        '{
          val before: A = ${ StructConstruction.single[A](place.get(leaf)) }
          val after: A = ${ Expr.betaReduce('{ $f(before) }) }
          ${ place.set(leaf, StructConstruction.leafOf('after)) }
        }
      case _ =>
        '{
          val before: A = ${ StructConstruction.of[A](leaves.map(place.get)) }
          ${ stored[A](Expr.betaReduce('{ $f(before) }), leaves, place) }
        }

  /** Stores a value in some leaves of a place. */
  def stored[A: Type](value: Expr[A], leaves: List[Shape.Leaf], place: Place)(using
      Quotes
  ): Expr[Unit] =
    import quotes.reflect.*
    val split = ValueSplitter[quotes.type]()
    val stores = split.stores(leaves, split(TypeRepr.of[A].widen.dealias, value.asTerm))
    val code = ValueSplitter.code(stores, place, fresh = false)
    Block(split.statements, Expr.block(code, '{ () }).asTerm).asExprOf[Unit]

  /** A term without the casts and names around it. */
  private def bare(using Quotes)(term: quotes.reflect.Term): quotes.reflect.Term =
    import quotes.reflect.*
    Projection.strip(term) match
      case TypeApply(Select(inner, "asInstanceOf" | "$asInstanceOf$"), _) => bare(inner)
      case other                                                          => other
end PartUpdates
