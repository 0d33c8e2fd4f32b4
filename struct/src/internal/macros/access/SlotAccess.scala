package undercroft.struct
package internal.macros.access

import internal.bytes.Fingerprint
import internal.macros.places.SlotPlace
import internal.macros.schema.{Cases, InlineArrayTypes, OptionTypes, ShapeDerivation, StoredTypes}
import internal.macros.schema.UnionTypes
import internal.macros.terms.{CaseConstruction, Matching, ValueSplitter}
import java.lang.foreign.MemorySegment
import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.struct.Shape

/** For macros of other modules that store structs in slots of their own memory, as a mailbox does.
  *
  * A slot contains the fields of one case of a struct under the C ABI, and its owner stores the
  * case number beside them. All code is generated inline: for a value written as a constructor call
  * or matched by a pattern, nothing is allocated. A slot need not be zeroed: a case that is not
  * stored is not read.
  *
  * The segment bounds every access. The caller must keep it alive and let only one thread at a time
  * use a slot.
  */
@publicInBinary private[undercroft] object SlotAccess:

  /** The memory of a slot: its fields start `start` bytes after `base`. For a type with one case,
    * `tag` is not used.
    */
  final case class Slot(
      segment: Expr[MemorySegment],
      base: Expr[Long],
      start: Int,
      tag: Expr[Int]
  )

  /** One case of a type, and the bytes that its fields take. */
  final case class Case(name: String, sizeBytes: Int)

  /** One case of a match: its tests, and the names that it binds. */
  type Arm[Q <: Quotes & Singleton] = Matching.Arm[Q]

  /** Whether slots can contain a type: a class or an enum that is stored by its fields, all of
    * which are known. The type must have a Struct.
    */
  def isKnown[T: Type](using Quotes): Boolean =
    val tpe = typeOf[T]
    ShapeDerivation.kind(tpe).isEmpty && OptionTypes.of(tpe).isEmpty &&
    StoredTypes.of(tpe).isEmpty && ShapeDerivation.isKnown(tpe)

  /** The cases of a type by their numbers; one if it is a class. */
  def cases[T: Type](using Quotes): List[Case] =
    val (tpe, shape) = (typeOf[T], ShapeDerivation.shape[T])
    casesOf(tpe).map: caseType =>
      Case(Cases.name(caseType), SlotPlace.sizeOf(shape, isSum(tpe), leavesOf(tpe, caseType)))

  /** Whether a value of a case is nothing but its fields: whoever reads a slot may create it, once,
    * twice or not at all, because no constructor of it or of its parts has code of its own.
    */
  def onlyHolds[T: Type](number: Int)(using Quotes): Boolean =
    val caseType = casesOf(typeOf[T])(number)
    Cases.isObject(caseType) || isHolder(caseType) &&
    Cases.fields(caseType).forall((_, inner) => isFree(inner.dealias))

  /** The text of a type's layout, which differs if two slots are not compatible. */
  def layoutOf[T: Type](using Quotes): String = Fingerprint.text(ShapeDerivation.shape[T])

  /** The case number of a value that is written as a constructor call or an object; None for any
    * other term.
    */
  def caseOf[T: Type](value: Expr[T])(using Quotes): Option[Int] =
    import quotes.reflect.*
    val tpe = typeOf[T]
    val split = ValueSplitter[quotes.type]()
    def search(term: Term): Option[Int] = term match
      case Inlined(_, Nil, inner) => search(inner)
      case Typed(inner, _)        => search(inner)
      case Block(_, inner)        => search(inner)
      case Ident(_) | Select(_, _) =>
        val flags = term.symbol.flags
        val isObject =
          flags.is(Flags.Module) || flags.is(Flags.Enum) && !flags.is(Flags.Method)
        if isObject && isSum(tpe) then split.known(tpe, term) else None
      case _ =>
        val number = if isSum(tpe) then split.known(tpe, term) else Some(0)
        number.filter(number => split.arguments(casesOf(tpe)(number), term).isDefined)
    search(value.asTerm)

  /** Code that evaluates a value for which `caseOf` is defined into its fields, then runs the code
    * of `next`. That gets a term that creates the value again, and a function that generates the
    * stores into a slot. A value that throws does so before any of that; the stores neither throw
    * nor allocate.
    */
  def evaluated[T: Type](value: Expr[T])(
      next: Quotes ?=> (Expr[T], Slot => Quotes ?=> Expr[Unit]) => Expr[Unit]
  )(using Quotes): Expr[Unit] =
    import quotes.reflect.*
    val tpe = typeOf[T]
    val (shape, sum) = (ShapeDerivation.shape[T], isSum(tpe))
    val split = ValueSplitter[quotes.type]()
    val whole = split.evaluated(tpe, value.asTerm)
    val stores = split
      .stores(shape.leaves, whole.parts)
      .filterNot(store => sum && SlotPlace.isTag(store.leaf))
      .map: store =>
        val prepared = SlotPlace.prepared(store.leaf, store.value)
        store.copy(value = prepared.fold(store.value)(array => split.bind(array.asTerm).asExpr))
    val body = next(
      whole.again.asExprOf[T],
      slot => Expr.block(ValueSplitter.code(stores, place[T](slot), fresh = false), '{ () })
    )
    Block(split.statements, body.asTerm).asExprOf[Unit]

  /** The value in a slot, which has one of the cases with these numbers. */
  def load[T: Type](slot: Slot, numbers: Set[Int])(using Quotes): Expr[T] =
    import quotes.reflect.*
    val tpe = typeOf[T]
    val at = place[T](slot)
    def loadCase(caseType: TypeRepr): Expr[T] =
      val leaves = leavesOf(tpe, caseType).map(at.get(_).asTerm).iterator
      CaseConstruction.one(caseType, leaves).asExprOf[T]
    if !isSum(tpe) then loadCase(tpe)
    else
      val unknown: Expr[T] = '{ throw MatchError(${ slot.tag }) }
      casesOf(tpe).zipWithIndex
        .filter((_, number) => numbers(number))
        .foldRight(unknown):
          case ((caseType, number), rest) =>
            '{ if ${ slot.tag } == ${ Expr(number) } then ${ loadCase(caseType) } else $rest }

  /** The cases of a match on the value in a slot, as tests and reads of fields; None if it has a
    * pattern that needs the value itself. Cases with other numbers than these are never stored.
    */
  def arms[T: Type](slot: Slot, numbers: Set[Int])(using
      Quotes
  )(cases: List[quotes.reflect.CaseDef]): Option[List[Arm[quotes.type]]] =
    val tpe = typeOf[T]
    val absent = casesOf(tpe).indices.toSet -- numbers
    val leaves = ShapeDerivation.shape[T].leaves
    val row = quotes.reflect.Symbol.noSymbol
    Matching[quotes.type](row, tpe, leaves, place[T](slot), absent).arms(cases)

  private def typeOf[T: Type](using Quotes): quotes.reflect.TypeRepr =
    quotes.reflect.TypeRepr.of[T].dealias

  private def isSum(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    ShapeDerivation.isSum(tpe)

  private def casesOf(using Quotes)(tpe: quotes.reflect.TypeRepr): List[quotes.reflect.TypeRepr] =
    Cases.of(tpe).getOrElse(List(tpe))

  /** The leaves of one case of a type. */
  private def leavesOf(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, caseType: quotes.reflect.TypeRepr): List[Shape.Leaf] =
    val leaves = ShapeDerivation.shapeOf(tpe).leaves
    if isSum(tpe) then leaves.filter(leaf => leaf.shared && leaf.path.head == Cases.name(caseType))
    else leaves

  private def place[T: Type](slot: Slot)(using Quotes): SlotPlace =
    val tag = Option.when(isSum(typeOf[T]))(slot.tag)
    SlotPlace(slot.segment, slot.base, slot.start, tag, ShapeDerivation.shape[T])

  /** Whether a class only holds its fields, and generated code may create it anywhere. */
  private def isHolder(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    import quotes.reflect.*
    val constructor = tpe.typeSymbol.primaryConstructor
    !constructor.flags.is(Flags.Private) && !constructor.flags.is(Flags.Protected) &&
    constructor.privateWithin.isEmpty && ValueSplitter.onlyHolds(tpe)

  /** Whether a field and its parts only hold their fields. */
  private def isFree(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    if ShapeDerivation.primitive(tpe).isDefined || ShapeDerivation.text(tpe).isDefined ||
      ShapeDerivation.far(tpe).isDefined || UnionTypes.isUnion(tpe) ||
      StoredTypes.isReference(tpe) || StoredTypes.isEnumeration(tpe)
    then true
    else if InlineArrayTypes.parts(tpe).isDefined then isFree(InlineArrayTypes.elementType(tpe))
    else
      (OptionTypes.of(tpe), StoredTypes.of(tpe)) match
        case (Some(inner), _) => isFree(inner)
        case (_, Some(inner)) => isFree(inner.dealias)
        case _ =>
          casesOf(tpe).forall: caseType =>
            Cases.isObject(caseType) || isHolder(caseType) &&
              Cases.fields(caseType).forall((_, inner) => isFree(inner.dealias))
end SlotAccess
