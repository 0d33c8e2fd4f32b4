package undercroft.pekko
package internal.wire

/** The type of a value in a message, as both nodes know it: the manifest has the type of the
  * sender.
  *
  * Two types are equal if their values have the same bytes and the same meaning. Names of fields
  * and cases belong to it, names of types do not.
  */
private[pekko] enum WireType derives CanEqual:
  case Primitive(kind: WirePrimitive)
  case Text(maxBytes: Int)
  case Str
  case Bytes

  /** A reference of Undercroft: to an actor, or a reply. */
  case Reference

  /** A typed reference of Pekko. */
  case PekkoReference
  case Optional(of: WireType)
  case Sequence(of: WireType)
  case SetOf(of: WireType)
  case MapOf(key: WireType, value: WireType)
  case ArrayOf(of: WireType, count: Int)
  case Record(fields: Vector[WireField])
  case Union(cases: Vector[WireCase])
end WireType

private[pekko] final case class WireField(name: String, of: WireType)
    derives CanEqual
private[pekko] final case class WireCase(name: String, fields: WireType.Record)
    derives CanEqual

private[pekko] object WireType:
  /** The most levels of types inside a type. */
  val MaxDepth = 64

  /** The largest number of elements of an InlineArray. */
  val MaxCount = 65536

  extension (wireType: WireType)

    /** The text of the type in a manifest. */
    def show: String =
      val text = StringBuilder()
      wireType.showIn(text)
      text.toString

    def depth: Int = 1 + inner.map(_.depth).maxOption.getOrElse(0)

    private def inner: Vector[WireType] = wireType match
      case Optional(of)   => Vector(of)
      case Sequence(of)   => Vector(of)
      case SetOf(of)      => Vector(of)
      case MapOf(key, of) => Vector(key, of)
      case ArrayOf(of, _) => Vector(of)
      case Record(fields) => fields.map(_.of)
      case Union(cases)   => cases.map(_.fields)
      case _              => Vector.empty

    private def showIn(text: StringBuilder): Unit =
      def applied(name: String, of: WireType*): Unit =
        text ++= s"$name["
        for (part, i) <- of.zipWithIndex do
          if i > 0 then text += ','
          part.showIn(text)
        text += ']'
      wireType match
        case Primitive(kind) => text ++= kind.toString
        case Text(bytes)     => text ++= s"Text[$bytes]"
        case Str             => text ++= "String"
        case Bytes           => text ++= "Bytes"
        case Reference       => text ++= "ActorRef"
        case PekkoReference  => text ++= "PekkoRef"
        case Optional(of)    => applied("Option", of)
        case Sequence(of)    => applied("Seq", of)
        case SetOf(of)       => applied("Set", of)
        case MapOf(key, of)  => applied("Map", key, of)
        case ArrayOf(of, count) =>
          text ++= "InlineArray["
          of.showIn(text)
          text ++= s",$count]"
        case Record(fields) =>
          text += '('
          for (field, i) <- fields.zipWithIndex do
            if i > 0 then text += ','
            text ++= s"${WireName.escape(field.name)}:"
            field.of.showIn(text)
          text += ')'
        case Union(cases) =>
          text += '<'
          for (member, i) <- cases.zipWithIndex do
            if i > 0 then text += '|'
            text ++= WireName.escape(member.name)
            member.fields.showIn(text)
          text += '>'
      : Unit
    end showIn
  end extension

  /** Reads past a value of this type. */
  def skip(wireType: WireType, in: WireInput): Unit = wireType match
    case Primitive(kind)            => in.skip(kind.size, kind.toString)
    case Text(_) | Str | Bytes      => in.skip(in.count("a byte"), "a text")
    case Reference | PekkoReference => in.skip(in.count("a byte"), "a reference")
    case Optional(of)               => if in.boolean() then skip(of, in)
    case Sequence(of)               => skipAll(of, in.count("an element"), in)
    case SetOf(of)                  => skipAll(of, in.count("an element"), in)
    case ArrayOf(of, count)         => skipAll(of, count, in)
    case MapOf(key, of) =>
      var left = in.count("an entry")
      while left > 0 do
        skip(key, in)
        skip(of, in)
        left -= 1
    case Record(fields) =>
      if fields.isEmpty then in.emptyRecord() else skipFields(fields, in)
    case Union(cases) => skipFields(cases(in.caseNumber(cases.size)).fields.fields, in)

  def skipFields(fields: Vector[WireField], in: WireInput): Unit =
    var i = 0
    while i < fields.size do
      skip(fields(i).of, in)
      i += 1

  private def skipAll(of: WireType, count: Int, in: WireInput): Unit =
    var left = count
    while left > 0 do
      skip(of, in)
      left -= 1
end WireType
