package undercroft.struct.internal

import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.memory.{Allocator, Cage}
import undercroft.struct.*

/** Generates the field accesses of references. */
@publicInBinary private[struct] object Fields:

  def select[T: Type, L <: Layout: Type](ref: Expr[Reference[T, L]], name: Expr[String])(using
      Quotes
  ): Expr[Any] =
    import quotes.reflect.*
    val field = named[T](name)
    val leaves = partsOf[T].leaves.filter(_.path.head == field)
    leaves match
      case List(leaf) if isValue(typeOf(TypeRepr.of[T], field)) =>
        typeOf(TypeRepr.of[T], field).asType match
          case '[a] => reading[T, L, a](ref)(place => Code.single[a](place.get(leaf)))
      case List(leaf) if leaf.path == List(field) && isSwapped(leaf) =>
        report.errorAndAbort(
          s"field `$field` of ${partsOf[T].name} has the other order of bytes, so there is no " +
            s"reference to it alone: read it as `ref.$field()`"
        )
      case _ =>
        val offset = Expr(start(partsOf[T], field, known[T, L](ref)).toLong)
        typeOf(TypeRepr.of[T], field).asType match
          case '[a] => '{ Reference.at[a, L](Cage.moved($ref._address, $offset)) }

  /** `ref.field()`, where the field is a struct: all of it. */
  def loadNested[T: Type, L <: Layout: Type](
      ref: Expr[Reference[T, L]],
      name: Expr[String],
      arguments: Expr[Seq[Any]]
  )(using Quotes): Expr[Any] =
    import quotes.reflect.*
    val field = named[T](name)
    val tpe = typeOf(TypeRepr.of[T], field)
    def leaves = partsOf[T].leaves.filter(_.path == List(field))
    val none = arguments match
      case Varargs(Seq()) => true
      case _              => false
    if Stored.isReference(tpe) && none then
      tpe.asType match
        case '[type l <: Layout; Reference[t, `l`]] =>
          '{
            val to = ${ select(ref, name).asExprOf[Reference[t, l]] }
            ${ load('to) }
          }
    else if Inlines.parts(tpe).isDefined && !none then element(ref, name, arguments, tpe)
    else if Schema.far(tpe).contains(Kind.BytesRef) && !none then byte(ref, name, arguments)
    else if Schema.primitive(tpe).isDefined || Schema.far(tpe).isDefined || !none then
      report.errorAndAbort(
        s"field `$field` of ${partsOf[T].name} is of type ${tpe.show}: it takes no arguments"
      )
    else
      tpe.asType match
        case '[a] if leaves.exists(isSwapped) =>
          reading[T, L, a](ref)(place => Code.single[a](place.get(leaves.head)))
        case '[a] =>
          val offset = Expr(start(partsOf[T], field, known[T, L](ref)).toLong)
          load('{ Reference.at[a, L](Cage.moved($ref._address, $offset)) })
    end if
  end loadNested

  /** `ref.field(i)`, where the field is an Inline: one element. */
  private def element[T: Type, L <: Layout: Type](using
      Quotes
  )(
      ref: Expr[Reference[T, L]],
      name: Expr[String],
      arguments: Expr[Seq[Any]],
      tpe: quotes.reflect.TypeRepr
  ): Expr[Any] =
    import quotes.reflect.*
    (arguments, tpe.asType) match
      case (Varargs(Seq('{ $index: Int })), '[type n <: Int; Inline[a, `n`]]) =>
        '{
          val inline = ${ select(ref, name).asExprOf[Reference[Inline[a, n], L]] }
          ${ Inlines.read('inline, index) }
        }
      case _ => report.errorAndAbort(s"field `${name.valueOrAbort}` takes one index, an Int")

  /** `ref.field(i)`, where the field is a BytesRef: one of its bytes. */
  private def byte[T: Type, L <: Layout: Type](
      ref: Expr[Reference[T, L]],
      name: Expr[String],
      arguments: Expr[Seq[Any]]
  )(using Quotes): Expr[Byte] =
    arguments match
      case Varargs(Seq(index)) =>
        val at = Conversions.to[Long](index, s"the index of field `${name.valueOrAbort}`")
        '{ ${ select(ref, name).asExprOf[BytesRef] }.apply($at) }
      case _ =>
        quotes.reflect.report.errorAndAbort(s"field `${name.valueOrAbort}` takes one index, a Long")

  def assign[T: Type, L <: Layout: Type](
      ref: Expr[Reference[T, L]],
      name: Expr[String],
      value: Expr[Any]
  )(using Quotes): Expr[Unit] =
    import quotes.reflect.*
    val field = named[T](name)
    val layout = known[T, L](ref)
    val tpe = typeOf(TypeRepr.of[T], field)
    tpe.asType match
      case '[a] =>
        val converted = Conversions.to[a](value, s"field `$field` of ${partsOf[T].name}")
        if Schema.kind(tpe).isDefined then
          val leaf = partsOf[T].leaves.filter(_.path.head == field).head
          '{
            val address = $ref._address
            val stored: a = $converted
            ${
              CagePlace('address, layout == Tables.Known.Packed).set(leaf, Code.leafOf('stored))
            }
          }
        else
          val offset = Expr(start(partsOf[T], field, layout).toLong)
          '{
            val address = Cage.moved($ref._address, $offset)
            ${ storing[a](converted, 'address, layout) }
          }
  end assign

  def load[T: Type, L <: Layout: Type](ref: Expr[Reference[T, L]])(using Quotes): Expr[T] =
    reading[T, L, T](ref)(place => Code.load[T](place))

  def read[T: Type, L <: Layout: Type, A: Type](
      ref: Expr[Reference[T, L]],
      f: Expr[T => A]
  )(using Quotes): Expr[A] = reading[T, L, A](ref)(place => Projection(f, place))

  def store[T: Type, L <: Layout: Type](ref: Expr[Reference[T, L]], value: Expr[T])(using
      Quotes
  ): Expr[Unit] =
    val layout = known[T, L](ref)
    '{
      val address = $ref._address
      ${ storing[T](value, 'address, layout) }
    }

  /** Stores a value in a new block, whose place needs no check. */
  def made[T: Type](
      value: Expr[T],
      struct: Expr[Struct[T]],
      allocator: Expr[Allocator]
  )(using Quotes): Expr[Ref[T]] =
    val _ = known[T, Aligned](value)
    '{
      var bits = 0L
      ${
        Split.store(value): target =>
          '{
            bits = Places.block($struct, $allocator)
            val at = Cage.within(Cage.placeOf(bits))
            ${ target(RowPlace('{ Cage.open }, 'at, packed = false)) }
          }
      }
      Reference.at[T, Aligned](bits)
    }

  def change[T: Type, L <: Layout: Type, A: Type](
      ref: Expr[Reference[T, L]],
      field: Expr[T => A],
      f: Expr[A => A]
  )(using Quotes): Expr[Unit] =
    val leaf = Projection.leaf(field, "update")
    Loop.literal(f)(f => reading[T, L, Unit](ref)(place => Single.changed(place, leaf, f)))

  /** The parts that a reference to a type gives access to. */
  private def partsOf[T: Type](using Quotes): Shape =
    Schema.shape[T] match
      case Shape.Primitive(Kind.Union(members), _) => Shape.Union("Union", members)
      case shape                                   => shape

  /** Whether a field is what it holds through a reference, not a reference to it. */
  def isValue(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    Schema.primitive(tpe).isDefined || Schema.far(tpe).isDefined || Stored.isReference(tpe)

  /** Whether a field has the other order of bytes, which its type does not say. */
  private def isSwapped(leaf: Leaf): Boolean = leaf.kind match
    case Kind.BigEndian(_) => true
    case _                 => false

  private def reading[T: Type, L <: Layout: Type, R: Type](ref: Expr[Reference[T, L]])(
      next: Quotes ?=> Place => Expr[R]
  )(using Quotes): Expr[R] =
    val layout = known[T, L](ref)
    '{
      val bits = $ref._address
      ${ next(CagePlace('bits, layout == Tables.Known.Packed)) }
    }

  def storing[T: Type](value: Expr[T], address: Expr[Long], layout: Tables.Known)(using
      Quotes
  ): Expr[Unit] =
    if Schema.kind(quotes.reflect.TypeRepr.of[T].dealias).isDefined then
      val leaf = Schema.shape[T].leaves.head
      '{
        val stored = $value
        ${ CagePlace(address, layout == Tables.Known.Packed).set(leaf, Code.leafOf('stored)) }
      }
    else
      Split.store(value)(_(CagePlace(address, layout == Tables.Known.Packed)))

  private def known[T: Type, L <: Layout: Type](ref: Expr[Any])(using Quotes): Tables.Known =
    import quotes.reflect.*
    Single.known[T, L].getOrElse:
      report.errorAndAbort(
        s"a field is reached where the type of the reference is known, and " +
          s"${TypeRepr.of[Reference[T, L]].show} is not: make the method around it inline",
        ref
      )

  private def named[T: Type](name: Expr[String])(using Quotes): String =
    import quotes.reflect.*
    val field = name.valueOrAbort
    val all = Schema.fields(TypeRepr.of[T].dealias).map(_._1)
    if !all.contains(field) then
      report.errorAndAbort(
        s"${TypeRepr.of[T].show} has no field `$field`; it has ${all.mkString(", ")}"
      )
    field

  private def typeOf(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, field: String): quotes.reflect.TypeRepr =
    Schema.fields(tpe.dealias).find(_._1 == field).fold(tpe)(_._2.dealias)

  private def start(shape: Shape, field: String, layout: Tables.Known): Int =
    val first = shape.leaves.filter(_.path.head == field).head
    if layout == Tables.Known.Packed then first.packed else first.aligned
end Fields
