package undercroft.pekko
package internal.wire

/** A manifest: the type, the case and the wire type of a message's bytes.
  *
  * {{{
  *   manifest = name ["#" name] record         a class, or a case of an enum or a sealed hierarchy
  *            | name "=" type                  a class with a codec of its own
  *   record   = "(" [name ":" type {"," name ":" type}] ")"
  *   type     = record
  *            | "<" name record {"|" name record} ">"                 cases
  *            | "Boolean" | "Byte" | "Short" | "Char" | "Int" | "Long" | "Float" | "Double"
  *            | "String" | "Bytes" | "ActorRef" | "PekkoRef" | "Text[" number "]"
  *            | "Option[" type "]" | "Seq[" type "]" | "Set[" type "]" | "Map[" type "," type "]"
  *            | "InlineArray[" type "," number "]"
  * }}}
  *
  * @param caseName
  *   the case, if the type has several
  */
private[pekko] final case class WireManifest(
    typeName: String,
    caseName: Option[String],
    of: WireType,
    isWhole: Boolean
):
  /** The type with its case, as errors name it. */
  def subject: String = caseName.fold(typeName)(name => s"$typeName.$name")

  def show: String =
    val name = WireName.escape(typeName) + caseName.fold("")(name => s"#${WireName.escape(name)}")
    if isWhole then s"$name=${of.show}" else name + of.show

private[pekko] object WireManifest:
  /** The most characters of a manifest. Artery has a signed Short for their number, and an envelope
    * of 256 KiB for all.
    */
  val MaxCharacters = 16384

  def parse(text: String): WireManifest =
    if text.length > MaxCharacters then
      throw MessageFormatException(
        MessageFault.MalformedManifest,
        "",
        MaxCharacters,
        text.length,
        s"a manifest has at most $MaxCharacters characters: ${text.length}"
      )
    Parser(text).manifest()

  private val primitives = WirePrimitive.values.map(kind => kind.toString -> kind).toMap

  private final class Parser(text: String):
    private var at = 0

    def manifest(): WireManifest =
      val typeName = name()
      val caseName = Option.when(accept('#'))(name())
      val isWhole = caseName.isEmpty && accept('=')
      val of = if isWhole then wireType(1) else record(1)
      if at < text.length then fail("the end")
      WireManifest(typeName, caseName, of, isWhole)

    private def fail(expected: String): Nothing =
      val found = if at < text.length then s"'${text.charAt(at)}'" else "its end"
      throw MessageFormatException(
        MessageFault.MalformedManifest,
        "",
        at,
        text.length,
        s"the manifest ${MessageFormatException.shorten(text)} has $found at index $at; " +
          s"expected $expected"
      )

    private def accept(char: Char): Boolean =
      val isNext = at < text.length && text.charAt(at) == char
      if isNext then at += 1
      isNext

    private def expect(char: Char): Unit = if !accept(char) then fail(s"'$char'")

    private def name(): String =
      val result = StringBuilder()
      while at < text.length && (WireName.isPlain(text.charAt(at)) || text.charAt(at) == '%') do
        if accept('%') then result += escaped()
        else
          result += text.charAt(at)
          at += 1
      if result.isEmpty then fail("a name")
      result.toString

    private def escaped(): Char =
      var code = 0
      for _ <- 0 until 4 do
        val digit = if at < text.length then Character.digit(text.charAt(at), 16) else -1
        if digit < 0 then fail("a hexadecimal digit")
        code = code * 16 + digit
        at += 1
      code.toChar

    private def number(max: Int): Int =
      var value = 0
      val from = at
      while at < text.length && text.charAt(at) >= '0' && text.charAt(at) <= '9' && value <= max do
        value = value * 10 + (text.charAt(at) - '0')
        at += 1
      if at == from || value < 1 || value > max then fail(s"a number from 1 to $max")
      value

    private def record(depth: Int): WireType.Record =
      expect('(')
      val fields = Vector.newBuilder[WireField]
      if !accept(')') then
        val names = collection.mutable.HashSet.empty[String]
        while
          val fieldName = distinct(names)
          expect(':')
          fields += WireField(fieldName, wireType(depth + 1))
          accept(',')
        do ()
        expect(')')
      WireType.Record(fields.result())

    private def distinct(names: collection.mutable.HashSet[String]): String =
      val result = name()
      if !names.add(result) then fail("another name than a second one of this kind")
      result

    private def union(depth: Int): WireType =
      val cases = Vector.newBuilder[WireCase]
      val names = collection.mutable.HashSet.empty[String]
      while
        val caseName = distinct(names)
        cases += WireCase(caseName, record(depth + 1))
        accept('|')
      do ()
      expect('>')
      WireType.Union(cases.result())

    private def wireType(depth: Int): WireType =
      if depth > WireType.MaxDepth then fail(s"at most ${WireType.MaxDepth} levels of types")
      if at < text.length && text.charAt(at) == '(' then record(depth)
      else if accept('<') then union(depth)
      else named(name(), depth)

    private def named(typeName: String, depth: Int): WireType =
      def argument(): WireType = wireType(depth + 1)
      def applied[A](content: => A): A =
        expect('[')
        val result = content
        expect(']')
        result
      typeName match
        case "String"   => WireType.Str
        case "Bytes"    => WireType.Bytes
        case "ActorRef" => WireType.Reference
        case "PekkoRef" => WireType.PekkoReference
        case "Text"     => applied(WireType.Text(number(undercroft.struct.Text.MaxBytes)))
        case "Option"   => applied(WireType.Optional(argument()))
        case "Seq"      => applied(WireType.Sequence(argument()))
        case "Set"      => applied(WireType.SetOf(argument()))
        case "Map" =>
          applied:
            val key = argument()
            expect(',')
            WireType.MapOf(key, argument())
        case "InlineArray" =>
          applied:
            val of = argument()
            expect(',')
            WireType.ArrayOf(of, number(WireType.MaxCount))
        case _ =>
          primitives.get(typeName) match
            case Some(kind) => WireType.Primitive(kind)
            case None       => fail("a type before it")
      end match
    end named
  end Parser
end WireManifest
