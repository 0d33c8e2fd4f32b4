package undercroft.struct
package internal.macros.schema

import internal.bytes.CaseTag
import scala.quoted.*
import undercroft.struct.{Shape, Text}

/** The compile-time description of a struct type: its shape, or the error that states why it has
  * none.
  */
private[struct] object ShapeDerivation:

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
  def kind(using Quotes)(tpe: quotes.reflect.TypeRepr): Option[Shape.Kind] =
    primitive(tpe)
      .orElse(text(tpe).map(Shape.Kind.Text(_)))
      .orElse(InlineArrayTypes.kind(tpe))
      .orElse(far(tpe))
      .orElse(UnionTypes.kind(tpe))
      .orElse(ordinal(tpe))
      .orElse(StoredTypes.of(tpe).flatMap(inner => kind(inner.dealias)))

  /** The size of a bounded text, in bytes. */
  def text(using Quotes)(tpe: quotes.reflect.TypeRepr): Option[Int] =
    import quotes.reflect.*
    tpe match
      case AppliedType(text, List(bytes)) if text.typeSymbol.fullName == textName =>
        bytes.dealias match
          case ConstantType(IntConstant(n)) if n > 0 && n <= Text.MaxBytes => Some(n)
          case _ => report.errorAndAbort(s"${named(tpe)}: a text has 1 to ${Text.MaxBytes} bytes")
      case _ => None

  /** The kind of a type that refers to out-of-line bytes. */
  def far(using Quotes)(tpe: quotes.reflect.TypeRepr): Option[Shape.Kind] =
    tpe.typeSymbol.fullName match
      case "undercroft.struct.TextRef"  => Some(Shape.Kind.TextRef)
      case "undercroft.struct.BytesRef" => Some(Shape.Kind.BytesRef)
      case _                            => None

  /** The unsigned case number of an enum with too many cases for a signed one. */
  private def ordinal(using Quotes)(tpe: quotes.reflect.TypeRepr): Option[Shape.Kind] =
    Option
      .when(StoredTypes.isEnumeration(tpe))(tpe.typeSymbol.children.size)
      .filter(cases => cases > 0x80 && cases <= 0x100 || cases > 0x8000 && cases <= 0x10000)
      .map(cases => Shape.Kind.Ordinal(StoredTypes.numberOf(cases)))

  private val textName = "undercroft.struct.Text$package$.Text"

  /** Whether a type is Nothing, which is a subtype of every type but has no stored form: the
    * compiler infers Nothing after an error.
    */
  def isNothing(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    tpe.dealias.typeSymbol.equals(quotes.reflect.defn.NothingClass)

  /** The primitive kind of a type that is a primitive itself or a subtype of one, by its symbols: a
    * type pattern is unpickled each time it is tried.
    */
  def primitive(using Quotes)(tpe: quotes.reflect.TypeRepr): Option[Shape.Kind] =
    import quotes.reflect.*
    def named(symbol: Symbol) =
      if symbol.owner.equals(defn.ScalaPackageClass) then primitives.get(symbol.name) else None
    val symbol = tpe.typeSymbol
    if symbol.isClassDef then named(symbol)
    else if isNothing(tpe) then None
    else tpe.baseClasses.flatMap(named).headOption // such as the bound of an opaque type

  private val primitives = Shape.Kind.primitives.map(kind => kind.toString -> kind).toMap

  /** The fields, with their types, that a type has or is stored with. */
  def fields(using Quotes)(tpe: quotes.reflect.TypeRepr): List[(String, quotes.reflect.TypeRepr)] =
    (OptionTypes.of(tpe), StoredTypes.of(tpe)) match
      case _ if UnionTypes.isUnion(tpe) => UnionTypes.members(tpe)
      case (Some(inner), _)             => OptionTypes.fields(inner)
      case (_, Some(inner)) =>
        val innerFields = fields(inner.dealias)
        val names = StoredTypes.names(tpe)
        if names.isEmpty then innerFields else names.zip(innerFields.map(_._2))
      case _ =>
        tpe.typeSymbol.caseFields.map(field => (field.name, tpe.memberType(field).widen))

  /** Whether generated code can load and store the type inline: all its fields are known, and the
    * givens that store them are in scope.
    */
  def isKnown[T: Type](using Quotes): Boolean =
    import quotes.reflect.*
    isKnown(TypeRepr.of[T].dealias)

  def isKnown(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    areFieldsKnown(tpe, Nil) && HiddenGivens.find(tpe).isEmpty

  /** Whether all fields are known; false for a type that holds itself, such as a List. */
  private def areFieldsKnown(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, around: List[quotes.reflect.TypeRepr]): Boolean =
    def inside(inner: quotes.reflect.TypeRepr) = areFieldsKnown(inner.dealias, tpe :: around)
    (OptionTypes.of(tpe), StoredTypes.of(tpe)) match
      case _ if kind(tpe).isDefined      => true
      case _ if around.exists(_ =:= tpe) => false
      case (Some(inner), _)              => inside(inner)
      case (_, Some(inner))              => inside(inner)
      case _ if Cases.isSum(tpe) =>
        Cases.of(tpe).toList.flatten.forall: caseType =>
          (Cases.isObject(caseType) || isCase(caseType)) &&
            Cases.fields(caseType).forall((_, inner) => inside(inner))
      case _ =>
        val members = fields(tpe)
        isCaseClass(tpe) && members.nonEmpty && members.forall((_, inner) => inside(inner))

  /** The advice to the user for a type that is not known. */
  def unknownCure[T: Type](using Quotes): String =
    import quotes.reflect.*
    val tpe = TypeRepr.of[T].dealias
    if isEmptyClass(tpe) then nothingToStore
    else if tpe =:= TypeRepr.of[String] || isCollection(tpe) then cure(tpe)
    else hiddenCure(tpe).getOrElse("make the method around it inline")

  private def isEmptyClass(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    isCaseClass(tpe) && StoredTypes.of(tpe).isEmpty && fields(tpe).isEmpty

  private val nothingToStore = "it has no fields, so nothing to store"

  private def hiddenCure(using Quotes)(tpe: quotes.reflect.TypeRepr): Option[String] =
    Option
      .when(areFieldsKnown(tpe, Nil))(HiddenGivens.find(tpe))
      .flatten
      .map(hidden => s"${hidden.cure}, because ${hidden.show}")

  /** Whether a type is stored as one value that no given stores. */
  def isLeaf(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    primitive(tpe).isDefined || text(tpe).isDefined || far(tpe).isDefined ||
      StoredTypes.isReference(tpe) || StoredTypes.isRun(tpe)

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
      case Some(kind) => Shape.Primitive(kind, StoredTypes.cases(tpe), StoredTypes.encoding(tpe))
      case None if isSum(tpe) => limited(Cases.shape(tpe))
      case None if isCaseClass(tpe) && StoredTypes.of(tpe).isEmpty && OptionTypes.of(tpe).isEmpty =>
        limited(Shape.Record(tpe.typeSymbol.name, FieldAnnotations.fields(tpe, fields(tpe))))
      case None =>
        val record = Shape.Record(
          tpe.typeSymbol.name,
          fields(tpe).map: (name, inner) =>
            Shape.Field(name, shapeOf(inner.dealias), dimensions = dimensions(inner.dealias))
        )
        encoded(limited(record), StoredTypes.encoding(tpe))

  /** A shape whose size in each layout is within the limit, or an error. */
  private def limited(using Quotes)(shape: Shape): Shape =
    try
      val _ = (shape.alignedSize, shape.packedSize, shape.columnarSize)
      shape
    catch
      case error: IllegalArgumentException =>
        quotes.reflect.report.errorAndAbort(
          s"${shape.name} cannot derive Struct: ${error.getMessage}"
        )

  /** A shape whose leaves a default [[Struct.StoredAs]] encodes. */
  private def encoded(shape: Shape, encoding: String): Shape =
    def fields(of: List[Shape.Field]): List[Shape.Field] =
      of.map(field => field.copy(shape = encoded(field.shape, encoding)))
    shape match
      case _ if encoding.isEmpty            => shape
      case Shape.Primitive(kind, cases, "") => Shape.Primitive(kind, cases, encoding)
      case primitive: Shape.Primitive       => primitive
      case Shape.Record(name, recordFields) => Shape.Record(name, fields(recordFields))
      case Shape.Union(name, members)       => Shape.Union(name, fields(members))

  /** The sizes of the dimensions of an array, if it has several. */
  def dimensions(using Quotes)(tpe: quotes.reflect.TypeRepr): List[Int] =
    if InlineArrayTypes.parts(tpe).isDefined then
      val sizes = InlineArrayTypes.sizes(tpe)
      if sizes.sizeIs > 1 then sizes else Nil
    else StoredTypes.of(tpe).fold(Nil)(inner => dimensions(inner.dealias))

  /** Whether a type is stored as one of several cases. */
  def isSum(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    kind(tpe).isEmpty && OptionTypes.of(tpe).isEmpty && StoredTypes.of(tpe).isEmpty && Cases.isSum(
      tpe
    )

  /** Reports an error, with the cure, if the type cannot be a struct. */
  def check[T: Type](using Quotes): Unit =
    import quotes.reflect.*
    val tpe = TypeRepr.of[T].dealias
    StoredTypes.check(tpe): message =>
      report.errorAndAbort(s"${tpe.typeSymbol.name} cannot derive Struct: it $message")
    if kind(tpe).isDefined then checkEnds(tpe, Nil, None)
    else
      OptionTypes.of(tpe) match
        case Some(inner) =>
          checkEnds(tpe, Nil, None)
          checkField(tpe.typeSymbol, "get", inner)
        case None => checkClass(tpe)

  /** Reports an error if a field is stored by a given next to its class that is not in scope. */
  def checkGivens[T: Type](using Quotes): Unit =
    import quotes.reflect.*
    val tpe = TypeRepr.of[T].dealias
    HiddenGivens.find(tpe).foreach: hidden =>
      report.errorAndAbort(
        s"${tpe.typeSymbol.name} cannot derive Struct: ${hidden.show}; ${hidden.cure}"
      )

  private def checkClass(using Quotes)(tpe: quotes.reflect.TypeRepr): Unit =
    import quotes.reflect.*
    if !isCaseClass(tpe) && StoredTypes.of(tpe).isEmpty && !Cases.isSum(tpe) then
      report.errorAndAbort(
        s"${tpe.typeSymbol.name} cannot derive Struct: only a case class can, whose fields become " +
          "the struct's, or an enum or sealed trait of such"
      )
    if isCollection(tpe) && StoredTypes.of(tpe).isEmpty then
      report.errorAndAbort(s"${tpe.typeSymbol.name} cannot derive Struct: it ${ofElements(tpe)}")
    checkEnds(tpe, Nil, None)
    StoredTypes.of(tpe) match
      case Some(inner)     => checkField(tpe.typeSymbol, "stored", inner.dealias)
      case _ if isSum(tpe) => checkCases(tpe)
      case None            => checkRecord(tpe)

  /** Reports an error if a type contains itself, at the field of the outermost type that does. */
  private def checkEnds(using
      Quotes
  )(
      tpe: quotes.reflect.TypeRepr,
      around: List[quotes.reflect.TypeRepr],
      outermost: Option[() => quotes.reflect.Position]
  ): Unit =
    import quotes.reflect.*
    if around.exists(_ =:= tpe) then
      val path = (tpe :: around).reverse.map(_.typeSymbol.name).mkString(" > ")
      report.errorAndAbort(
        s"${tpe.typeSymbol.name} cannot derive Struct: it holds itself ($path), so it has no size: " +
          s"refer to the inner ${tpe.typeSymbol.name} by a Ref[${tpe.typeSymbol.name}]",
        outermost.fold(Position.ofMacroExpansion)(_())
      )
    def inside(inner: TypeRepr): Unit = checkEnds(inner.dealias, tpe :: around, outermost)
    def insideField(owner: TypeRepr, name: String, inner: TypeRepr): Unit =
      val position = outermost.getOrElse(() => FieldPosition.named(owner.typeSymbol, name))
      checkEnds(inner.dealias, tpe :: around, Some(position))
    if UnionTypes.isUnion(tpe) then UnionTypes.members(tpe).foreach((_, inner) => inside(inner))
    else if InlineArrayTypes.parts(tpe).isDefined then
      InlineArrayTypes.parts(tpe).foreach((inner, _) => inside(inner))
    else if kind(tpe).isEmpty then
      (OptionTypes.of(tpe), StoredTypes.of(tpe)) match
        case (Some(inner), _)       => inside(inner)
        case (_, Some(inner))       => inside(inner)
        case _ if isCollection(tpe) => ()
        case _ if Cases.isSum(tpe) =>
          for
            caseType <- Cases.of(tpe).toList.flatten
            (name, inner) <- Cases.fields(caseType)
          do insideField(caseType, name, inner)
        case _ =>
          if isCaseClass(tpe) then
            fields(tpe).foreach((name, inner) => insideField(tpe, name, inner))
  end checkEnds

  private def checkCases(using Quotes)(tpe: quotes.reflect.TypeRepr): Unit =
    import quotes.reflect.*
    val name = tpe.typeSymbol.name
    def fail(message: String): Nothing =
      report.errorAndAbort(s"$name cannot derive Struct: $message")
    val caseTypes = Cases.of(tpe).toList.flatten
    val names = caseTypes.map(Cases.name(_))
    names.diff(names.distinct).headOption.foreach: twice =>
      fail(s"two of its cases are called $twice")
    caseTypes.foreach: caseType =>
      if Cases.name(caseType) == CaseTag.name then
        fail(s"a case is called ${CaseTag.name}, as the tag is")
      if !Cases.isObject(caseType) then
        if !isCase(caseType) then
          fail(s"its case ${Cases.name(caseType)} is neither a case class nor an object")
        checkConstructor(caseType)
        FormerNames.check(caseType.typeSymbol, Cases.fields(caseType).map(_._1))
        Cases
          .fields(caseType)
          .foreach((field, inner) => checkField(caseType.typeSymbol, field, inner))
  end checkCases

  private def checkRecord(using Quotes)(tpe: quotes.reflect.TypeRepr): Unit =
    import quotes.reflect.*
    val name = tpe.typeSymbol.name
    checkConstructor(tpe)
    val members = fields(tpe)
    if members.isEmpty then
      report.errorAndAbort(s"$name cannot derive Struct: $nothingToStore")
    FormerNames.check(tpe.typeSymbol, members.map(_._1))
    members.foreach: (field, inner) =>
      if reserved(field) then
        report.errorAndAbort(
          s"$name cannot derive Struct: a Ref uses the name `$field` itself; rename the field",
          FieldPosition.named(tpe.typeSymbol, field)
        )
      checkField(tpe.typeSymbol, field, inner.dealias)

  /** Whether a type is a collection of the Scala or the Java library. */
  private def isCollection(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    import quotes.reflect.*
    val name = tpe.typeSymbol.fullName
    (name.startsWith("scala.collection.") || name.startsWith("java.util.")) &&
    (tpe <:< TypeRepr.of[java.lang.Iterable[?]] || tpe <:< TypeRepr.of[java.util.Map[?, ?]] ||
      tpe <:< TypeRepr.of[scala.collection.IterableOnce[Any]])

  /** The reason why a collection is not stored, and the types that are stored in its place. */
  private def ofElements(using Quotes)(tpe: quotes.reflect.TypeRepr): String =
    s"is a ${tpe.typeSymbol.name}, a collection on the heap whose size is not fixed: keep up to N " +
      "elements in an InlineArray[A, N], bytes in a BytesRef, or the elements in a table of their own"

  /** The name of a type. Printing a type asks for the type of the method around a type parameter,
    * which is not known while that is inferred.
    */
  def named(using Quotes)(tpe: quotes.reflect.TypeRepr): String =
    import quotes.reflect.*
    val members = StoredTypes.names(tpe)
    tpe match
      case ConstantType(constant) => String.valueOf(constant.value)
      case OrType(left, right)    => s"${named(left.dealias)} | ${named(right.dealias)}"
      case AndType(left, right)   => s"${named(left.dealias)} & ${named(right.dealias)}"
      case AppliedType(_, List(_, values)) if members.nonEmpty =>
        val types = values.dealias.typeArgs.map(inner => named(inner.dealias))
        members.zip(types).map((name, inner) => s"$name: $inner").mkString("(", ", ", ")")
      case _ =>
        val arguments = tpe.typeArgs.map(inner => named(inner.dealias))
        val inside = if arguments.isEmpty then "" else arguments.mkString("[", ", ", "]")
        tpe.typeSymbol.name.stripSuffix("$") + inside

  /** The advice to the user for a type that has no Struct. */
  def cure(using Quotes)(tpe: quotes.reflect.TypeRepr): String =
    import quotes.reflect.*
    val name = tpe.typeSymbol.name
    val hidden = hiddenCure(tpe)
    if hidden.isDefined then hidden.get
    else if tpe.typeSymbol.isTypeParam then "make the method around it inline"
    else if tpe =:= TypeRepr.of[String] then "make it a Text[N], of up to N bytes"
    else if isCollection(tpe) then s"it ${ofElements(tpe)}"
    else if isEmptyClass(tpe) then nothingToStore
    else if isCaseClass(tpe) || Cases.isSum(tpe) then s"add `derives Struct` to $name"
    else "say how it is stored by a given Struct.StoredAs"

  /** Reports an error if a class has a variable: an assignment to it changes a loaded object and
    * not the memory, and the compiler does not warn.
    */
  private def checkVariables(using Quotes)(tpe: quotes.reflect.TypeRepr): Unit =
    import quotes.reflect.*
    val symbol = tpe.typeSymbol
    def fail(field: Symbol, message: String): Nothing =
      val position = FieldPosition.of(field)
      report.errorAndAbort(s"${symbol.name} cannot derive Struct: $message", position)
    symbol.caseFields.find(_.flags.is(Flags.Mutable)).foreach: field =>
      val name = field.name
      fail(
        field,
        s"field `$name` is a var, and an assignment to it would change a loaded object, not the " +
          s"memory: make it a val, and store by `ref.$name = value`, by `updateAt(i)(_.$name)(f)` " +
          s"or by `rows(i) = rows(i).copy($name = value)`"
      )
    symbol.fieldMembers
      .find(field =>
        field.flags.is(Flags.Mutable) && !field.flags.is(Flags.Private) &&
          !symbol.caseFields.contains(field)
      )
      .foreach: field =>
        fail(
          field,
          s"its var `${field.name}` is no field of the struct, so its value would not be stored: " +
            "make it a def, or a val among the parameters of the class"
        )
  end checkVariables

  /** Reports an error if generated code could not call the constructor. */
  private def checkConstructor(using Quotes)(tpe: quotes.reflect.TypeRepr): Unit =
    import quotes.reflect.*
    val name = tpe.typeSymbol.name
    def fail(message: String): Nothing = report.errorAndAbort(message)
    val constructor = tpe.typeSymbol.primaryConstructor
    if tpe.typeSymbol.flags.is(Flags.Abstract) then
      fail(s"$name cannot derive Struct: it is abstract, and loading a $name creates one")
    if constructor.flags.is(Flags.Private) || constructor.flags.is(Flags.Protected) then
      fail(
        s"$name cannot derive Struct: its constructor is not public, and loading a $name calls it"
      )
    val lists = constructor.paramSymss.filterNot(_.exists(_.isType))
    if lists.sizeIs > 1 then
      fail(s"$name cannot derive Struct: it has ${lists.size} parameter lists; use one")
    checkVariables(tpe)
    checkConstants(tpe)
  end checkConstructor

  /** Reports an error if the values of a field are constants: memory also holds other values. */
  private def checkConstants(using Quotes)(tpe: quotes.reflect.TypeRepr): Unit =
    import quotes.reflect.*
    def isConstant(of: TypeRepr): Boolean = of.dealias match
      case ConstantType(_)     => true
      case OrType(left, right) => isConstant(left) && isConstant(right)
      case value: TermRef      => value.termSymbol.flags.is(Flags.Enum)
      case _                   => false
    val symbol = tpe.typeSymbol
    symbol.caseFields.foreach: field =>
      val constants = tpe.memberType(field)
      if isConstant(constants) then
        report.errorAndAbort(
          s"${symbol.name} cannot derive Struct: field `${field.name}` has the type " +
            s"${TypeNames.full(constants)}, and its memory holds other values, at first zeros: " +
            "give it the type of all values, such as Int or the enum",
          FieldPosition.of(field)
        )

  private def checkField(using
      Quotes
  )(owner: quotes.reflect.Symbol, field: String, tpe: quotes.reflect.TypeRepr): Unit =
    import quotes.reflect.*
    def fail(message: String): Nothing =
      report.errorAndAbort(
        s"${owner.name} cannot derive Struct: field `$field` $message",
        FieldPosition.named(owner, field)
      )
    StoredTypes.check(tpe)(fail)
    if kind(tpe).isEmpty then
      tpe.asType match
        case '[t] if OptionTypes.of(tpe).isDefined =>
          OptionTypes.of(tpe).foreach(inner => checkField(owner, field, inner))
        case '[t] if StoredTypes.of(tpe).isDefined =>
          StoredTypes.of(tpe).foreach(inner => checkField(owner, field, inner.dealias))
        case '[t] if isCollection(tpe) => fail(ofElements(tpe))
        case '[t] if StoredTypes.isRun(tpe) =>
          tpe.typeArgs.map(_.dealias).foreach: of =>
            fail(s"is a RowsRef of ${named(of)}, which has no Struct: ${cure(of)}")
        case '[String] =>
          fail(
            "is a String, whose length is not fixed: make it a Text[N], of up to N bytes, or a " +
              "TextRef, whose bytes lie elsewhere"
          )
        case '[Array[e]] =>
          fail(
            "is an Array, which lives on the heap: keep its elements in an InlineArray, a BytesRef or " +
              "a table of their own"
          )
        case '[t] if tpe.typeSymbol.isTypeParam =>
          if Expr.summon[undercroft.struct.Struct[t]].isEmpty then
            fail(s"has the type parameter ${named(tpe)}: its size is not known; use a known type")
        case '[t] if isCaseClass(tpe) && tpe.typeArgs.nonEmpty => checkRecord(tpe)
        case '[t] if Cases.isSum(tpe) && tpe.typeArgs.nonEmpty => checkCases(tpe)
        case '[t] if isCaseClass(tpe) || Cases.isSum(tpe) =>
          if Expr.summon[undercroft.struct.Struct[t]].isEmpty then
            fail(s"has the type ${tpe.typeSymbol.name}, which has no Struct: " +
              s"add `derives Struct` to ${tpe.typeSymbol.name}")
        case _ =>
          fail(s"has the type ${named(tpe)}, which is neither a primitive " +
            "(Boolean, Byte, Short, Char, Int, Long, Float, Double), nor a case class or an enum " +
            "with a Struct: say how it is stored by a given Struct.StoredAs")
    end if
  end checkField
end ShapeDerivation
