package undercroft.struct
package internal.macros.terms

import internal.macros.schema.{ShapeDerivation, StoredTypes}
import scala.quoted.*

/** Finds calls of the program's code in a function literal: such code may store into the row that
  * the literal reads. Reads of fields, operators of primitives, and operations on Strings, texts
  * and elements of arrays are not calls of it.
  */
private[struct] object UserCode:

  /** Whether a tree calls code of the program, or defines a function that does. */
  def isIn(using Quotes)(tree: quotes.reflect.Tree): Boolean =
    import quotes.reflect.*
    var isFound = false
    val search = new TreeTraverser:
      override def traverseTree(tree: Tree)(owner: Symbol): Unit = tree match
        case _ if isFound => ()
        case Ident("_")   => ()
        case Unapply(function, _, patterns) =>
          if isItsOwn(function) then patterns.foreach(traverseTree(_)(owner)) else isFound = true
        case reference: Ref if isCall(reference) => isFound = true
        case _                                   => super.traverseTree(tree)(owner)
    search.traverseTree(tree)(Symbol.spliceOwner)
    isFound
  end isIn

  /** Whether a term may call code of the program before it uses a name. A use in a function, a
    * method, a class or a lazy value does not count: its value is loaded before the literal's body
    * runs.
    */
  def comesBefore(using
      Quotes
  )(name: quotes.reflect.Symbol, term: quotes.reflect.Term): Boolean =
    import quotes.reflect.*
    var hasRun = false
    var isFound = false
    def uses(inner: Term): Boolean = Projection.paths(name, inner)(_ => None).nonEmpty
    val search = new TreeTraverser:
      override def traverseTree(tree: Tree)(owner: Symbol): Unit = tree match
        case _ if isFound         => ()
        case _: DefDef            => ()
        case definition: ClassDef =>
          // The body of an object runs where its name is used first; that of a class, at its `new`.
          if definition.symbol.flags.is(Flags.Module) then hasRun = hasRun || isIn(definition)
        case definition: ValDef if definition.symbol.flags.is(Flags.Lazy) => ()
        case Ident("_")                                                   => ()
        case Unapply(function, _, patterns) if isItsOwn(function) =>
          patterns.foreach(traverseTree(_)(owner))
        case While(_, _) =>
          // The end of the body precedes its next start.
          hasRun = hasRun || isIn(tree)
          super.traverseTree(tree)(owner)
        case Apply(function, arguments) =>
          val before = hasRun
          receiver(function).foreach(traverseTree(_)(owner))
          arguments.foreach(traverseTree(_)(owner))
          // An operation in place reads its receiver after its arguments.
          if !before && hasRun && uses(function) then isFound = true
          if calls(function) then hasRun = true
        case Ident(_) if tree.symbol.equals(name) => isFound = hasRun
        case reference: Ref =>
          super.traverseTree(tree)(owner)
          if isCall(reference) then hasRun = true
        case _ => super.traverseTree(tree)(owner)
    search.traverseTree(term)(Symbol.spliceOwner)
    isFound
  end comesBefore

  /** Whether a comparison with a stable name or a literal calls no code of the program. */
  def isPlain(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, name: quotes.reflect.Term): Boolean =
    import quotes.reflect.*
    val isRead = name match
      case reference: Ref => !isCall(reference)
      case _              => true
    isRead && hasPlainEquals(tpe)

  private def hasPlainEquals(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    ShapeDerivation.primitive(tpe).isDefined || ShapeDerivation.text(tpe).isDefined ||
      tpe.typeSymbol.fullName == "java.lang.String" ||
      StoredTypes.isEnumeration(tpe) && tpe.typeSymbol.declaredMethod("equals").isEmpty

  /** Whether a pattern calls the `unapply` of a case class that the compiler has made. */
  private def isItsOwn(using Quotes)(function: quotes.reflect.Term): Boolean =
    val symbol = function.symbol
    symbol.flags.is(quotes.reflect.Flags.Synthetic) || symbol.owner.fullName.startsWith("scala.")

  /** The part of a called term that is evaluated before the arguments. */
  private def receiver(using Quotes)(function: quotes.reflect.Term): Option[quotes.reflect.Term] =
    import quotes.reflect.*
    function match
      case TypeApply(inner, _) => receiver(inner)
      case Select(inner, _)    => Some(inner)
      case Ident(_)            => None
      case other               => Some(other)

  private def calls(using Quotes)(function: quotes.reflect.Term): Boolean =
    import quotes.reflect.*
    function match
      case TypeApply(inner, _) => calls(inner)
      case reference: Ref      => isCall(reference)
      case _                   => false

  /** Whether a name is one of the program's methods, lazy values or by-name parameters. */
  private def isCall(using Quotes)(reference: quotes.reflect.Ref): Boolean =
    import quotes.reflect.*
    val flags = reference.symbol.flags
    if reference.symbol.isNoSymbol then true
    else if flags.is(Flags.CaseAccessor) then false
    else if flags.is(Flags.Method) then !isOperation(reference)
    else if flags.is(Flags.Lazy) then !flags.is(Flags.Module)
    else
      reference match
        case Ident(_) =>
          reference.tpe match
            case _: TermRef      => isByName(reference.symbol)
            case _: ConstantType => false
            case _               => true // a by-name parameter has the type of its result
        case _ => false

  /** Whether a name is a by-name parameter of a method or a class. */
  private def isByName(using Quotes)(symbol: quotes.reflect.Symbol): Boolean =
    import quotes.reflect.*
    def parameters(tpe: TypeRepr): List[(String, TypeRepr)] = tpe match
      case MethodType(names, types, result) => names.zip(types) ++ parameters(result)
      case PolyType(_, _, result)           => parameters(result)
      case _                                => Nil
    def isLate(tpe: TypeRepr) = tpe match
      case ByNameType(_) => true
      case _             => false
    if symbol.flags.is(Flags.ParamAccessor) then isLate(symbol.owner.typeRef.memberType(symbol))
    else
      symbol.flags.is(Flags.Param) && symbol.owner.isDefDef &&
      parameters(symbol.owner.termRef.widenTermRefByName)
        .exists((name, tpe) => name == symbol.name && isLate(tpe))

  private def isOperation(using Quotes)(reference: quotes.reflect.Ref): Boolean =
    import quotes.reflect.*
    val owner = reference.symbol.owner.fullName
    reference match
      case Select(_, "asInstanceOf" | "$asInstanceOf$" | "isInstanceOf" | "$isInstanceOf$") => true
      case Select(left, "==" | "!=") if owner == "scala.Any" || owner == "java.lang.Object" =>
        hasPlainEquals(left.tpe.widen.dealias)
      case Select(_, "+") if owner == "java.lang.String" => false // calls `toString`
      case _                                             => owners(owner)

  /** The classes and objects whose methods call no code of the program. */
  private val owners = Set(
    "scala.Boolean",
    "scala.Byte",
    "scala.Short",
    "scala.Char",
    "scala.Int",
    "scala.Long",
    "scala.Float",
    "scala.Double",
    "scala.NamedTuple$",
    "scala.Tuple",
    "scala.LowPriorityImplicits",
    "scala.runtime.RichByte",
    "scala.runtime.RichShort",
    "scala.runtime.RichChar",
    "scala.runtime.RichInt",
    "scala.runtime.RichLong",
    "scala.runtime.RichFloat",
    "scala.runtime.RichDouble",
    "scala.runtime.ScalaNumberProxy",
    "scala.runtime.IntegralProxy",
    "scala.math.package$",
    "scala.reflect.Enum",
    "java.lang.Math",
    "java.lang.Math$",
    "java.lang.String",
    "undercroft.struct.InlineArray",
    "undercroft.struct.Text$package$.Text$",
    "undercroft.struct.internal.bytes.FixedText$",
    "undercroft.struct.internal.bytes.UnionBytes$"
  )
end UserCode
