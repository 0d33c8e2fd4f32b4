package undercroft.actor
package internal.macros

import undercroft.struct.internal.macros.schema.LayoutCheck
import internal.mailbox.MessageSlot
import undercroft.struct.internal.macros.terms.ValueSplitter
import undercroft.struct.internal.macros.schema.StoredTypes as Behind
import scala.quoted.*
import undercroft.struct.{BytesRef, Struct, TextRef}

/** The slot layout of a message type, as known at compile time.
  *
  * @param kind
  *   equal at two call sites only if they were compiled with the same cases and fields
  */
private[internal] final case class SlotLayout(kind: Long, size: Int, cases: List[SlotLayout.Case]):
  def header(of: SlotLayout.Case): Long = of.tag | size.toLong << 32

private[internal] object SlotLayout:
  /** One case; `fields` is empty if its messages are sent as objects. */
  final case class Case(name: String, tag: Int, fields: Option[List[Stored]])

  /** The location of a field in a slot. */
  enum Stored:
    case Primitive(name: String, at: Int)

    /** The representation of a reference, an enum value, an opaque type, or a type with a storage
      * rule.
      */
    case As(inner: Stored)

    /** A byte that says whether there is a value, and the value. */
    case Optional(at: Int, part: Stored)
    case Product(parts: List[Stored])

  /** The layout of a case class, an enum or a sealed hierarchy of these, if it has a Struct. */
  def of(using Quotes)(tpe: quotes.reflect.TypeRepr): Option[SlotLayout] =
    val symbols = casesOf(tpe)
    if symbols.isEmpty || !hasStruct(tpe) then None
    else
      val laid = symbols.map: symbol =>
        if isSplittable(symbol) then placed(fieldsOf(symbol), MessageSlot.HeaderBytes) else None
      val layouts = laid.map(_.filter((_, end) => MessageSlot.sizeFor(end) >= 0))
      if layouts.forall(_.isEmpty) then None
      else
        val cases = symbols.zip(layouts).zipWithIndex.map:
          case ((symbol, fields), tag) => Case(symbol.fullName, tag, fields.map(_._1))
        val size = MessageSlot.sizeFor(layouts.flatten.map(_._2).max)
        // Includes the names of all fields, whose order may have changed in a library.
        val layout = LayoutCheck.textOf(tpe)
        Some(SlotLayout(hash(s"${tpe.typeSymbol.fullName} $cases $layout"), size, cases))

  /** The symbols of the cases: classes, or values of enums. */
  def casesOf(using Quotes)(tpe: quotes.reflect.TypeRepr): List[quotes.reflect.Symbol] =
    import quotes.reflect.*
    val symbol = tpe.typeSymbol
    def isCaseClass(candidate: Symbol) =
      candidate.isClassDef && candidate.flags.is(Flags.Case) && !candidate.flags.is(Flags.Module) &&
        (candidate.primaryConstructor.paramSymss match
          case List(parameters) => parameters.forall(_.isTerm)
          case _                => false)
    if !symbol.isClassDef || tpe.typeArgs.nonEmpty then Nil
    else if symbol.flags.is(Flags.Sealed) then
      val children = symbol.children
      if children.forall(child =>
          child.isTerm || child.flags.is(Flags.Module) || isCaseClass(child)
        )
      then
        children
      else Nil
    else if isCaseClass(symbol) then List(symbol)
    else Nil

  /** Whether a message consists only of its fields, and the receiver may construct it. A class with
    * code in its constructor (a check, a computed value, a superclass with either) does not: that
    * code must run once per message, so such a message is sent as an object. A singleton is never
    * constructed for a message.
    */
  private def isSplittable(using Quotes)(symbol: quotes.reflect.Symbol): Boolean =
    import quotes.reflect.*
    def constructor = symbol.primaryConstructor
    def isPublic = !constructor.flags.is(Flags.Private) && !constructor.flags.is(Flags.Protected) &&
      constructor.privateWithin.isEmpty
    !symbol.isClassDef || symbol.flags.is(Flags.Module) ||
    (isPublic && ValueSplitter.onlyHolds(symbol.typeRef))

  /** The fields of a case, or of an off-heap text or byte sequence. */
  def partsOf(using Quotes)(symbol: quotes.reflect.Symbol): List[quotes.reflect.Symbol] =
    if !symbol.isClassDef || symbol.flags.is(quotes.reflect.Flags.Module) then Nil
    else if isFar(symbol) then
      symbol.primaryConstructor.paramSymss.head.map: parameter =>
        symbol.fieldMember(parameter.name)
    else symbol.caseFields

  /** The types of these fields. */
  def fieldsOf(using Quotes)(symbol: quotes.reflect.Symbol): List[quotes.reflect.TypeRepr] =
    partsOf(symbol).map(field => symbol.typeRef.memberType(field).widen)

  /** The element type of an Option. */
  def optionOf(using Quotes)(tpe: quotes.reflect.TypeRepr): Option[quotes.reflect.TypeRepr] =
    import quotes.reflect.*
    tpe.dealias match
      case AppliedType(option, List(inner))
          if option.typeSymbol == TypeRepr.of[Option].typeSymbol =>
        Some(inner)
      case _ => None

  /** The fields of an off-heap text or byte sequence; none for other types. */
  def farPartsOf(using Quotes)(tpe: quotes.reflect.TypeRepr): List[quotes.reflect.Symbol] =
    val symbol = tpe.dealias.typeSymbol
    if isFar(symbol) then partsOf(symbol) else Nil

  private def isFar(using Quotes)(symbol: quotes.reflect.Symbol): Boolean =
    import quotes.reflect.*
    symbol == TypeRepr.of[TextRef].typeSymbol || symbol == TypeRepr.of[BytesRef].typeSymbol

  private def hasStruct(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean = tpe.asType match
    case '[t] => Expr.summon[Struct[t]].isDefined

  /** Lays out consecutive fields. Returns their locations and the end; None if a type is
    * unsupported.
    */
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
                fieldsOf(symbol).nonEmpty && isSplittable(symbol) =>
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

  /** 64-bit FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo), never 0. */
  private def hash(text: String): Long =
    val sum = text.foldLeft(0xcbf29ce484222325L)((h, c) => (h ^ c) * 0x100000001b3L)
    if sum == 0 then 1 else sum
end SlotLayout
