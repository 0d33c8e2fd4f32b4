package undercroft.struct.internal

import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.memory.Cage
import undercroft.struct.*
import undercroft.struct.internal.Derivation.given

/** Generates access to the elements of an [[Inline]]. */
@publicInBinary private[struct] object Inlines:

  /** What the elements of an Inline type are, and how many of them: those of all dimensions. */
  def kind(using Quotes)(tpe: quotes.reflect.TypeRepr): Option[Kind] =
    parts(tpe).map: (inner, size) =>
      val (of, each) = kind(inner) match
        case Some(Kind.Elements(of, count)) => (one(of, _), count)
        case Some(Kind.Structs(of, count))  => (structs(of, _), count)
        case _ =>
          Schema.kind(inner) match
            case Some(kind) => (one(kind, _), 1)
            case None       => (structs(element(tpe, inner), _), 1)
      val bytes = of(1).size.toLong * each * size
      if bytes > Inline.Longest then
        quotes.reflect.report.errorAndAbort(
          s"${tpe.show}: an Inline has at most ${Inline.Longest} bytes, not $bytes; keep more in " +
            "a table"
        )
      of(size * each)

  private def one(of: Kind, count: Int): Kind = Kind.Elements(of, count)
  private def structs(of: Shape, count: Int): Kind = Kind.Structs(of, count)

  /** The shape of an element that is a struct. */
  private def element(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, inner: quotes.reflect.TypeRepr): Shape =
    import quotes.reflect.*
    if Optional.of(inner).isEmpty && (Schema.isCaseClass(inner) || Schema.isSum(inner) ||
        Stored.of(inner).isDefined)
    then Schema.shapeOf(inner)
    else
      report.errorAndAbort(
        s"${tpe.show}: an Inline holds primitives, texts, structs, enums and Inlines of them, and " +
          s"${inner.show} is none of these"
      )

  /** The type of an element of all dimensions. */
  def elementType(using Quotes)(tpe: quotes.reflect.TypeRepr): quotes.reflect.TypeRepr =
    parts(tpe).fold(tpe)((inner, _) => elementType(inner))

  /** The Struct of an element. */
  private def structOf[A: Type](using Quotes): Expr[Struct[A]] =
    import quotes.reflect.*
    Expr
      .summon[Struct[A]]
      .getOrElse:
        val name = TypeRepr.of[A].show
        report.errorAndAbort(
          s"an Inline of ${name.split('.').last} needs its Struct: add `derives Struct` to $name"
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

  /** An Inline of the leaf that its elements are loaded as. */
  def made(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, leaf: quotes.reflect.Term): quotes.reflect.Term =
    import quotes.reflect.*
    val all = Expr(sizes(tpe))
    val inner = elementType(tpe)
    val elements: Expr[Array[?]] = inner.asType match
      case '[e] =>
        Schema.kind(inner) match
          case None =>
            '{ StructElements.decoded[e](${ leaf.asExprOf[StructElements] }, ${ structOf[e] }) }
          case Some(of) if Schema.primitive(inner).isEmpty =>
            val array = leaf.asExprOf[Array[?]]
            '{ ElementBytes.mapped($array)(one => ${ Code.single[e](asLeaf(of, 'one)) }) }
          case Some(_) => leaf.asExprOf[Array[?]]
    tpe.asType match
      case '[type n <: Int; Inline[a, `n`]] =>
        '{ ElementBytes.inline[a, n]($elements, $all) }.asTerm

  /** An element with the type of what it is stored as. */
  private def asLeaf(of: Kind, one: Expr[Any])(using Quotes): Expr[Any] = of match
    case Kind.Boolean     => '{ $one.asInstanceOf[Boolean] }
    case Kind.Byte        => '{ $one.asInstanceOf[Byte] }
    case Kind.Short       => '{ $one.asInstanceOf[Short] }
    case Kind.Char        => '{ $one.asInstanceOf[Char] }
    case Kind.Int         => '{ $one.asInstanceOf[Int] }
    case Kind.Long        => '{ $one.asInstanceOf[Long] }
    case Kind.Float       => '{ $one.asInstanceOf[Float] }
    case Kind.Double      => '{ $one.asInstanceOf[Double] }
    case Kind.TextRef     => '{ $one.asInstanceOf[TextRef] }
    case Kind.BytesRef    => '{ $one.asInstanceOf[BytesRef] }
    case Kind.Ordinal(of) => asLeaf(of, one)
    case _                => one

  /** The leaf that an Inline's elements are stored as; what cannot be stored fails here. */
  def array(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, value: quotes.reflect.Term): quotes.reflect.Term =
    import quotes.reflect.*
    val inner = elementType(tpe)
    val whole: Expr[Array[?]] = tpe.asType match
      case '[type n <: Int; Inline[a, `n`]] =>
        val count = Expr(sizes(tpe).product)
        '{ ElementBytes.sized(${ value.asExprOf[Inline[a, n]] }.whole, $count) }
    inner.asType match
      case '[e] =>
        Schema.kind(inner) match
          case None => '{ StructElements.encoded[e]($whole, ${ structOf[e] }) }.asTerm
          case Some(of) =>
            '{
              val elements = $whole
              if ElementBytes.isTyped(elements, ${ Expr(of) }) then elements
              else
                ElementBytes.typed(elements, ${ Expr(of) })(one =>
                  ${ Code.leafOf[e]('{ one.asInstanceOf[e] }) }
                )
            }.asTerm
  end array

  def read[A: Type, N <: Int: Type, L <: Layout: Type](
      ref: Expr[Reference[Inline[A, N], L]],
      index: Expr[Int]
  )(using Quotes): Expr[Any] =
    at(ref, index): (bits, layout) =>
      if Fields.isValue(quotes.reflect.TypeRepr.of[A].dealias) then
        Code.single[A](CagePlace(bits, layout == Tables.Known.Packed).get(leaf[A]))
      else '{ Reference.at[A, L]($bits) }

  def assign[A: Type, N <: Int: Type, L <: Layout: Type](
      ref: Expr[Reference[Inline[A, N], L]],
      index: Expr[Int],
      value: Expr[A]
  )(using Quotes): Expr[Unit] =
    '{
      val stored = $value
      ${ at(ref, index)((bits, layout) => Fields.storing('stored, bits, layout)) }
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
    val isPacked = layout == Tables.Known.Packed
    val shape = Schema.shape[A]
    val stride = Expr((if isPacked then shape.packedSize else shape.alignedSize).toLong)
    '{
      val bits = Cage.moved($ref._address, Inline.checked($index, ${ Expr(size) }) * $stride)
      ${ next('bits, layout) }
    }
end Inlines
