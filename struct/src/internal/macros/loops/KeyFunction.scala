package undercroft.struct
package internal.macros.loops

import internal.macros.places.Bound
import internal.macros.schema.{ShapeDerivation, StoredTypes}
import internal.macros.terms.{PatternNames, Projection, StructConstruction}
import internal.bytes.BestKey
import scala.quoted.*
import undercroft.struct.*

/** A value of a sort key. */
private[struct] final case class KeyPart(tpe: Type[?], kind: Shape.Kind, descends: Boolean):
  def isText: Boolean = kind match
    case Shape.Kind.Text(_) => true
    case _                  => false

  /** The bytes of the value as a part of a word. */
  def bytes: Int = kind match
    case Shape.Kind.Ordinal(of) => of.size
    case other                  => other.size
end KeyPart

/** Functions from rows to sort keys. A key is a value, or a tuple of values with the most
  * significant first; each may be in [[desc]].
  */
private[struct] object KeyFunction:

  /** A key for operations that compute a key for each row. */
  val Computed =
    "a function to a primitive or to a type that is stored as one, a field that is a Text, or a " +
      "tuple of these"

  /** A key for operations that read the fields of a row. */
  val FieldsOnly = "a primitive field, a field that is a Text, or a tuple of these"

  /** The values of a key, or an error that names what the operation needs. */
  def parts[K: Type](key: Expr[Any], operation: String, needed: String)(using
      Quotes
  ): List[KeyPart] =
    import quotes.reflect.*
    val whole = TypeRepr.of[K].widen.dealias
    (if isTupleKey[K] then whole.typeArgs else List(whole)).map: written =>
      val part = written.widen.dealias
      val descends = part.typeSymbol.equals(TypeRepr.of[Descending[Any]].typeSymbol)
      val value = if descends then part.typeArgs.head.widen.dealias else part
      ShapeDerivation.kind(value) match
        case Some(kind) if isKey(kind) && !StoredTypes.isReference(value) =>
          KeyPart(value.asType, kind, descends)
        case _ =>
          report.errorAndAbort(
            s"$operation needs $needed; this is ${ShapeDerivation.named(value)}",
            key
          )
  end parts

  private def isKey(kind: Shape.Kind): Boolean = kind match
    case Shape.Kind.Text(_) | Shape.Kind.Ordinal(_) => true
    case other                                      => !other.isCompound

  /** The bytes of a key that is one word, or None if it is longer or has a text. */
  def wordBytes(parts: List[KeyPart]): Option[Int] =
    val bytes = parts.map(_.bytes).sum
    Option.when(bytes <= 8 && !parts.exists(_.isText))(bytes)

  /** A function to the word of a key of up to 8 bytes: see [[SortMacros.wordOf]]. It creates no
    * tuple if `key` is a literal that ends with one.
    */
  def word[T: Type, K: Type](key: Expr[T => K], parts: List[KeyPart])(using
      Quotes
  ): Expr[T => Long] =
    overValues(key, parts): values =>
      var shift = 0
      val words = parts.zip(values).map: (part, value) =>
        val word = wordOf(part, value)
        val shifted = if shift == 0 then word else '{ $word >>> ${ Expr(shift) } }
        shift += 8 * part.bytes
        shifted
      words.reduce((a, b) => '{ $a | $b })

  /** A function that compares the key with the best one so far: see [[BestKey]]. The texts among
    * its values are read from the row's bytes.
    */
  def isBetter[T: Type, K: Type](key: Expr[T => K], parts: List[KeyPart], best: Expr[BestKey])(
      using Quotes
  ): Expr[T => Boolean] =
    overValues(key, parts): values =>
      val added = parts.zip(values).map: (part, value) =>
        if part.isText then addedText(part, value, best)
        else
          val word = wordOf(part, value)
          '{ $best.add($word) }
      Expr.block('{ $best.begin() } :: added, '{ $best.isBetter })

  private def addedText(part: KeyPart, value: Expr[Any], best: Expr[BestKey])(using
      Quotes
  ): Expr[Unit] =
    import quotes.reflect.*
    val tpe = part.tpe match
      case '[a] => TypeRepr.of[a].dealias
    val ofText = TypeRepr.of[Text[1]]
    val (text, textType) =
      if ShapeDerivation.text(tpe).isDefined then (value.asTerm, tpe)
      else
        val stored =
          if StoredTypes.isOpaque(tpe) then value
          else
            part.tpe match
              case '[a] => StructConstruction.leafOf(value.asExprOf[a])
        (StoredTypes.cast(stored.asTerm, ofText), ofText)
    val module = Symbol.requiredModule("undercroft.struct.Text")
    Select(Ref(module), module.methodMember("addTo").head)
      .appliedToTypes(textType.typeArgs)
      .appliedTo(text)
      .appliedTo(
        best.asTerm,
        Literal(IntConstant(part.bytes)),
        Literal(BooleanConstant(part.descends))
      )
      .asExprOf[Unit]
  end addedText

  /** A function from a row to a result over the values of its key. It creates no tuple if `key` is
    * a literal that ends with one.
    */
  private def overValues[T: Type, K: Type, R: Type](key: Expr[T => K], parts: List[KeyPart])(
      next: Quotes ?=> List[Expr[Any]] => Expr[R]
  )(using Quotes): Expr[T => R] =
    import quotes.reflect.*
    val literal = if Projection.isLiteral(key) then key else '{ (row: T) => $key(row) }
    Projection.strip(literal.asTerm) match
      case Lambda(List(row), body) =>
        val (statements, values) = valuesOf[K](PatternNames.removed(body), parts)
        val result = next(values.map(_.asExpr)).asTerm
        val tpe = MethodType(List(row.name))(_ => List(TypeRepr.of[T]), _ => TypeRepr.of[R])
        Lambda(
          Symbol.spliceOwner,
          tpe,
          (owner, parameters) =>
            val substitute = new TreeMap:
              override def transformTerm(tree: Term)(owner: Symbol): Term = tree match
                case Ident(_) if tree.symbol.equals(row.symbol) => Ref(parameters.head.symbol)
                case _                                          => super.transformTerm(tree)(owner)
            val term = if statements.isEmpty then result else Block(statements, result)
            substitute.transformTerm(term)(owner).changeOwner(owner)
        ).asExprOf[T => R]
      case _ => report.errorAndAbort("a sort key must be a function", key)
    end match
  end overValues

  private def wordOf(part: KeyPart, value: Expr[Any])(using Quotes): Expr[Long] =
    val word = part.tpe match
      case '[a] => SortMacros.wordOf(value.asExprOf[a])
    if part.descends then '{ ~ $word & ${ Expr(-1L << (64 - 8 * part.bytes)) } } else word

  /** The codes of the fields that a literal selects: see `SortFields`. */
  def fields[T: Type, K: Type](key: Expr[T => K], parts: List[KeyPart], operation: String)(using
      Quotes
  ): List[Int] =
    import quotes.reflect.*
    val leaves = ShapeDerivation.shape[T].leaves
    Projection.strip(key.asTerm) match
      case Lambda(List(row), body) if isTupleKey[K] || parts.head.descends =>
        val (statements, values) = valuesOf[K](body, parts)
        parts.zip(values).map: (part, value) =>
          val path =
            if statements.isEmpty then Projection.pathFrom(row.symbol, Projection.strip(value))
            else None
          val leaf = path.fold(-1)(path => leaves.indexWhere(_.path == path))
          if leaf < 0 then
            report.errorAndAbort(
              s"$operation needs fields as the values of this key, for example " +
                "`row => (row.name, desc(row.price))`: computed values are possible where all " +
                "values have at most 8 bytes together and none is a Text",
              key
            )
          if part.descends then ~leaf else leaf
      case _ => List(leaves.indexOf(Projection.leaf(key, operation)))
  end fields

  /** Code over the values of a key, without [[desc]], each of them bound to a name. */
  def bound[K: Type, R: Type](key: Expr[K], parts: List[KeyPart])(
      next: Quotes ?=> List[Expr[Any]] => Expr[R]
  )(using Quotes): Expr[R] =
    import quotes.reflect.*
    val (statements, values) = valuesOf[K](key.asTerm, parts)
    val body = Bound.all(values)(names => next(names.map(_.asExpr)).asTerm)
    (if statements.isEmpty then body else Block(statements, body)).asExprOf[R]

  /** The statements of a body and the values of the key that it returns, without [[desc]]. */
  private def valuesOf[K: Type](using
      Quotes
  )(
      body: quotes.reflect.Term,
      parts: List[KeyPart]
  ): (List[quotes.reflect.Statement], List[quotes.reflect.Term]) =
    import quotes.reflect.*
    val (statements, result) = Projection.strip(body) match
      case Block(statements, result) => (statements, Projection.strip(result))
      case result                    => (Nil, result)
    result match
      case value if !isTupleKey[K] => (statements, List(ascending(value, parts.head)))
      case Apply(TypeApply(Select(of, "apply"), _), values) if isTuple(of.symbol.fullName) =>
        (statements, values.zip(parts).map((value, part) => ascending(value, part)))
      case tuple =>
        val name = Bound.valueOf("key", tuple)
        val values = parts.indices.toList.map: k =>
          ascending(Select.unique(Ref(name.symbol), s"_${k + 1}"), parts(k))
        (statements :+ name, values)
  end valuesOf

  /** Whether a key is a tuple of values; a tuple of one value is, too. */
  private def isTupleKey[K: Type](using Quotes): Boolean =
    isTuple(quotes.reflect.TypeRepr.of[K].widen.dealias.typeSymbol.fullName)

  private def isTuple(name: String): Boolean = name.matches("scala\\.Tuple\\d+\\$?")

  /** A value of a key without [[desc]]. */
  private def ascending(using
      Quotes
  )(value: quotes.reflect.Term, part: KeyPart): quotes.reflect.Term =
    import quotes.reflect.*
    if !part.descends then value
    else
      Projection.strip(value).asExpr match
        case '{ desc[k]($inner) } => inner.asTerm
        case _                    => Select.unique(value, "key")
end KeyFunction
