package undercroft.struct.internal

import scala.quoted.*
import undercroft.struct.{Field, Kind, Shape, Text}

/** What the compiler knows of a struct type: its shape, or the error that says why it has none. */
private[struct] object Schema:

  /** Names that a Ref uses itself, so that no field may have them. */
  val reserved = Set(
    "apply",
    "update",
    "atomic",
    "selectDynamic",
    "updateDynamic",
    "applyDynamic",
    "applyDynamicNamed",
    "Fields",
    "_address",
    "equals",
    "hashCode",
    "toString",
    "getClass",
    "isInstanceOf",
    "asInstanceOf",
    "==",
    "!=",
    "##",
    "eq",
    "ne",
    "wait",
    "notify",
    "notifyAll",
    "synchronized",
    "finalize",
    "clone"
  )

  /** The primitive that a type is stored as, if it is stored as one. */
  def kind(using Quotes)(tpe: quotes.reflect.TypeRepr): Option[Kind] =
    primitive(tpe)
      .orElse(text(tpe).map(Kind.Text(_)))
      .orElse(Inlines.kind(tpe))
      .orElse(far(tpe))
      .orElse(Unions.kind(tpe))
      .orElse(ordinal(tpe))
      .orElse(Stored.of(tpe).flatMap(inner => kind(inner.dealias)))

  /** The bytes of a bounded text. */
  def text(using Quotes)(tpe: quotes.reflect.TypeRepr): Option[Int] =
    import quotes.reflect.*
    tpe match
      case AppliedType(text, List(bytes)) if text.typeSymbol.fullName == textName =>
        bytes.dealias match
          case ConstantType(IntConstant(n)) if n > 0 && n <= Text.Longest => Some(n)
          case _ => report.errorAndAbort(s"${tpe.show}: a text has 1 to ${Text.Longest} bytes")
      case _ => None

  /** What refers to bytes that lie elsewhere. */
  def far(using Quotes)(tpe: quotes.reflect.TypeRepr): Option[Kind] =
    tpe.typeSymbol.fullName match
      case "undercroft.struct.TextRef"  => Some(Kind.TextRef)
      case "undercroft.struct.BytesRef" => Some(Kind.BytesRef)
      case _                            => None

  /** The number of an enum with so many cases that a sign would be in the way. */
  private def ordinal(using Quotes)(tpe: quotes.reflect.TypeRepr): Option[Kind] =
    Option
      .when(Stored.isEnumeration(tpe))(tpe.typeSymbol.children.size)
      .filter(cases => cases > 0x80 && cases <= 0x100 || cases > 0x8000 && cases <= 0x10000)
      .map(cases => Kind.Ordinal(Stored.numberOf(cases)))

  private val textName = "undercroft.struct.Text$package$.Text"

  /** The primitive that a type is. */
  def primitive(using Quotes)(tpe: quotes.reflect.TypeRepr): Option[Kind] =
    tpe.asType match
      case '[Boolean] => Some(Kind.Boolean)
      case '[Byte]    => Some(Kind.Byte)
      case '[Short]   => Some(Kind.Short)
      case '[Char]    => Some(Kind.Char)
      case '[Int]     => Some(Kind.Int)
      case '[Long]    => Some(Kind.Long)
      case '[Float]   => Some(Kind.Float)
      case '[Double]  => Some(Kind.Double)
      case _          => None

  /** The fields, with their types, that a type has or is stored with. */
  def fields(using Quotes)(tpe: quotes.reflect.TypeRepr): List[(String, quotes.reflect.TypeRepr)] =
    (Optional.of(tpe), Stored.of(tpe)) match
      case _ if Unions.isUnion(tpe) => Unions.members(tpe)
      case (Some(inner), _)         => Optional.fields(inner)
      case (_, Some(inner)) =>
        val all = fields(inner.dealias)
        val names = Stored.names(tpe)
        if names.isEmpty then all else names.zip(all.map(_._2))
      case _ =>
        tpe.typeSymbol.caseFields.map(field => (field.name, tpe.memberType(field).widen))

  /** Whether generated code can load and store the type in place: it knows all of its fields. */
  def isKnown[T: Type](using Quotes): Boolean =
    import quotes.reflect.*
    isKnown(TypeRepr.of[T].dealias)

  def isKnown(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    (Optional.of(tpe), Stored.of(tpe)) match
      case _ if kind(tpe).isDefined => true
      case (Some(inner), _)         => isKnown(inner)
      case (_, Some(inner))         => isKnown(inner.dealias)
      case _ if Cases.isSum(tpe) =>
        Cases.of(tpe).toList.flatten.forall: one =>
          (Cases.isObject(one) || isCase(one)) &&
            Cases.fields(one).forall((_, inner) => isKnown(inner))
      case _ => isCaseClass(tpe) && fields(tpe).forall((_, inner) => isKnown(inner.dealias))

  def isCaseClass(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    import quotes.reflect.*
    isCase(tpe) && !tpe.typeSymbol.flags.is(Flags.Enum)

  private def isCase(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    import quotes.reflect.*
    val symbol = tpe.typeSymbol
    symbol.isClassDef && symbol.flags.is(Flags.Case) && !symbol.flags.is(Flags.Module)

  /** The shape of a struct that was derived before. */
  def shape[T: Type](using Quotes): Shape =
    import quotes.reflect.*
    shapeOf(TypeRepr.of[T].dealias)

  def shapeOf(using Quotes)(tpe: quotes.reflect.TypeRepr): Shape =
    kind(tpe) match
      case Some(kind)         => Shape.Primitive(kind, Stored.cases(tpe))
      case None if isSum(tpe) => Cases.shape(tpe)
      case None if isCaseClass(tpe) && Stored.of(tpe).isEmpty && Optional.of(tpe).isEmpty =>
        Shape.Record(tpe.typeSymbol.name, Annotated.fields(tpe, fields(tpe)))
      case None =>
        Shape.Record(
          tpe.typeSymbol.name,
          fields(tpe).map((name, inner) => Field(name, shapeOf(inner.dealias)))
        )

  /** Whether a type is stored as one of several cases. */
  def isSum(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    kind(tpe).isEmpty && Optional.of(tpe).isEmpty && Stored.of(tpe).isEmpty && Cases.isSum(tpe)

  /** Stops the compilation, with the cure, if the type cannot be a struct. */
  def check[T: Type](using Quotes): Unit =
    import quotes.reflect.*
    val tpe = TypeRepr.of[T].dealias
    if !isCaseClass(tpe) && Stored.of(tpe).isEmpty && !Cases.isSum(tpe) then
      report.errorAndAbort(
        s"${tpe.typeSymbol.name} cannot derive Struct: only a case class can, whose fields become " +
          "the struct's, or an enum or sealed trait of such"
      )
    checkEnds(tpe, Nil)
    Stored.of(tpe) match
      case Some(inner)     => checkField(tpe.typeSymbol.name, "stored", inner.dealias)
      case _ if isSum(tpe) => checkCases(tpe)
      case None            => checkRecord(tpe)

  /** Stops where a type holds itself. */
  private def checkEnds(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, around: List[quotes.reflect.TypeRepr]): Unit =
    import quotes.reflect.*
    if around.exists(_ =:= tpe) then
      val path = (tpe :: around).reverse.map(_.typeSymbol.name).mkString(" > ")
      report.errorAndAbort(
        s"${tpe.typeSymbol.name} cannot derive Struct: it holds itself ($path), so it has no size"
      )
    if Unions.isUnion(tpe) then
      Unions.members(tpe).foreach((_, inner) => checkEnds(inner.dealias, tpe :: around))
    else if Inlines.parts(tpe).isDefined then
      Inlines.parts(tpe).foreach((inner, _) => checkEnds(inner, tpe :: around))
    else if kind(tpe).isEmpty then
      (Optional.of(tpe), Stored.of(tpe)) match
        case (Some(inner), _) => checkEnds(inner, tpe :: around)
        case (_, Some(inner)) => checkEnds(inner.dealias, tpe :: around)
        case _ if Cases.isSum(tpe) =>
          val inside = Cases.of(tpe).toList.flatten.flatMap(Cases.fields(_))
          inside.foreach((_, inner) => checkEnds(inner, tpe :: around))
        case _ =>
          if isCaseClass(tpe) then
            fields(tpe).foreach((_, inner) => checkEnds(inner.dealias, tpe :: around))
  end checkEnds

  private def checkCases(using Quotes)(tpe: quotes.reflect.TypeRepr): Unit =
    import quotes.reflect.*
    val name = tpe.typeSymbol.name
    def fail(message: String): Nothing =
      report.errorAndAbort(s"$name cannot derive Struct: $message")
    val all = Cases.of(tpe).toList.flatten
    val names = all.map(Cases.name(_))
    names.diff(names.distinct).headOption.foreach: twice =>
      fail(s"two of its cases are called $twice")
    all.foreach: one =>
      if Cases.name(one) == Cases.tag then fail(s"a case is called ${Cases.tag}, as the tag is")
      if !Cases.isObject(one) then
        if !isCase(one) then
          fail(s"its case ${Cases.name(one)} is neither a case class nor an object")
        checkConstructor(one)
        Cases.fields(one).foreach((field, inner) => checkField(Cases.name(one), field, inner))

  private def checkRecord(using Quotes)(tpe: quotes.reflect.TypeRepr): Unit =
    import quotes.reflect.*
    val name = tpe.typeSymbol.name
    def fail(message: String): Nothing = report.errorAndAbort(message)
    checkConstructor(tpe)
    val all = fields(tpe)
    if all.isEmpty then fail(s"$name cannot derive Struct: it has no fields, so nothing to store")
    all.foreach: (field, inner) =>
      if reserved(field) then
        fail(s"$name cannot derive Struct: a Ref uses the name `$field` itself; rename the field")
      checkField(name, field, inner.dealias)

  /** Stops where generated code could not call the constructor. */
  private def checkConstructor(using Quotes)(tpe: quotes.reflect.TypeRepr): Unit =
    import quotes.reflect.*
    val name = tpe.typeSymbol.name
    def fail(message: String): Nothing = report.errorAndAbort(message)
    val constructor = tpe.typeSymbol.primaryConstructor
    if constructor.flags.is(Flags.Private) || constructor.flags.is(Flags.Protected) then
      fail(
        s"$name cannot derive Struct: its constructor is not public, and loading a $name calls it"
      )
    val lists = constructor.paramSymss.filterNot(_.exists(_.isType))
    if lists.sizeIs > 1 then
      fail(s"$name cannot derive Struct: it has ${lists.size} parameter lists; use one")
  end checkConstructor

  private def checkField(using
      Quotes
  )(owner: String, field: String, tpe: quotes.reflect.TypeRepr): Unit =
    import quotes.reflect.*
    def fail(message: String): Nothing =
      report.errorAndAbort(s"$owner cannot derive Struct: field `$field` $message")
    if kind(tpe).isEmpty then
      tpe.asType match
        case '[Option[t]] => checkField(owner, field, TypeRepr.of[t].dealias)
        case '[t] if Stored.of(tpe).isDefined =>
          Stored.of(tpe).foreach(inner => checkField(owner, field, inner.dealias))
        case '[String] =>
          fail(
            "is a String, whose length is not fixed: make it a Text[N], of up to N bytes, or a " +
              "TextRef, whose bytes lie elsewhere"
          )
        case '[Array[e]] =>
          fail(
            "is an Array, which lives on the heap: keep its elements in an Inline, a BytesRef or " +
              "a table of their own"
          )
        case '[t] if tpe.typeSymbol.isTypeParam =>
          fail(s"has the type parameter ${tpe.show}: its size is not known; use a known type")
        case '[t] if isCaseClass(tpe) && tpe.typeArgs.nonEmpty => checkRecord(tpe)
        case '[t] if Cases.isSum(tpe) && tpe.typeArgs.nonEmpty => checkCases(tpe)
        case '[t] if isCaseClass(tpe) || Cases.isSum(tpe) =>
          if Expr.summon[undercroft.struct.Struct[t]].isEmpty then
            fail(s"has the type ${tpe.typeSymbol.name}, which has no Struct: " +
              s"add `derives Struct` to ${tpe.typeSymbol.name}")
        case _ =>
          fail(s"has the type ${tpe.show}, which is neither a primitive " +
            "(Boolean, Byte, Short, Char, Int, Long, Float, Double), nor a case class or an enum " +
            "with a Struct: say how it is stored by a given Struct.As")
    end if
  end checkField
end Schema
