package undercroft.struct
package internal.bytes

import java.lang.foreign.{
  MemoryLayout,
  PaddingLayout,
  SequenceLayout,
  StructLayout,
  UnionLayout,
  ValueLayout
}
import java.nio.ByteOrder
import java.util.Locale
import scala.jdk.CollectionConverters.*

/** Converts shapes to layouts of `java.lang.foreign`, and draws such layouts as text. */
private[struct] object MemoryLayouts:

  def aligned(shape: Shape): StructLayout = record(shape, packed = false)
  def packed(shape: Shape): StructLayout = record(shape, packed = true)

  private def record(shape: Shape, packed: Boolean): StructLayout = shape match
    case Shape.Record(name, fields) =>
      var end = 0L
      val members = fields.flatMap: field =>
        val layout = named(of(field.shape, packed), field.name)
        val start = if packed then end else field.start(end.toInt).toLong
        val gap = padding(start - end)
        end = start + layout.byteSize
        gap :+ layout
      val alignment = if packed then 1L else shape.alignment.toLong
      val paddedMembers = members ++ padding(roundUp(end, alignment) - end)
      MemoryLayout.structLayout(paddedMembers*).nn.withName(name).nn.withByteAlignment(alignment).nn
    case other =>
      record(Shape.Record(other.name, List(Shape.Field("value", other))), packed)

  private def union(members: List[Shape.Field], size: Int, packed: Boolean): UnionLayout =
    val memberLayouts = members.map(member => named(of(member.shape, packed), member.name))
    val gap = if memberLayouts.exists(_.byteSize == size) then Nil else padding(size)
    MemoryLayout.unionLayout(memberLayouts ++ gap*).nn

  private def named(layout: MemoryLayout, name: String): MemoryLayout =
    if name.isEmpty then layout else layout.withName(name).nn

  private def of(shape: Shape, packed: Boolean): MemoryLayout = shape match
    case Shape.Primitive(kind, _, _) => value(kind, packed)
    case record: Shape.Record        => this.record(record, packed)
    case Shape.Union(_, members) =>
      union(members, if packed then shape.packedSize else shape.alignedSize, packed)

  private def value(kind: Shape.Kind, packed: Boolean): MemoryLayout = (kind match
    case Shape.Kind.Boolean         => ValueLayout.JAVA_BOOLEAN
    case Shape.Kind.Byte            => ValueLayout.JAVA_BYTE
    case Shape.Kind.Short           => ValueLayout.JAVA_SHORT
    case Shape.Kind.Char            => ValueLayout.JAVA_CHAR
    case Shape.Kind.Int             => ValueLayout.JAVA_INT
    case Shape.Kind.Long            => ValueLayout.JAVA_LONG
    case Shape.Kind.Float           => ValueLayout.JAVA_FLOAT
    case Shape.Kind.Double          => ValueLayout.JAVA_DOUBLE
    case Shape.Kind.Text(n)         => MemoryLayout.sequenceLayout(n, ValueLayout.JAVA_BYTE)
    case Shape.Kind.Elements(of, n) => MemoryLayout.sequenceLayout(n, value(of, packed))
    case Shape.Kind.Ordinal(of)     => value(of, packed)
    case Shape.Kind.BigEndian(of)   => bigEndian(value(of, packed))
    case Shape.Kind.TextRef | Shape.Kind.BytesRef =>
      MemoryLayout.sequenceLayout(2, value(Shape.Kind.Long, packed))
    case Shape.Kind.Structs(shape, n) => MemoryLayout.sequenceLayout(n, of(shape, packed))
    case Shape.Kind.Union(members)    => union(members, kind.size, packed)
  ).withByteAlignment(if packed then 1 else kind.alignment).nn

  private def bigEndian(layout: MemoryLayout): MemoryLayout = layout match
    case value: ValueLayout => value.withOrder(ByteOrder.BIG_ENDIAN).nn
    case other              => other

  private def padding(bytes: Long): List[MemoryLayout] =
    if bytes == 0 then Nil else List(MemoryLayout.paddingLayout(bytes).nn)

  private def roundUp(size: Long, alignment: Long): Long =
    (size + alignment - 1) / alignment * alignment

  def show(layout: MemoryLayout): String =
    val title = s"${layout.name.orElse("struct")}: ${layout.byteSize} bytes, " +
      s"aligned to ${layout.byteAlignment}"
    (title :: lines(layout, 0, "")).mkString("\n")

  def diff(from: MemoryLayout, to: MemoryLayout): String =
    val (a, b) = (show(from).linesIterator.toList, show(to).linesIterator.toList)
    (a.diff(b).map("- " + _) ++ b.diff(a).map("+ " + _)).mkString("\n")

  private def lines(layout: MemoryLayout, at: Long, prefix: String): List[String] = layout match
    case struct: StructLayout =>
      val members = struct.memberLayouts.nn.asScala.toList
      val starts = members.scanLeft(at)(_ + _.byteSize)
      members.zip(starts).flatMap: (member, start) =>
        member match
          case gap: PaddingLayout => List(line(start, gap.byteSize, "(padding)", ""))
          case inner =>
            lines(inner, start, join(prefix, inner.name.orElse("").nn))
    case union: UnionLayout =>
      val members = union.memberLayouts.nn.asScala.toList
      members.flatMap:
        case _: PaddingLayout => Nil
        case member           => lines(member, at, join(prefix, member.name.orElse("").nn))
    case other => List(line(at, other.byteSize, prefix, typeName(other)))

  private def join(prefix: String, name: String): String =
    List(prefix, name).filter(_.nonEmpty).mkString(".")

  private def typeName(layout: MemoryLayout): String = layout match
    case value: ValueLayout =>
      val name = value.carrier.nn.getSimpleName.nn.capitalize
      if ByteOrder.BIG_ENDIAN.nn.equals(value.order) then s"$name, big-endian" else name
    case sequence: SequenceLayout =>
      s"${typeName(sequence.elementLayout.nn)}[${sequence.elementCount}]"
    case other => other.name.orElse("union").nn

  private def line(at: Long, size: Long, name: String, tpe: String): String =
    "  %6d  %3d  %-20s %s".formatLocal(Locale.ROOT, at, size, name, tpe).stripTrailing.nn
end MemoryLayouts
