package undercroft.struct
package internal.macros.access

import internal.macros.schema.LayoutCheck
import internal.bytes.WholeStructs
import internal.macros.loops.{Loop, TableLoops}
import internal.macros.places.{CagePlace, Place, RowPlace}
import internal.macros.schema.{
  CaseFields,
  InlineArrayTypes,
  OptionTypes,
  ShapeDerivation,
  StoredTypes
}
import internal.macros.terms.{
  CopyUpdates,
  PartUpdates,
  Projection,
  StructConstruction,
  ValueConversion,
  ValueSplitter
}
import undercroft.memory.internal.cage.Cage
import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.memory.Allocator
import undercroft.struct.*

/** Generates the field accesses of references. */
@publicInBinary private[struct] object FieldAccess:

  /** `ref.field`. A field of `rows.ref(i)` is read as a field of the table: see
    * [[RowAccess.field]].
    */
  def select[T: Type, L <: Layout: Type](ref: Expr[Reference[T, L]], name: Expr[String])(using
      Quotes
  ): Expr[Any] = selected(withContent(ref, name), name)

  private def selected[T: Type, L <: Layout: Type](
      ref: Expr[Reference[T, L]],
      name: Expr[String]
  )(using Quotes): Expr[Any] =
    import quotes.reflect.*
    val field = named[T](name)
    val leaves = partsOf[T].leaves.filter(_.path.head == field)
    leaves match
      case List(leaf) if isValue(typeOf(TypeRepr.of[T], field)) =>
        typeOf(TypeRepr.of[T], field).asType match
          case '[a] =>
            def read(place: Place)(using Quotes) = StructConstruction.single[a](place.get(leaf))
            RowAccess.written(ref) match
              case Some((table, index)) =>
                val layout = known[T, L](ref)
                RowAccess.field[T, L, a](table, index, layout)(place => read(place)): again =>
                  reading[T, L, a](again)(place => read(place))
              case None => reading[T, L, a](ref)(place => read(place))
      case List(leaf) if leaf.path == List(field) && isSwapped(leaf) =>
        report.errorAndAbort(
          s"field `$field` of ${partsOf[T].name} has the other order of bytes, so there is no " +
            s"reference to it alone: read it as `ref.$field()`"
        )
      case _ =>
        val offset = Expr(start(partsOf[T], field, known[T, L](ref)).toLong)
        typeOf(TypeRepr.of[T], field).asType match
          case '[a] =>
            '{
              val start = ${ LayoutCheck.address(ref) }
              Reference.at[a, L](Cage.moved(start, $offset))
            }
    end match
  end selected

  /** The reference that a field is read through: for `get` of an Option, after a check that it has
    * a value.
    */
  private def withContent[T: Type, L <: Layout: Type](
      ref: Expr[Reference[T, L]],
      name: Expr[String]
  )(using Quotes): Expr[Reference[T, L]] =
    if !isOption[T] || named[T](name) != "get" then ref
    else
      val isDefined = leafOf[T](Expr("isDefined"))
      '{
        val option = $ref
        val hasContent = ${
          reading[T, L, Boolean]('option)(place => place.get(isDefined).asExprOf[Boolean])
        }
        if hasContent then option else throw java.util.NoSuchElementException("None.get")
      }

  private def isOption[T: Type](using Quotes): Boolean =
    OptionTypes.of(quotes.reflect.TypeRepr.of[T].dealias).isDefined

  /** Reports an error if a field is one of an Option, which is stored as a whole. */
  private def checkStoredAlone[T: Type](name: Expr[String])(using Quotes): Unit =
    if isOption[T] then
      quotes.reflect.report.errorAndAbort(
        s"`${name.valueOrAbort}` of an Option cannot be stored alone: store the Option by " +
          "`ref() = value`"
      )

  /** `ref.field()` on a struct field: loads the whole struct. */
  def loadNested[T: Type, L <: Layout: Type](
      ref: Expr[Reference[T, L]],
      name: Expr[String],
      arguments: Expr[Seq[Any]]
  )(using Quotes): Expr[Any] = loadField(withContent(ref, name), name, arguments)

  private def loadField[T: Type, L <: Layout: Type](
      ref: Expr[Reference[T, L]],
      name: Expr[String],
      arguments: Expr[Seq[Any]]
  )(using Quotes): Expr[Any] =
    import quotes.reflect.*
    val field = named[T](name)
    val tpe = typeOf(TypeRepr.of[T], field)
    def leaves = partsOf[T].leaves.filter(_.path == List(field))
    val hasArguments = arguments match
      case Varargs(Seq()) => false
      case _              => true
    if StoredTypes.isReference(tpe) && !hasArguments then
      tpe.asType match
        case '[type l <: Layout; Reference[t, `l`]] =>
          '{
            val to = ${ selected(ref, name).asExprOf[Reference[t, l]] }
            ${ load('to) }
          }
    else if InlineArrayTypes.parts(tpe).isDefined && hasArguments then
      element(ref, name, arguments, tpe)
    else if ShapeDerivation.far(tpe).contains(Shape.Kind.BytesRef) && hasArguments then
      byte(ref, name, arguments)
    else if StoredTypes.isRun(tpe) && hasArguments then elementOfRun(ref, name, arguments)
    else if ShapeDerivation.primitive(tpe).isDefined || ShapeDerivation.far(tpe).isDefined ||
      hasArguments
    then
      report.errorAndAbort(
        s"field `$field` of ${partsOf[T].name} is of type ${ShapeDerivation.named(tpe)}: it takes no arguments"
      )
    else
      tpe.asType match
        case '[a] if leaves.exists(isSwapped) =>
          reading[T, L, a](ref)(place => StructConstruction.single[a](place.get(leaves.head)))
        case '[a] =>
          val offset = Expr(start(partsOf[T], field, known[T, L](ref)).toLong)
          '{
            val start = ${ LayoutCheck.address(ref) }
            val field = Reference.at[a, L](Cage.moved(start, $offset))
            ${ load('field) }
          }
    end if
  end loadField

  /** `ref.field(i)` on an InlineArray field: one element. */
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
      case (Varargs(Seq('{ $index: Int })), '[type n <: Int; InlineArray[a, `n`]]) =>
        '{
          val inline = ${ selected(ref, name).asExprOf[Reference[InlineArray[a, n], L]] }
          ${ InlineArrayAccess.read('inline, index) }
        }
      case _ => report.errorAndAbort(s"field `${name.valueOrAbort}` takes one index, an Int")

  /** `ref.field(i)` on a BytesRef field: one of its bytes. */
  private def byte[T: Type, L <: Layout: Type](
      ref: Expr[Reference[T, L]],
      name: Expr[String],
      arguments: Expr[Seq[Any]]
  )(using Quotes): Expr[Byte] =
    arguments match
      case Varargs(Seq(index)) =>
        val at = ValueConversion.to[Long](index, s"the index of field `${name.valueOrAbort}`")
        '{ ${ selected(ref, name).asExprOf[BytesRef] }.apply($at) }
      case _ =>
        quotes.reflect.report.errorAndAbort(s"field `${name.valueOrAbort}` takes one index, a Long")

  /** `ref.field(i)` on a RowsRef field: one of its structs. */
  private def elementOfRun[T: Type, L <: Layout: Type](
      ref: Expr[Reference[T, L]],
      name: Expr[String],
      arguments: Expr[Seq[Any]]
  )(using Quotes): Expr[Any] =
    arguments match
      case Varargs(Seq(index)) =>
        val at = ValueConversion.to[Long](index, s"the index of field `${name.valueOrAbort}`")
        selected(ref, name) match
          case '{ $run: RowsRef[t] } => RunAccess.load(run, at)
      case _ =>
        quotes.reflect.report.errorAndAbort(s"field `${name.valueOrAbort}` takes one index, a Long")

  def assign[T: Type, L <: Layout: Type](
      ref: Expr[Reference[T, L]],
      name: Expr[String],
      value: Expr[Any]
  )(using Quotes): Expr[Unit] =
    import quotes.reflect.*
    val field = named[T](name)
    checkStoredAlone[T](name)
    val layout = known[T, L](ref)
    val tpe = typeOf(TypeRepr.of[T], field)
    tpe.asType match
      case '[a] =>
        val converted = ValueConversion.to[a](value, s"field `$field` of ${partsOf[T].name}")
        if ShapeDerivation.kind(tpe).isDefined then
          val leaf = partsOf[T].leaves.filter(_.path.head == field).head
          '{
            val address = ${ LayoutCheck.address(ref) }
            val stored: a = $converted
            ${
              CagePlace(
                'address,
                layout == TableLoops.Known.Packed
              ).set(leaf, StructConstruction.leafOf('stored))
            }
          }
        else
          val offset = Expr(start(partsOf[T], field, layout).toLong)
          '{
            val start = ${ LayoutCheck.address(ref) }
            val address = Cage.moved(start, $offset)
            ${ storing[a](converted, 'address, layout) }
          }
    end match
  end assign

  private def leafOf[T: Type](name: Expr[String])(using Quotes): Shape.Leaf =
    val field = named[T](name)
    partsOf[T].leaves.filter(_.path.head == field).head

  def load[T: Type, L <: Layout: Type](ref: Expr[Reference[T, L]])(using Quotes): Expr[T] =
    reading[T, L, T](ref)(place => StructConstruction.load[T](place))

  def read[T: Type, L <: Layout: Type, A: Type](
      ref: Expr[Reference[T, L]],
      f: Expr[T => A]
  )(using Quotes): Expr[A] = reading[T, L, A](ref)(place => Projection(f, place))

  def store[T: Type, L <: Layout: Type](ref: Expr[Reference[T, L]], value: Expr[T])(using
      Quotes
  ): Expr[Unit] =
    val layout = known[T, L](ref)
    '{
      val address = ${ LayoutCheck.address(ref) }
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
      val layout = ${ LayoutCheck.checked(struct) }
      var bits = 0L
      ${
        ValueSplitter.store(value): target =>
          '{
            bits = WholeStructs.block(layout, $allocator)
            val at = Cage.within(Cage.placeOf(bits))
            ${ target(RowPlace('{ Cage.open }, 'at, packed = false)) }
          }
      }
      Reference.at[T, Aligned](bits)
    }

  /** A zeroed block, in the layout that this code was compiled for if the layout is known. */
  def zeroed[T: Type](struct: Expr[Struct[T]], allocator: Expr[Allocator])(using
      Quotes
  ): Expr[Ref[T]] =
    val agreed = if ShapeDerivation.isKnown[T] then LayoutCheck.checked(struct) else struct
    '{ Reference.at[T, Aligned](WholeStructs.block($agreed, $allocator)) }

  def change[T: Type, L <: Layout: Type, A: Type](
      ref: Expr[Reference[T, L]],
      field: Expr[T => A],
      f: Expr[A => A]
  )(using Quotes): Expr[Unit] =
    reading[T, L, Unit](ref)(place =>
      Loop.literal(f)(f => PartUpdates.changed(place, field, f, "update"))
    )

  def transform[T: Type, L <: Layout: Type](ref: Expr[Reference[T, L]], f: Expr[T => T])(using
      Quotes
  ): Expr[Unit] =
    val layout = TableLoops.required[T, L]("transform")
    '{
      val bits = ${ LayoutCheck.address(ref) }
      ${
        Loop.literal(f): f =>
          CopyUpdates.store(f, CagePlace('bits, layout == TableLoops.Known.Packed))
      }
    }

  /** The parts that a reference to a type gives access to. */
  private def partsOf[T: Type](using Quotes): Shape =
    ShapeDerivation.shape[T] match
      case Shape.Primitive(Shape.Kind.Union(members), _, _) => Shape.Union("Union", members)
      case shape                                            => shape

  /** Whether selecting a field through a reference returns its value, not a reference to it. */
  def isValue(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    ShapeDerivation.primitive(tpe).isDefined || ShapeDerivation.far(
      tpe
    ).isDefined || StoredTypes.isReference(tpe) || StoredTypes.isRun(tpe)

  /** Whether a field is big-endian, which its type does not show. */
  private def isSwapped(leaf: Shape.Leaf): Boolean = leaf.kind match
    case Shape.Kind.BigEndian(_) => true
    case _                       => false

  private def reading[T: Type, L <: Layout: Type, R: Type](ref: Expr[Reference[T, L]])(
      next: Quotes ?=> Place => Expr[R]
  )(using Quotes): Expr[R] =
    val layout = known[T, L](ref)
    '{
      val bits = ${ LayoutCheck.address(ref) }
      ${ next(CagePlace('bits, layout == TableLoops.Known.Packed)) }
    }

  def storing[T: Type](value: Expr[T], address: Expr[Long], layout: TableLoops.Known)(using
      Quotes
  ): Expr[Unit] =
    if ShapeDerivation.kind(quotes.reflect.TypeRepr.of[T].dealias).isDefined then
      val leaf = ShapeDerivation.shape[T].leaves.head
      '{
        val stored = $value
        ${
          CagePlace(
            address,
            layout == TableLoops.Known.Packed
          ).set(leaf, StructConstruction.leafOf('stored))
        }
      }
    else
      ValueSplitter.store(value)(_(CagePlace(address, layout == TableLoops.Known.Packed)))

  private def known[T: Type, L <: Layout: Type](ref: Expr[Any])(using Quotes): TableLoops.Known =
    import quotes.reflect.*
    TableLoops.known[T, L].getOrElse:
      report.errorAndAbort(
        s"access to a field needs a reference of a known type, and " +
          s"${ShapeDerivation.named(TypeRepr.of[Reference[T, L]])} is not: ${ShapeDerivation.unknownCure[T]}",
        ref
      )

  private def named[T: Type](name: Expr[String])(using Quotes): String =
    import quotes.reflect.*
    val field = name.valueOrAbort
    if !ShapeDerivation.isKnown[T] then
      report.errorAndAbort(
        s"`$field` is not known here: the fields of a reference are those of its type, and " +
          s"${ShapeDerivation.named(TypeRepr.of[T].dealias)} is not a known struct; ${ShapeDerivation.unknownCure[T]}"
      )
    CaseFields.checkSelectable(TypeRepr.of[T].dealias, field, "ref")
    val fieldNames = ShapeDerivation.fields(TypeRepr.of[T].dealias).map(_._1)
    if !fieldNames.contains(field) then
      val name = ShapeDerivation.named(TypeRepr.of[T].dealias)
      val cure =
        if field.endsWith("=") then "replace the whole by `ref.transform(f)`, a part by `update`"
        else if fieldNames.isEmpty then "a reference to it loads the whole, by `ref()`"
        else s"it has ${fieldNames.mkString(", ")}"
      report.errorAndAbort(s"$name has no field `$field`; $cure")
    field

  private def typeOf(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, field: String): quotes.reflect.TypeRepr =
    ShapeDerivation.fields(tpe.dealias).find(_._1 == field).fold(tpe)(_._2.dealias)

  private def start(shape: Shape, field: String, layout: TableLoops.Known): Int =
    val first = shape.leaves.filter(_.path.head == field).head
    if layout == TableLoops.Known.Packed then first.packed else first.aligned
end FieldAccess
