package undercroft.actor.internal

import scala.quoted.*
import undercroft.actor.Slot
import undercroft.struct.{BytesRef, Struct, TextRef}
import undercroft.struct.internal.Stored as Behind

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

    /** What is behind a reference, an enum's value, an opaque type, or what says how it is stored.
      */
    case As(inner: Stored)

    /** A byte that says whether there is anything, and what there is. */
    case Optional(at: Int, part: Stored)
    case Product(parts: List[Stored])

  /** Of a case class, an enum or a sealed hierarchy of such, with a Struct. */
  def of(using Quotes)(tpe: quotes.reflect.TypeRepr): Option[Form] =
    val symbols = casesOf(tpe)
    if symbols.isEmpty || !hasStruct(tpe) then None
    else
      val laid = symbols.map(symbol => placed(fieldsOf(symbol), Slot.HeaderBytes))
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

  /** The fields of a case, or of a text or bytes outside the heap. */
  def partsOf(using Quotes)(symbol: quotes.reflect.Symbol): List[quotes.reflect.Symbol] =
    if !symbol.isClassDef || symbol.flags.is(quotes.reflect.Flags.Module) then Nil
    else if isFar(symbol) then
      symbol.primaryConstructor.paramSymss.head.map: parameter =>
        symbol.fieldMember(parameter.name)
    else symbol.caseFields

  /** Their types. */
  def fieldsOf(using Quotes)(symbol: quotes.reflect.Symbol): List[quotes.reflect.TypeRepr] =
    partsOf(symbol).map(field => symbol.typeRef.memberType(field).widen)

  /** What an Option may hold. */
  def optionOf(using Quotes)(tpe: quotes.reflect.TypeRepr): Option[quotes.reflect.TypeRepr] =
    import quotes.reflect.*
    tpe.dealias match
      case AppliedType(option, List(inner))
          if option.typeSymbol == TypeRepr.of[Option].typeSymbol =>
        Some(inner)
      case _ => None

  /** The fields of a text or bytes outside the heap; none of another type. */
  def farPartsOf(using Quotes)(tpe: quotes.reflect.TypeRepr): List[quotes.reflect.Symbol] =
    val symbol = tpe.dealias.typeSymbol
    if isFar(symbol) then partsOf(symbol) else Nil

  private def isFar(using Quotes)(symbol: quotes.reflect.Symbol): Boolean =
    import quotes.reflect.*
    symbol == TypeRepr.of[TextRef].typeSymbol || symbol == TypeRepr.of[BytesRef].typeSymbol

  private def hasStruct(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean = tpe.asType match
    case '[t] => Expr.summon[Struct[t]].isDefined

  /** Where fields lie one after another, and where they end; None where one of them cannot. */
  private def placed(using
      Quotes
  )(types: List[quotes.reflect.TypeRepr], from: Int): Option[(List[Stored], Int)] =
    types.foldLeft(Option((List.empty[Stored], from))):
      case (Some((done, end)), tpe) =>
        place(tpe, end).map((stored, next) => (done :+ stored, next))
      case (None, _) => None

  private def place(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, from: Int): Option[(Stored, Int)] =
    import quotes.reflect.*
    def aligned(bytes: Int) = (from + bytes - 1) / bytes * bytes
    def product = placed(fieldsOf(tpe.dealias.typeSymbol), from).map((parts, end) =>
      (Stored.Product(parts), end)
    )
    val symbol = tpe.dealias.typeSymbol
    sizes.get(symbol.name).filter(_ => symbol.owner == defn.ScalaPackageClass) match
      case Some(bytes) =>
        val at = aligned(bytes)
        Some((Stored.Primitive(symbol.name, at), at + bytes))
      case None if isFar(symbol) => product
      case None if optionOf(tpe).isDefined =>
        place(optionOf(tpe).get, from + 1).map((part, end) => (Stored.Optional(from, part), end))
      case None =>
        Behind.of(tpe.dealias) match
          case Some(inner) =>
            place(inner, from).map((stored, end) => (Stored.As(stored), end))
          case None
              if symbol.isClassDef && !symbol.flags.is(Flags.Sealed) && casesOf(tpe).nonEmpty &&
                fieldsOf(symbol).nonEmpty =>
            product
          case None => None
    end match
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
