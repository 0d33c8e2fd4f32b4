package undercroft.struct
package internal.macros.access

import internal.macros.loops.TableLoops
import internal.macros.schema.{CaseFields, OptionTypes, ShapeDerivation, StoredTypes, UnionTypes}
import internal.macros.terms.ValueConversion
import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.struct.*

/** Generates the field accesses of a [[TableRow]], as accesses to its table. */
@publicInBinary private[struct] object RowFields:

  def select[T: Type, L <: Layout: Type](row: Expr[TableRow[T, L]], name: Expr[String])(using
      Quotes
  ): Expr[Any] =
    val field = checked[T](name)
    '{
      val bound = $row
      ${ load[T, L]('{ bound._table }, '{ bound._index }, field) }
    }

  /** Loads one field, or the whole row if it is an Option or the layout of its table is not known.
    */
  private def load[T: Type, L <: Layout: Type](
      table: Expr[Table[T, L]],
      index: Expr[Long],
      field: String
  )(using Quotes): Expr[Any] =
    import quotes.reflect.*
    val tpe = TypeRepr.of[T].dealias
    TableLoops.known[T, L] match
      case Some(layout) if OptionTypes.of(tpe).isEmpty =>
        typeOf(tpe, field).asType match
          case '[a] => RowAccess.loadField[T, L, a](table, index, leavesOf[T](field), layout)
      case _ =>
        val number = ShapeDerivation.fields(tpe).indexWhere(_._1 == field)
        ofWhole(tpe, RowAccess.load[T, L](table, index).asTerm, field, number).asExpr

  /** A field of a loaded row. */
  private def ofWhole(using
      Quotes
  )(
      tpe: quotes.reflect.TypeRepr,
      value: quotes.reflect.Term,
      field: String,
      number: Int
  ): quotes.reflect.Term =
    import quotes.reflect.*
    (OptionTypes.of(tpe), StoredTypes.of(tpe)) match
      case (Some(_), _) => Select.unique(value, field)
      case (_, Some(inner)) =>
        ofWhole(inner.dealias, StoredTypes.encode(tpe, value), field, number)
      case _ => CaseFields.select(value, tpe, number)

  /** `row.field(arguments)`: a call of the field's value. */
  def applied[T: Type, L <: Layout: Type](
      row: Expr[TableRow[T, L]],
      name: Expr[String],
      arguments: Expr[Seq[Any]]
  )(using Quotes): Expr[Any] =
    import quotes.reflect.*
    arguments match
      case Varargs(values) =>
        val field = select(row, name).asTerm
        val tpe = field.tpe.widen.dealias
        if tpe.typeSymbol.methodMember("apply").isEmpty then
          val of = ShapeDerivation.named(TypeRepr.of[T].dealias)
          report.errorAndAbort(
            s"field `${name.valueOrAbort}` of $of is of type ${ShapeDerivation.named(tpe)}: it " +
              "takes no arguments"
          )
        Select.overloaded(field, "apply", Nil, values.map(_.asTerm).toList).asExpr
      case _ => report.errorAndAbort(s"write the arguments of `${name.valueOrAbort}` one by one")

  def assign[T: Type, L <: Layout: Type](
      row: Expr[TableRow[T, L]],
      name: Expr[String],
      value: Expr[Any]
  )(using Quotes): Expr[Unit] =
    import quotes.reflect.*
    val field = checked[T](name)
    val tpe = TypeRepr.of[T].dealias
    if OptionTypes.of(tpe).isDefined then
      report.errorAndAbort(
        s"`$field` of an Option cannot be stored alone: store the Option by `row() = value`"
      )
    val layout = TableLoops.required[T, L](s"storing `$field`")
    val leaves = leavesOf[T](field)
    typeOf(tpe, field).asType match
      case '[a] =>
        val of = s"field `$field` of ${ShapeDerivation.named(tpe)}"
        '{
          val bound = $row
          val stored: a = ${ ValueConversion.to[a](value, of) }
          ${
            RowAccess.storeField[T, L, a](
              '{ bound._table },
              '{ bound._index },
              leaves,
              'stored,
              layout
            )
          }
        }
  end assign

  private def typeOf(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, field: String): quotes.reflect.TypeRepr =
    ShapeDerivation.fields(tpe).find(_._1 == field).fold(tpe)(_._2.dealias)

  private def leavesOf[T: Type](field: String)(using Quotes): List[Shape.Leaf] =
    ShapeDerivation.shape[T].leaves.filter(_.path.headOption.contains(field))

  private def checked[T: Type](name: Expr[String])(using Quotes): String =
    import quotes.reflect.*
    val (field, tpe) = (name.valueOrAbort, TypeRepr.of[T].dealias)
    if !ShapeDerivation.isKnown[T] then
      report.errorAndAbort(
        s"`$field` is not known here: the fields of a row are the fields of its type, and " +
          s"${ShapeDerivation.named(tpe)} is not a known struct; ${ShapeDerivation.unknownCure[T]}"
      )
    CaseFields.checkSelectable(tpe, field, "row")
    val names = ShapeDerivation.fields(tpe).map(_._1)
    if !names.contains(field) then
      report.errorAndAbort(
        s"${ShapeDerivation.named(tpe)} has no field `$field`; it has ${names.mkString(", ")}"
      )
    if UnionTypes.isUnion(tpe) then
      report.errorAndAbort(
        s"member `$field` of a row that is a Union cannot be selected: load it by `row().$field`"
      )
    field
end RowFields
