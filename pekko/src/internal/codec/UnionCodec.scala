package undercroft.pekko
package internal.codec

import internal.wire.*

/** The codec of an enum or a sealed hierarchy: the case number and the fields of that case. Another
  * version's cases are matched by name; a case that cannot be read does not affect the others.
  *
  * @param numberOf
  *   the case number of a value
  */
private[pekko] final class UnionCodec[T] private[pekko] (
    allCases: List[UnionCase[T]],
    numberOf: T => Int
) extends ValueCodec[T]:
  val cases: Array[UnionCase[T]] = allCases.toArray
  val wireType: WireType.Union =
    WireType.Union(cases.toVector.map(member => WireCase(member.name, member.codec.wireType)))

  /** The number of a value's case. */
  def caseNumber(value: T): Int =
    val number = numberOf(value)
    if number < 0 then throw IllegalArgumentException(s"$value is none of the cases $names")
    number

  def write(value: T, out: WireOutput): Unit =
    val number = caseNumber(value)
    out.count(number)
    cases(number).codec.writeContent(value, out)

  def read(in: WireInput): T = cases(in.caseNumber(cases.length)).codec.readContent(in)

  override protected def converted(written: WireType, path: FieldPath): WireReader[T] =
    written match
      case union: WireType.Union => ConvertedCases(union, path)
      case _                     => path.mismatch(written, wireType)

  private final class ConvertedCases(written: WireType.Union, path: FieldPath)
      extends WireReader[T]:
    private val readers: Array[WireReader[T] | Null] =
      val byName = cases.iterator.map(member => member.name -> member).toMap
      written.cases.iterator
        .map: sent =>
          byName.get(sent.name) match
            case Some(member) => readerOfCase(member, sent)
            case None         => null
        .toArray

    /** A case whose fields cannot be converted is an error if it is sent, as an unknown one is. */
    private def readerOfCase(member: UnionCase[T], sent: WireCase): WireReader[T] =
      try member.codec.contentReaderOf(sent.fields, path / sent.name)
      catch case error: MessageFormatException => FailingReader(error)

    def read(in: WireInput): T =
      val from = in.offset
      val number = in.caseNumber(readers.length)
      val reader = readers(number)
      if reader eq null then
        val found = MessageFormatException.shorten(written.cases(number).name)
        in.fail(
          MessageFault.UnknownCase,
          from,
          in.offset,
          s"field ${path.names} has the unknown case $found at offset $from; expected one of $names"
        )
      else reader.read(in)
  end ConvertedCases

  /** The names of the cases, for errors. */
  def names: String = MessageFormatException.shorten(cases.map(_.name).mkString(", "))
end UnionCodec

/** The reader of a case that cannot be converted. */
private final class FailingReader(error: MessageFormatException) extends WireReader[Nothing]:
  def read(in: WireInput): Nothing = throw error.copied

private[pekko] final class UnionCase[T] private[pekko] (
    val name: String,
    val codec: RecordCodec[T]
)
