package undercroft.struct
package internal.macros.access

import internal.macros.schema.LayoutCheck
import internal.bytes.{ElementBytes, StructElements}
import internal.macros.loops.TableLoops
import internal.macros.places.CagePlace
import internal.macros.schema.{OptionTypes, ShapeDerivation, StoredTypes}
import internal.macros.terms.StructConstruction
import undercroft.memory.internal.cage.Cage
import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.struct.*
import undercroft.struct.internal.macros.schema.Derivation.given

/** Generates access to the elements of an [[InlineArray]]. */
@publicInBinary private[struct] object InlineArrayAccess:

  /** The kind of an InlineArray type: the kind of its elements and their number in all dimensions.
    */
  def kind(using Quotes)(tpe: quotes.reflect.TypeRepr): Option[Shape.Kind] =
    parts(tpe).map: (inner, size) =>
      val (of, innerCount) = kind(inner) match
        case Some(Shape.Kind.Elements(of, count)) => (one(of, _), count)
        case Some(Shape.Kind.Structs(of, count))  => (structs(of, _), count)
        case _ =>
          ShapeDerivation.kind(inner) match
            case Some(kind) => (one(kind, _), 1)
            case None       => (structs(element(tpe, inner), _), 1)
      val bytes = of(1).size.toLong * innerCount * size
      if bytes > InlineArray.MaxLength then
        quotes.reflect.report.errorAndAbort(
          s"${tpe.show}: an InlineArray has at most ${InlineArray.MaxLength} bytes, not $bytes; keep more in " +
            "a table"
        )
      of(size * innerCount)

  private def one(of: Shape.Kind, count: Int): Shape.Kind = Shape.Kind.Elements(of, count)
  private def structs(of: Shape, count: Int): Shape.Kind = Shape.Kind.Structs(of, count)

  /** The shape of an element that is a struct. */
  private def element(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, inner: quotes.reflect.TypeRepr): Shape =
    import quotes.reflect.*
    if OptionTypes.of(
        inner
      ).isEmpty && (ShapeDerivation.isCaseClass(inner) || ShapeDerivation.isSum(inner) ||
        StoredTypes.of(inner).isDefined)
    then ShapeDerivation.shapeOf(inner)
    else
      report.errorAndAbort(
        s"${tpe.show}: an InlineArray holds primitives, texts, structs, enums and InlineArrays of them, and " +
          s"${inner.show} is not one of these"
      )

  /** The element type of all dimensions. */
  def elementType(using Quotes)(tpe: quotes.reflect.TypeRepr): quotes.reflect.TypeRepr =
    parts(tpe).fold(tpe)((inner, _) => elementType(inner))

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

  /** The element type and the length of an InlineArray type. */
  def parts(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr): Option[(quotes.reflect.TypeRepr, Int)] =
    import quotes.reflect.*
    tpe match
      case AppliedType(inline, List(inner, size))
          if inline.typeSymbol.fullName == "undercroft.struct.InlineArray" =>
        size.dealias match
          case ConstantType(IntConstant(n)) if n > 0 => Some((inner.dealias, n))
          case _ => report.errorAndAbort(s"${tpe.show}: its length is not a number above 0")
      case _ => None

  /** The length of each dimension, outermost first. */
  def sizes(using Quotes)(tpe: quotes.reflect.TypeRepr): List[Int] =
    parts(tpe).toList.flatMap((inner, size) => size :: sizes(inner))

  /** An InlineArray from the leaf that its elements are loaded as. */
  def made(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, leaf: quotes.reflect.Term): quotes.reflect.Term =
    import quotes.reflect.*
    val dimensions = Expr(sizes(tpe))
    val inner = elementType(tpe)
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
    case Shape.Kind.Boolean     => '{ $item.asInstanceOf[Boolean] }
    case Shape.Kind.Byte        => '{ $item.asInstanceOf[Byte] }
    case Shape.Kind.Short       => '{ $item.asInstanceOf[Short] }
    case Shape.Kind.Char        => '{ $item.asInstanceOf[Char] }
    case Shape.Kind.Int         => '{ $item.asInstanceOf[Int] }
    case Shape.Kind.Long        => '{ $item.asInstanceOf[Long] }
    case Shape.Kind.Float       => '{ $item.asInstanceOf[Float] }
    case Shape.Kind.Double      => '{ $item.asInstanceOf[Double] }
    case Shape.Kind.TextRef     => '{ $item.asInstanceOf[TextRef] }
    case Shape.Kind.BytesRef    => '{ $item.asInstanceOf[BytesRef] }
    case Shape.Kind.Ordinal(of) => asLeaf(of, item)
    case _                      => item

  /** The leaf that an InlineArray's elements are stored as; elements that cannot be stored fail
    * here.
    */
  def array(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, value: quotes.reflect.Term): quotes.reflect.Term =
    import quotes.reflect.*
    val inner = elementType(tpe)
    val whole: Expr[Array[?]] = tpe.asType match
      case '[type n <: Int; InlineArray[a, `n`]] =>
        val count = Expr(sizes(tpe).product)
        '{ ElementBytes.sized(${ value.asExprOf[InlineArray[a, n]] }.whole, $count) }
    inner.asType match
      case '[e] =>
        ShapeDerivation.kind(inner) match
          case None => '{ StructElements.encoded[e]($whole, ${ structOf[e] }) }.asTerm
          case Some(of) =>
            '{
              val elements = $whole
              if ElementBytes.isTyped(elements, ${ Expr(of) }) then elements
              else
                ElementBytes.typed(elements, ${ Expr(of) })(item =>
                  ${ StructConstruction.leafOf[e]('{ item.asInstanceOf[e] }) }
                )
            }.asTerm
  end array

  def read[A: Type, N <: Int: Type, L <: Layout: Type](
      ref: Expr[Reference[InlineArray[A, N], L]],
      index: Expr[Int]
  )(using Quotes): Expr[Any] =
    at(ref, index): (bits, layout) =>
      if FieldAccess.isValue(quotes.reflect.TypeRepr.of[A].dealias) then
        StructConstruction.single[A](CagePlace(
          bits,
          layout == TableLoops.Known.Packed
        ).get(leaf[A]))
      else '{ Reference.at[A, L]($bits) }

  def assign[A: Type, N <: Int: Type, L <: Layout: Type](
      ref: Expr[Reference[InlineArray[A, N], L]],
      index: Expr[Int],
      value: Expr[A]
  )(using Quotes): Expr[Unit] =
    '{
      val stored = $value
      ${ at(ref, index)((bits, layout) => FieldAccess.storing('stored, bits, layout)) }
    }.asExprOf[Unit]

  /** The only leaf of an element. */
  private def leaf[A: Type](using Quotes): Shape.Leaf = ShapeDerivation.shape[A].leaves.head

  // The address is bound to a name before it is an argument: a path such as `ref._address` would be
  // inlined into `moved` as the path, and typed again where user code may not select `_address`.
  private def at[A: Type, N <: Int: Type, L <: Layout: Type, R: Type](
      ref: Expr[Reference[InlineArray[A, N], L]],
      index: Expr[Int]
  )(next: Quotes ?=> (Expr[Long], TableLoops.Known) => Expr[R])(using Quotes): Expr[R] =
    import quotes.reflect.*
    val layout = RowAccess.required[InlineArray[A, N], L]("an element")
    val size = parts(TypeRepr.of[InlineArray[A, N]].dealias).fold(0)(_._2)
    val isPacked = layout == TableLoops.Known.Packed
    val shape = ShapeDerivation.shape[A]
    val stride = Expr((if isPacked then shape.packedSize else shape.alignedSize).toLong)
    '{
      val start = $ref._address
      val bits = Cage.moved(start, InlineArray.checked($index, ${ Expr(size) }) * $stride)
      ${ next('bits, layout) }
    }
end InlineArrayAccess
