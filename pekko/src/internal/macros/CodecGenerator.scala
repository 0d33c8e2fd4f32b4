package undercroft.pekko
package internal.macros

import internal.codec.{RecordCodec, UnionCodec, ValueCodec, ValueCodecs}
import internal.wire.{WireInput, WireOutput}
import org.apache.pekko.actor.typed
import scala.collection.mutable.ListBuffer
import scala.quoted.*
import undercroft.actor.{ActorRef, Reply}
import undercroft.struct.InlineArray

/** Generates the codec of one message type. The codec of a class is an object with functions that
  * call constructors and select fields; primitives are written and read in place.
  */
private[macros] final class CodecGenerator(using val quotes: Quotes):
  import quotes.reflect.*

  /** The definitions of codecs of classes, in the order of their use. */
  private val definitions = ListBuffer.empty[ValDef]
  private val defined = ListBuffer.empty[(TypeRepr, Term)]

  /** The class of a field, and the field, for errors. */
  private final case class Place(owner: String, field: String):
    def fail(message: String): Nothing =
      val subject = if field.isEmpty then "its type" else s"field `$field`"
      report.errorAndAbort(s"$owner cannot be a message: $subject $message")

  def message[T: Type]: Expr[MessageCodec[T]] =
    val tpe = TypeRepr.of[T].dealias
    val name = shown(tpe)
    val isMessage = MessageTypes.isCaseClass(tpe) || MessageTypes.isSum(tpe)
    if !isMessage || MessageTypes.isOfScala(tpe) then
      report.errorAndAbort(
        s"$name cannot be a message: a message is a case class, an enum or a sealed hierarchy; use a " +
          "case class with a field of this type, or, for a class, `given MessageCodec" +
          s"[$name] = MessageCodec.sentAs[$name, B](to)(from)`"
      )
    RecursionCheck.check(tpe)
    val codec = classCodec[T](Place(name, ""))
    val classes = classesOf(tpe)
    val typeName = Expr(MessageTypes.fullName(tpe))
    withDefinitions('{ ValueCodecs.message[T]($typeName, $codec, $classes) })

  def sentAs[A: Type, B: Type](to: Expr[A => B], from: Expr[B => A]): Expr[MessageCodec[A]] =
    val tpe = TypeRepr.of[A].dealias
    if !tpe.typeSymbol.isClassDef then
      report.errorAndAbort(
        s"${shown(tpe)} cannot have a MessageCodec of its own, because it is no class: " +
          "an opaque type is sent as its underlying type"
      )
    RecursionCheck.check(TypeRepr.of[B].dealias, List(tpe))
    val codec = valueCodec[B](Place(shown(tpe), ""))
    val typeName = Expr(MessageTypes.fullName(tpe))
    val classes = '{ Vector[Class[?]](${ classOf(tpe) }) }
    withDefinitions:
      '{ ValueCodecs.message[A]($typeName, ValueCodecs.sentAs[A, B]($codec, $to, $from), $classes) }

  private def withDefinitions[A: Type](result: Expr[A]): Expr[A] =
    Block(definitions.toList, result.asTerm).asExprOf[A]

  private def shown(tpe: TypeRepr): String =
    val arguments = tpe.typeArgs.map(inner => shown(inner.dealias))
    tpe.typeSymbol.name.stripSuffix("$") +
      (if arguments.isEmpty then "" else arguments.mkString("[", ", ", "]"))

  private def classOf(tpe: TypeRepr): Expr[Class[?]] =
    Literal(ClassOfConstant(tpe)).asExprOf[Class[?]]

  /** The class of a message type and the classes of its cases. The class of an enum's case without
    * parameters has no name, so it is the one of the value.
    */
  private def classesOf(tpe: TypeRepr): Expr[Vector[Class[?]]] =
    val cases =
      if MessageTypes.isSum(tpe) then
        MessageTypes.cases(tpe).map: caseType =>
          MessageTypes.objectOf(caseType) match
            case Some(value) => '{ ${ value.asExprOf[AnyRef] }.getClass: Class[?] }
            case None        => classOf(caseType)
      else Nil
    '{ Vector[Class[?]](${ Varargs(classOf(tpe) :: cases) }*) }

  // ---- the codec of any type

  private def valueCodec[A: Type](place: Place): Expr[ValueCodec[A]] =
    val tpe = TypeRepr.of[A].dealias
    if tpe =:= TypeRepr.of[Nothing] then place.fail("has an unknown type")
    val codec: Expr[Any] = primitive(tpe)
      .orElse(given_[A])
      .orElse(text(tpe))
      .orElse(reference(tpe))
      .orElse(collection(tpe, place))
      .getOrElse:
        refuse(tpe, place)
        stored[A](tpe, place).getOrElse:
          if MessageTypes.isTupleChain(tpe) then tupleChain[A](tpe, place)
          else if MessageTypes.isCaseClass(tpe) || MessageTypes.isSum(tpe) then
            checkOptIn[A](tpe, place)
            classCodec[A](place)
          else other(tpe, place)
    codec.asExprOf[ValueCodec[A]]
  end valueCodec

  private def primitive(tpe: TypeRepr): Option[Expr[Any]] = tpe.asType match
    case _ if tpe =:= TypeRepr.of[String]       => Some('{ ValueCodecs.string })
    case _ if tpe =:= TypeRepr.of[IArray[Byte]] => Some('{ ValueCodecs.bytes })
    case _ if !isPrimitive(tpe)                 => None
    case '[Boolean]                             => Some('{ ValueCodecs.boolean })
    case '[Byte]                                => Some('{ ValueCodecs.byte })
    case '[Short]                               => Some('{ ValueCodecs.short })
    case '[Char]                                => Some('{ ValueCodecs.char })
    case '[Int]                                 => Some('{ ValueCodecs.int })
    case '[Long]                                => Some('{ ValueCodecs.long })
    case '[Float]                               => Some('{ ValueCodecs.float })
    case '[Double]                              => Some('{ ValueCodecs.double })
    case _                                      => None

  /** Whether a type is a primitive itself. A pattern `'[Int]` matches subtypes, too, such as an
    * opaque type with the bound Int.
    */
  private def isPrimitive(tpe: TypeRepr): Boolean = primitives.exists(_ =:= tpe)

  private val primitives = List(
    TypeRepr.of[Boolean],
    TypeRepr.of[Byte],
    TypeRepr.of[Short],
    TypeRepr.of[Char],
    TypeRepr.of[Int],
    TypeRepr.of[Long],
    TypeRepr.of[Float],
    TypeRepr.of[Double]
  )

  private def given_[A: Type]: Option[Expr[Any]] =
    Expr.summon[MessageCodec[A]].map(codec => '{ $codec.value })

  private def text(tpe: TypeRepr): Option[Expr[Any]] =
    MessageTypes.textBytes(tpe).map: bytes =>
      tpe.typeArgs.head.asType match
        case '[type n <: Int; n] => '{ ValueCodecs.text[n](${ Expr(bytes) }) }

  private def reference(tpe: TypeRepr): Option[Expr[Any]] = tpe.asType match
    case '[Reply[u]] =>
      Option.when(tpe =:= TypeRepr.of[Reply[u]])('{ ValueCodecs.reply[u] })
    case '[ActorRef[u]] =>
      Option.when(tpe =:= TypeRepr.of[ActorRef[u]])('{ ValueCodecs.actorRef[u] })
    case '[typed.ActorRef[u]] =>
      Option.when(tpe =:= TypeRepr.of[typed.ActorRef[u]])('{ ValueCodecs.pekkoRef[u] })
    case _ => None

  private def collection(tpe: TypeRepr, place: Place): Option[Expr[Any]] =
    val arguments = tpe.typeArgs.map(_.dealias)
    def of[A: Type]: Expr[ValueCodec[A]] = valueCodec[A](place)
    (tpe.typeSymbol.fullName, arguments.map(_.asType)) match
      case ("scala.Option", List('[a])) => Some('{ ValueCodecs.option(${ of[a] }) })
      case ("scala.collection.immutable.Vector", List('[a])) =>
        Some('{ ValueCodecs.vector(${ of[a] }) })
      case ("scala.collection.immutable.List", List('[a])) =>
        Some('{ ValueCodecs.list(${ of[a] }) })
      case ("scala.collection.immutable.Seq", List('[a])) =>
        Some('{ ValueCodecs.seq(${ of[a] }) })
      case ("scala.collection.immutable.IndexedSeq", List('[a])) =>
        Some('{ ValueCodecs.indexedSeq(${ of[a] }) })
      case ("scala.collection.immutable.Set", List('[a])) =>
        Some('{ ValueCodecs.set(${ of[a] }) })
      case ("scala.collection.immutable.Map", List('[k], '[v])) =>
        Some('{ ValueCodecs.map(${ of[k] }, ${ of[v] }) })
      case ("undercroft.struct.InlineArray", List('[a], '[type n <: Int; n])) =>
        (Expr.summon[ValueOf[n]], Expr.summon[InlineArray.Element[a]]) match
          case (Some(size), Some(element)) =>
            Some('{ ValueCodecs.inlineArray[a, n](${ of[a] })(using $size, $element) })
          case _ => place.fail(s"is an ${shown(tpe)}, whose length is not known here")
      case _ => None
    end match
  end collection

  /** Types that a Struct may have and that have no meaning on another node. */
  private def refuse(tpe: TypeRepr, place: Place): Unit =
    def ofRegion(codec: String, cure: String): Nothing =
      val name = shown(tpe)
      place.fail(
        s"is a $name, whose bytes belong to a region of this node: tell where the receiver stores " +
          s"a copy, `given MessageCodec[$name] = MessageCodec.$codec(sharedRegion)`, or $cure"
      )
    tpe.typeSymbol.fullName match
      case "undercroft.struct.TextRef"  => ofRegion("textRefs", "make it a String or a Text[N]")
      case "undercroft.struct.BytesRef" => ofRegion("bytesRefs", "make it an IArray[Byte]")
      case "undercroft.struct.Reference" =>
        place.fail(
          s"is a ${shown(tpe)}, which refers to memory of this node: send the struct itself, a key " +
            "or an index"
        )
      case "undercroft.struct.Union" =>
        place.fail(
          "is a Union, and nothing tells which member is stored: make it an enum with a case for " +
            "each member"
        )
      case "scala.Array" =>
        place.fail(
          s"is an ${shown(tpe)}, which may change while it is sent: make it a Vector, an " +
            "InlineArray, or of bytes an IArray[Byte]"
        )
      case _ => ()
  end refuse

  /** Opaque types, named tuples and types with a `Struct.StoredAs`. */
  private def stored[A: Type](tpe: TypeRepr, place: Place): Option[Expr[Any]] =
    MessageTypes.namedTuple(tpe) match
      case Some((names, values)) => Some(namedTuple[A](names, values, place))
      case None =>
        MessageTypes.storedAs(tpe).map: inner =>
          inner.asType match
            case '[b] =>
              val codec = valueCodec[b](place)
              '{
                ValueCodecs.sentAs[A, b](
                  $codec,
                  (value: A) => ${ encode[A, b]('{ value }) },
                  (value: b) => ${ decode[A, b]('{ value }) }
                )
              }

  private def encode[A: Type, B: Type](value: Expr[A]): Expr[B] =
    MessageTypes.encode(TypeRepr.of[A].dealias, value.asTerm).asExprOf[B]

  private def decode[A: Type, B: Type](stored: Expr[B]): Expr[A] =
    MessageTypes.decode(TypeRepr.of[A].dealias, stored.asTerm).asExprOf[A]

  private def namedTuple[A: Type](
      names: List[String],
      values: TypeRepr,
      place: Place
  ): Expr[ValueCodec[A]] =
    val types = MessageTypes.tupleElements(values).getOrElse(Nil).map(_.dealias)
    if names.size != types.size || names.size > CodecGenerator.MaxTuple then
      place.fail("is a named tuple of more than 22 fields: use a case class")
    // Also for a chain of `*:`, whose values are those of a tuple class at runtime.
    defn.TupleClass(types.size).typeRef.appliedTo(types).asType match
      case '[t] =>
        val fields = names.zip(types).map: (name, fieldType) =>
          fieldType.asType match
            case '[f] =>
              val codec = valueCodec[f](place.copy(field = s"${place.field}.$name"))
              '{ ValueCodecs.field(${ Expr(name) }, $codec, null) }
        val codec = classCodec[t](place).asExprOf[RecordCodec[t]]
        '{ ValueCodecs.named[t, A]($codec, List(${ Varargs(fields) }*)) }

  /** The codec of a chain of `*:`: at runtime its values are those of a tuple class. */
  private def tupleChain[A: Type](tpe: TypeRepr, place: Place): Expr[ValueCodec[A]] =
    MessageTypes.tupleElements(tpe) match
      case None => other(tpe, place)
      case Some(elements) if elements.size > CodecGenerator.MaxTuple =>
        place.fail(
          s"is a tuple of ${elements.size} elements; allowed: at most ${CodecGenerator.MaxTuple}; " +
            "use a case class"
        )
      case Some(elements) =>
        defn.TupleClass(elements.size).typeRef.appliedTo(elements).asType match
          case '[t] => '{ ${ valueCodec[t](place) }.asInstanceOf[ValueCodec[A]] }

  /** Reports an error unless a class declares that its values are data. */
  private def checkOptIn[A: Type](tpe: TypeRepr, place: Place): Unit =
    val isDeclared = tpe.typeArgs.nonEmpty || MessageTypes.hasStruct[A]
    if !isDeclared then
      val name = shown(tpe)
      place.fail(
        s"has the type $name, which has no MessageCodec: add `derives Struct` or `derives " +
          s"MessageCodec` to $name, or write `given MessageCodec[$name] = " +
          s"MessageCodec.sentAs[$name, B](to)(from)`"
      )

  private def other(tpe: TypeRepr, place: Place): Nothing =
    val name = shown(tpe)
    if tpe.typeSymbol.isTypeParam then
      place.fail(
        s"has the type parameter $name, which is not known here: give it a bound, " +
          s"[$name: MessageCodec]"
      )
    else
      place.fail(
        s"has the type $name, which is no data: use primitives, String, Text[N], Option, tuples, " +
          "Vector, List, Set, Map, InlineArray, classes with `derives Struct` or `derives " +
          s"MessageCodec`, or write `given MessageCodec[$name] = " +
          s"MessageCodec.sentAs[$name, B](to)(from)`"
      )

  // ---- codecs of classes

  /** The codec of a case class, an enum or a sealed hierarchy: a definition, one for each type. */
  private def classCodec[A: Type](place: Place): Expr[ValueCodec[A]] =
    val tpe = TypeRepr.of[A].dealias
    val existing = defined.collectFirst { case (known, term) if known =:= tpe => term }
    existing match
      case Some(term) => term.asExprOf[ValueCodec[A]]
      case None =>
        if MessageTypes.isSum(tpe) then define(tpe, union[A])
        else define(tpe, record[A](place))
    end match

  private def define[C: Type, A: Type](tpe: TypeRepr, codec: Expr[C]): Expr[C & ValueCodec[A]] =
    val symbol = Symbol.newVal(
      Symbol.spliceOwner,
      s"codec${definitions.size}",
      TypeRepr.of[C],
      Flags.EmptyFlags,
      Symbol.noSymbol
    )
    definitions += ValDef(symbol, Some(codec.asTerm.changeOwner(symbol)))
    defined += (tpe -> Ref(symbol))
    Ref(symbol).asExprOf[C & ValueCodec[A]]

  private def union[A: Type]: Expr[UnionCodec[A]] =
    val tpe = TypeRepr.of[A].dealias
    val name = shown(tpe)
    val cases = MessageTypes.cases(tpe)
    val names = cases.map(MessageTypes.caseName(_))
    names.diff(names.distinct).headOption.foreach: twice =>
      report.errorAndAbort(s"$name cannot be a message: two of its cases are called $twice")
    val members = cases.zip(names).map: (caseType, caseName) =>
      val codec = MessageTypes.objectOf(caseType) match
        case Some(value) => singleton[A](value.asExprOf[A])
        case None =>
          if !MessageTypes.isCase(caseType) then
            report.errorAndAbort(
              s"$name cannot be a message: its case $caseName is neither a case class nor an object"
            )
          caseType.asType match
            case '[c] =>
              val codec = record[c](Place(s"$name.$caseName", ""))
              '{ ValueCodecs.caseOf[c, A]($codec) }
      '{ ValueCodecs.unionCase[A](${ Expr(caseName) }, $codec) }
    '{
      ValueCodecs.union[A](
        List(${ Varargs(members) }*),
        (value: A) => ${ caseNumber('{ value }) }
      )
    }
  end union

  private def caseNumber[A: Type](value: Expr[A]): Expr[Int] =
    MessageTypes.caseNumber(TypeRepr.of[A].dealias, value.asTerm)

  private def singleton[A: Type](value: Expr[A]): Expr[RecordCodec[A]] = '{
    ValueCodecs.record[A](
      Nil,
      (_: A, _: WireOutput) => (),
      (_: WireInput) => $value,
      (_: Array[Any]) => $value
    )
  }

  private def record[A: Type](place: Place): Expr[RecordCodec[A]] =
    val tpe = TypeRepr.of[A].dealias
    val owner = if place.field.isEmpty then place.owner else shown(tpe)
    MessageTypes.checkConstructor(tpe, owner)
    val fields = MessageTypes.fields(tpe).map: (symbol, fieldType) =>
      fieldType.asType match
        case '[f] => Field(symbol, fieldType, valueCodec[f](Place(owner, symbol.name)))
    val defaults = MessageTypes.defaults(tpe)
    val described = fields.zip(defaults).map: (field, default) =>
      val value: Expr[(() => Any) | Null] = default match
        case Some(term) => '{ () => ${ term.asExpr } }
        case None       => '{ null }
      '{ ValueCodecs.field(${ Expr(field.symbol.name) }, ${ field.codec }, $value) }
    def write(value: Expr[A], out: Expr[WireOutput]): Expr[Unit] =
      Expr.block(fields.map(writeField(value.asTerm, _, out)), '{ () })
    def read(in: Expr[WireInput]): Expr[A] = construct[A](fields.map(readField(_, in)))
    def fromArray(values: Expr[Array[Any]]): Expr[A] =
      construct[A]:
        fields.zipWithIndex.map: (field, i) =>
          castField(field, '{ $values(${ Expr(i) }) })
    '{
      ValueCodecs.record[A](
        List(${ Varargs(described) }*),
        (value: A, out: WireOutput) => ${ write('{ value }, '{ out }) },
        (in: WireInput) => ${ read('{ in }) },
        (values: Array[Any]) => ${ fromArray('{ values }) }
      )
    }
  end record

  private def construct[A: Type](arguments: List[Term]): Expr[A] =
    val tpe = TypeRepr.of[A].dealias
    New(Inferred(tpe))
      .select(tpe.typeSymbol.primaryConstructor)
      .appliedToTypes(tpe.typeArgs)
      .appliedToArgs(if MessageTypes.isLastRepeated(tpe) then repeated(arguments) else arguments)
      .asExprOf[A]

  /** Passes the last argument, a Seq, as `values*`. */
  private def repeated(arguments: List[Term]): List[Term] =
    val values = arguments.last
    val elementType = values.tpe.widen.dealias.typeArgs.head
    val repeatedType = defn.RepeatedParamClass.typeRef.appliedTo(elementType)
    arguments.init :+ Typed(values, Inferred(repeatedType))

  /** A field of a class in generated code. */
  private final class Field(val symbol: Symbol, val tpe: TypeRepr, val codec: Expr[ValueCodec[?]])

  private def writeField(value: Term, field: Field, out: Expr[WireOutput]): Expr[Unit] =
    val part = Select(value, field.symbol)
    field.tpe.asType match
      case '[f] if !isPrimitive(field.tpe) =>
        '{ ${ field.codec.asExprOf[ValueCodec[f]] }.write(${ part.asExprOf[f] }, $out) }
      case '[Boolean] => '{ $out.boolean(${ part.asExprOf[Boolean] }) }
      case '[Byte]    => '{ $out.byte(${ part.asExprOf[Byte] }) }
      case '[Short]   => '{ $out.short(${ part.asExprOf[Short] }) }
      case '[Char]    => '{ $out.char(${ part.asExprOf[Char] }) }
      case '[Int]     => '{ $out.int(${ part.asExprOf[Int] }) }
      case '[Long]    => '{ $out.long(${ part.asExprOf[Long] }) }
      case '[Float]   => '{ $out.float(${ part.asExprOf[Float] }) }
      case '[Double]  => '{ $out.double(${ part.asExprOf[Double] }) }

  private def readField(field: Field, in: Expr[WireInput]): Term = field.tpe.asType match
    case '[f] if !isPrimitive(field.tpe) =>
      '{ ${ field.codec.asExprOf[ValueCodec[f]] }.read($in) }.asTerm
    case '[Boolean] => '{ $in.boolean() }.asTerm
    case '[Byte]    => '{ $in.byte() }.asTerm
    case '[Short]   => '{ $in.short() }.asTerm
    case '[Char]    => '{ $in.char() }.asTerm
    case '[Int]     => '{ $in.int() }.asTerm
    case '[Long]    => '{ $in.long() }.asTerm
    case '[Float]   => '{ $in.float() }.asTerm
    case '[Double]  => '{ $in.double() }.asTerm

  private def castField(field: Field, value: Expr[Any]): Term = field.tpe.asType match
    case '[f] => '{ $value.asInstanceOf[f] }.asTerm
end CodecGenerator

private object CodecGenerator:
  /** The most elements of a tuple class. */
  val MaxTuple = 22
