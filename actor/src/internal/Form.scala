package undercroft.actor.internal

import scala.quoted.*
import undercroft.actor.Slot
import undercroft.struct.Struct

/** How the messages of a type lie in slots: what is known of it at compile time.
  *
  * @param kind
  *   the same for two places only if they were compiled with the same cases and fields
  */
private[internal] final case class Form(kind: Long, size: Int, cases: List[Form.Case]):
  def header(of: Form.Case): Long = of.tag | size.toLong << 32

private[internal] object Form:
  /** One case; `fields` is empty where its messages stay objects. */
  final case class Case(name: String, tag: Int, fields: Option[List[Stored]])

  /** Where a field lies. */
  enum Stored:
    case Primitive(name: String, at: Int)
    case Ordinal(at: Int)
    case Product(parts: List[Stored])

  /** Of a case class, an enum or a sealed hierarchy of such, with a Struct. */
  def of(using Quotes)(tpe: quotes.reflect.TypeRepr): Option[Form] =
    val symbols = casesOf(tpe)
    if symbols.isEmpty || !hasStruct(tpe) then None
    else
      val laid = symbols.map(symbol => layOut(fieldsOf(symbol)))
      val kept = laid.map(_.filter((_, end) => Slot.sizeFor(end) >= 0))
      if kept.forall(_.isEmpty) then None
      else
        val cases = symbols.zip(kept).zipWithIndex.map:
          case ((symbol, fields), tag) => Case(symbol.fullName, tag, fields.map(_._1))
        val size = Slot.sizeFor(kept.flatten.map(_._2).max)
        Some(Form(hash(s"${tpe.typeSymbol.fullName} $cases"), size, cases))

  /** The symbols of the cases: classes, or values of enums. */
  def casesOf(using Quotes)(tpe: quotes.reflect.TypeRepr): List[quotes.reflect.Symbol] =
    import quotes.reflect.*
    val symbol = tpe.typeSymbol
    def isCaseClass(one: Symbol) =
      one.isClassDef && one.flags.is(Flags.Case) && !one.flags.is(Flags.Module) &&
        one.primaryConstructor.paramSymss.forall(_.forall(_.isTerm))
    if !symbol.isClassDef || tpe.typeArgs.nonEmpty then Nil
    else if symbol.flags.is(Flags.Sealed) then
      val children = symbol.children
      if children.forall(one => one.isTerm || one.flags.is(Flags.Module) || isCaseClass(one)) then
        children
      else Nil
    else if isCaseClass(symbol) then List(symbol)
    else Nil

  /** The types of a case's fields. */
  def fieldsOf(using Quotes)(symbol: quotes.reflect.Symbol): List[quotes.reflect.TypeRepr] =
    if !symbol.isClassDef || symbol.flags.is(quotes.reflect.Flags.Module) then Nil
    else symbol.caseFields.map(field => symbol.typeRef.memberType(field).widen)

  private def hasStruct(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean = tpe.asType match
    case '[t] => Expr.summon[Struct[t]].isDefined

  /** Where fields lie, and where they end; None where one of them cannot. */
  private def layOut(using
      Quotes
  )(types: List[quotes.reflect.TypeRepr]): Option[(List[Stored], Int)] =
    types.foldLeft(Option((List.empty[Stored], Slot.HeaderBytes))):
      case (Some((done, end)), tpe) =>
        place(tpe, end).map((stored, next) => (done :+ stored, next))
      case (None, _) => None

  private def place(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, from: Int): Option[(Stored, Int)] =
    import quotes.reflect.*
    def aligned(bytes: Int) = (from + bytes - 1) / bytes * bytes
    val symbol = tpe.dealias.typeSymbol
    sizes.get(symbol.name).filter(_ => symbol.owner == defn.ScalaPackageClass) match
      case Some(bytes) =>
        val at = aligned(bytes)
        Some((Stored.Primitive(symbol.name, at), at + bytes))
      case None if symbol.flags.is(Flags.Enum) && symbol.children.forall(_.isTerm) =>
        val at = aligned(4)
        Some((Stored.Ordinal(at), at + 4))
      case None
          if symbol.isClassDef && !symbol.flags.is(Flags.Sealed) && casesOf(tpe).nonEmpty &&
            fieldsOf(symbol).nonEmpty =>
        fieldsOf(symbol)
          .foldLeft(Option((List.empty[Stored], from))):
            case (Some((done, end)), part) =>
              place(part, end).map((stored, next) => (done :+ stored, next))
            case (None, _) => None
          .map((parts, end) => (Stored.Product(parts), end))
      case None => None
  end place

  private val sizes = Map(
    "Boolean" -> 1,
    "Byte" -> 1,
    "Short" -> 2,
    "Char" -> 2,
    "Int" -> 4,
    "Long" -> 8,
    "Float" -> 4,
    "Double" -> 8
  )

  /** FNV-1a of 64 bits (G. Fowler, L. C. Noll, K.-P. Vo), and never 0. */
  private def hash(text: String): Long =
    val sum = text.foldLeft(0xcbf29ce484222325L)((h, c) => (h ^ c) * 0x100000001b3L)
    if sum == 0 then 1 else sum
end Form
