package undercroft.struct
package internal.bytes

import scala.annotation.publicInBinary
import undercroft.struct.*

/** A hash of a whole layout, which generated code and a [[Struct]] must agree on.
  *
  * Generated code has sizes and offsets as constants, and memory is allocated by the sizes of a
  * Struct. Both have the fingerprint of the layout that they were compiled with, and it is compared
  * wherever the code of one accesses the memory of the other: a comparison of a constant with a
  * final field, which the JIT moves out of loops.
  *
  * The hashed text has a line for the whole and one for each leaf: the path of names, the kind, the
  * cases of an enum, the default StoredAs, and its offset in each of the three layouts. Type names
  * are not part of it, because an opaque type has another name where it is transparent.
  */
@publicInBinary private[undercroft] object Fingerprint:

  /** The most characters of a text that generated code contains for its error. A constant of a
    * class file has up to 65 535 bytes.
    */
  val MostCharacters = 16000

  /** The text of a layout; its hash is the fingerprint. */
  def text(shape: Shape): String =
    val whole = s": ${shape.alignedSize} bytes aligned to ${shape.alignment}, " +
      s"${shape.packedSize} packed, ${shape.columnarSize} in columns"
    val leaves = shape.leaves.zip(primitives(shape)).map: (leaf, primitive) =>
      val path = leaf.path.mkString(".")
      val cases = names(primitive.cases)
      val encoding = if primitive.encoding.isEmpty then "" else s" of ${primitive.encoding}"
      val shared = if leaf.shared then " of a case" else ""
      s"$path: ${kind(leaf.kind)}$cases$encoding$shared at offset ${leaf.aligned}, " +
        s"${leaf.packed} packed, ${leaf.column} in columns"
    (whole :: leaves).mkString("\n")

  def of(shape: Shape): Long = hash(text(shape))

  /** FNV-1a of 64 bits (G. Fowler, L. C. Noll, K.-P. Vo). */
  def hash(text: String): Long =
    var sum = 0xcbf29ce484222325L
    var i = 0
    while i < text.length do
      sum = (sum ^ text.charAt(i)) * 0x100000001b3L
      i += 1
    sum

  /** The shape of each leaf, in the order of the leaves. */
  private def primitives(shape: Shape): List[Shape.Primitive] = shape match
    case primitive: Shape.Primitive => List(primitive)
    case Shape.Record(_, fields)    => fields.flatMap(field => primitives(field.shape))
    case Shape.Union(_, members)    => members.flatMap(member => primitives(member.shape))

  private def names(cases: List[String]): String =
    if cases.isEmpty then "" else cases.mkString("(", ", ", ")")

  private def kind(kind: Shape.Kind): String = kind match
    case Shape.Kind.Text(bytes)         => s"Text[$bytes]"
    case Shape.Kind.Elements(of, count) => s"InlineArray[${this.kind(of)}, $count]"
    case Shape.Kind.Structs(of, count)  => s"InlineArray[${inside(of)}, $count]"
    case Shape.Kind.Union(members)      => s"Union${members.map(member).mkString("(", ", ", ")")}"
    case Shape.Kind.Ordinal(of)         => s"unsigned ${this.kind(of)}"
    case Shape.Kind.BigEndian(of)       => s"big-endian ${this.kind(of)}"
    case primitive                      => primitive.toString

  private def member(field: Shape.Field): String = s"${field.name} ${inside(field.shape)}"

  /** The layout of a part, in one line. */
  private def inside(shape: Shape): String =
    s"{${text(shape).linesIterator.mkString("; ")}}"

  /** Throws the error for code that was compiled for the layout of the text `compiled`. */
  def differ(struct: Struct[?], compiled: String): Nothing =
    differ(struct.shape.name, compiled, text(struct.shape))

  def differ(name: String, compiled: String, actual: String): Nothing =
    val (compiledLines, actualLines) = (lines(compiled), lines(actual.take(MostCharacters)))
    val differing = compiledLines
      .zipAll(actualLines, ("", ""), ("", ""))
      .collect { case (a, b) if a != b => if a._2.isEmpty then b else a }
    val (wholes, fields) = differing.partition((_, layout) => isWhole(layout))
    val field = (fields ++ wholes).headOption.fold("")(_._1)
    def of(entries: List[(String, String)]): String =
      val pairs =
        if fields.isEmpty then entries else entries.filterNot((_, layout) => isWhole(layout))
      def isPart(path: String) = path.startsWith(s"$field.") || field.startsWith(s"$path.")
      pairs.collectFirst { case (`field`, layout) => layout }
        .orElse(pairs.collectFirst { case (path, layout) if isPart(path) => s"`$path`: $layout" })
        .getOrElse("no such field")
    throw LayoutMismatchException(name, field, of(compiledLines), of(actualLines))
  end differ

  /** Whether a line describes the whole, not a field: it starts with a size. */
  private def isWhole(layout: String): Boolean = layout.headOption.exists(_.isDigit)

  /** The lines of a text: each path, and its layout. */
  private def lines(text: String): List[(String, String)] =
    text.linesIterator.toList.map: line =>
      val end = line.indexOf(": ")
      if end < 0 then ("", line) else (line.take(end), line.drop(end + 2))
end Fingerprint
