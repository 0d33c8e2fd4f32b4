package undercroft.tools.api

import scala.quoted.Quotes

/** The public definitions of a compiled file: all that are neither private nor synthetic. */
final class PublicApi[Q <: Quotes & Singleton](val quotes: Q):
  import quotes.reflect.*
  private given Q = quotes

  /** The package of a file's tree and the lines of its public definitions. */
  def apply(tree: Tree): (String, Vector[ApiLine]) = tree match
    case PackageClause(_, List(inner: PackageClause)) => apply(inner)
    case PackageClause(name, stats) => (name.symbol.fullName, stats.toVector.flatMap(lines))
    case other                      => ("", lines(other))

  private def lines(tree: Tree): Vector[ApiLine] = tree match
    case tree: PackageClause                       => apply(tree)._2
    case tree: ClassDef if isTopLevel(tree.symbol) => members(tree)
    case tree: ClassDef if isPublic(tree.symbol)   => Vector(ofClass(tree))
    case tree: TypeDef if isPublic(tree.symbol)    => Vector(ofType(tree))
    case tree: DefDef if isPublic(tree.symbol) && !isImplied(tree.symbol) =>
      val signature = tree.paramss.map(clause(_)).mkString + ": " + show(tree.returnTpt.tpe)
      Vector(ApiLine(s"${modifiers(tree.symbol)}def ${tree.name}$signature"))
    case tree: ValDef if isPublic(tree.symbol) && !tree.symbol.flags.is(Flags.Module) =>
      val word = if tree.symbol.flags.is(Flags.Mutable) then "var" else "val"
      Vector(ApiLine(s"${modifiers(tree.symbol)}$word ${tree.name}: ${show(tree.tpt.tpe)}"))
    case _ => Vector()

  private def members(tree: ClassDef): Vector[ApiLine] =
    val own = tree.body.toVector.filterNot(isParameter)
    val fields = tree.body.toVector.collect {
      case field: ValDef if isParameter(field) && !field.symbol.flags.is(Flags.CaseAccessor) =>
        field
      case field: ValDef if isParameter(field) && field.symbol.flags.is(Flags.Mutable) => field
    }
    (fields ++ own).flatMap(lines).distinct

  /** Whether `tree` is a type parameter, which the line of its class contains already. */
  private def isParameter(tree: Tree): Boolean = tree match
    case tree: TypeDef => tree.symbol.flags.is(Flags.Param)
    case tree: ValDef  => tree.symbol.flags.is(Flags.ParamAccessor)
    case _             => false

  private def ofClass(tree: ClassDef): ApiLine =
    val flags = tree.symbol.flags
    val kind =
      if flags.is(Flags.Module) then "object"
      else if flags.is(Flags.Trait) then "trait"
      else if flags.is(Flags.Enum) && !flags.is(Flags.Case) then "enum"
      else "class"
    val (types, terms) = tree.constructor.paramss.partitionMap {
      case types: TypeParamClause => Left(clause(types, tree.symbol.typeMember(_).paramVariance))
      case terms                  => Right(clause(terms))
    }
    val constructor =
      if kind == "object" || kind != "class" && terms.forall(_ == "()") then ""
      else if isPublic(tree.constructor.symbol) then terms.mkString
      else " private"
    val name = tree.symbol.name.stripSuffix("$")
    ApiLine(
      modifiers(tree.symbol) + s"$kind $name${types.mkString}$constructor${parents(tree)}",
      members(tree)
    )
  end ofClass

  private def parents(tree: ClassDef): String =
    val types =
      tree.parents.collect { case term: Term => term.tpe.widen; case tpt: TypeTree => tpt.tpe }
    val shown = types
      .filterNot(_.typeSymbol.fullName.startsWith("scala.deriving.Mirror"))
      .map(show)
      .filterNot(Set("Object", "Any", "AnyRef", "Product", "Serializable"))
    if shown.isEmpty then "" else shown.mkString(" extends ", ", ", "")

  private def ofType(tree: TypeDef): ApiLine =
    ApiLine(s"${modifiers(tree.symbol)}type ${tree.name}${rightSide(tree)}")

  /** The bounds or the alias of a type; empty if it is opaque. */
  private def rightSide(tree: TypeDef): String = tree.rhs match
    case LambdaTypeTree(params, _) if tree.symbol.flags.is(Flags.Opaque) =>
      params.map(_.name).mkString("[", ", ", "]")
    case _ if tree.symbol.flags.is(Flags.Opaque) => ""
    case other: TypeTree                         => bounds(other.tpe)
    case other: TypeBoundsTree                   => bounds(other.tpe)
    case _                                       => bounds(tree.symbol.typeRef.dealias)

  private def bounds(tpe: TypeRepr): String = tpe match
    case TypeBounds(low, high) =>
      val from = if low =:= TypeRepr.of[Nothing] then "" else s" >: ${show(low)}"
      val to = if high =:= TypeRepr.of[Any] then "" else s" <: ${show(high)}"
      from + to
    case TypeLambda(names, limits, result) =>
      names.zip(limits).map(_ + bounds(_)).mkString("[", ", ", "]") + s" = ${show(result)}"
    case alias => s" = ${show(alias)}"

  /** A list of parameters as it is written; type parameters of classes have a variance. */
  private def clause(
      params: ParamClause,
      variances: String => Flags = _ => Flags.EmptyFlags
  ): String =
    params match
      case TypeParamClause(types) =>
        types
          .map(t => variance(variances(t.name)) + t.name + rightSide(t))
          .mkString("[", ", ", "]")
      case terms: TermParamClause =>
        val lead = if terms.isGiven then "using " else if terms.isImplicit then "implicit " else ""
        terms.params
          .map { param =>
            val inlined = if param.symbol.flags.is(Flags.Inline) then "inline " else ""
            val default = if param.symbol.flags.is(Flags.HasDefault) then " = ..." else ""
            s"$inlined${param.name}: ${show(param.tpt.tpe)}$default"
          }
          .mkString(s"($lead", ", ", ")")

  private def variance(flags: Flags): String =
    if flags.is(Flags.Covariant) then "+" else if flags.is(Flags.Contravariant) then "-" else ""

  private val words = Vector(
    Flags.ExtensionMethod -> "extension",
    Flags.Protected -> "protected",
    Flags.Final -> "final",
    Flags.Sealed -> "sealed",
    Flags.Abstract -> "abstract",
    Flags.Given -> "given",
    Flags.Implicit -> "implicit",
    Flags.Lazy -> "lazy",
    Flags.Transparent -> "transparent",
    Flags.Inline -> "inline",
    Flags.Opaque -> "opaque",
    Flags.Case -> "case"
  )

  /** The modifiers that every trait, and every object, has implicitly. */
  private val implied = Map(
    Flags.Trait -> Set("abstract"),
    Flags.Module -> Set("final", "lazy"),
    Flags.Enum -> Set("sealed", "abstract"),
    Flags.Given -> Set("final", "lazy")
  )

  private def modifiers(symbol: Symbol): String =
    val dull =
      implied.collect { case (flag, words) if symbol.flags.is(flag) => words }.flatten.toSet
    words.collect {
      case (flag, word) if symbol.flags.is(flag) && !dull(word) => word + " "
    }.mkString

  /** A type as it is written, on one line and without the bounds that every type has. */
  private def show(tpe: TypeRepr): String = tpe match
    case AnnotatedType(AppliedType(_, List(element)), annotation)
        if annotation.tpe.typeSymbol.name == "Repeated" =>
      show(element) + "*"
    case other =>
      other.show(using Printer.TypeReprShortCode)
        .replace(" >: Nothing <: Any", "")
        .linesIterator.map(_.trim).mkString(" ")

  /** Whether another line contains the method: the class's for a constructor, the `var`'s for a
    * setter.
    */
  private def isImplied(method: Symbol): Boolean =
    method.isClassConstructor || method.flags.is(Flags.FieldAccessor)

  private def isTopLevel(symbol: Symbol): Boolean = symbol.name.endsWith("$package$")

  private val hidden = Seq(
    Flags.Private,
    Flags.PrivateLocal,
    Flags.Artifact
  )

  private def isPublic(symbol: Symbol): Boolean =
    val made = symbol.flags.is(Flags.Synthetic) && !symbol.companionClass.flags.is(Flags.Enum)
    !made && !hidden.exists(symbol.flags.is) && symbol.privateWithin.isEmpty &&
    symbol.protectedWithin.isEmpty && !symbol.name.stripSuffix("$").contains("$")
end PublicApi
