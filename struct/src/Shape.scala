package undercroft.struct

/** The description of a struct type, the same at compile time, in drawings and in files.
  *
  * {{{
  * Struct[Bill].shape match
  *   case Shape.Record(_, fields) => println(fields.map(_.name)) // List(ticket, price)
  *   case other                   => println(other.name)
  * }}}
  */
enum Shape derives CanEqual:

  /** One value, or an array of values. For an enum, `cases` are the names of its cases in the order
    * of their numbers; otherwise empty. If a default [[Struct.StoredAs]] encodes the values,
    * `encoding` describes it: code that was compiled for another one must not read them.
    */
  case Primitive(kind: Shape.Kind, cases: List[String] = Nil, encoding: String = "")
  case Record(name: String, fields: List[Shape.Field])

  /** Members in the same bytes, as C's union. */
  case Union(name: String, members: List[Shape.Field])

object Shape:

  /** The largest size of a struct in each layout, in bytes. The sizes and the leaves of a larger
    * shape throw an IllegalArgumentException.
    */
  inline val MaxBytes = 16777216

  /** A named part of a record or a union. The parts of a field without a name belong to the
    * enclosing shape, as in C. Under the C ABI the field is aligned to at least `alignment` bytes,
    * and starts at `offset` if that is not negative. For an array of several dimensions,
    * `dimensions` are their sizes, outermost first; otherwise empty.
    *
    * {{{
    * val fields = List("x", "y").map(Shape.Field(_, Shape.Primitive(Shape.Kind.Double)))
    * println(Shape.Record("Point", fields).alignedSize) // 16
    * }}}
    */
  final case class Field(
      name: String,
      shape: Shape,
      alignment: Int = 1,
      offset: Int = -1,
      dimensions: List[Int] = Nil
  ) derives CanEqual:

    /** The alignment under the C ABI, in bytes. */
    def mostAligned: Int = Math.max(alignment, shape.alignment)

    /** The offset under the C ABI, after fields that end at `end`. */
    def start(end: Int): Int = roundUp(limited(Math.max(end, offset).toLong), mostAligned)

  /** The type of a leaf: one of the eight primitive types or a type composed of them, with size and
    * alignment in bytes under the C ABI.
    *
    * {{{
    * println(Struct[Bill].leaves.map(_.kind)) // List(Int, Int)
    * println(Shape.Kind.Text(8).size) // 8
    * }}}
    */
  enum Kind(val size: Int, val alignment: Int) derives CanEqual:
    case Boolean extends Kind(1, 1)
    case Byte extends Kind(1, 1)
    case Short extends Kind(2, 2)
    case Char extends Kind(2, 2)
    case Int extends Kind(4, 4)
    case Long extends Kind(8, 8)
    case Float extends Kind(4, 4)
    case Double extends Kind(8, 8)
    case Text(bytes: scala.Int) extends Kind(bytes, 1)
    case Elements(of: Kind, count: scala.Int)
        extends Kind(limited(of.size.toLong * count), of.alignment)

    /** The address and the number of out-of-line bytes, as two Longs. */
    case TextRef extends Kind(16, 8)
    case BytesRef extends Kind(16, 8)

    /** An unsigned case number, of an enum with too many cases for a signed one. */
    case Ordinal(of: Kind) extends Kind(of.size, of.alignment)

    /** A big-endian primitive. */
    case BigEndian(of: Kind) extends Kind(of.size, of.alignment)

    /** C's union, with the same bytes in every layout: its members have no padding. */
    case Union(members: List[Field])
        extends Kind(
          roundUp(members.map(_.shape.alignedSize).max, alignmentOf(members)),
          alignmentOf(members)
        )

    /** An array of structs. */
    case Structs(of: Shape, count: scala.Int)
        extends Kind(limited(of.alignedSize.toLong * count), of.alignment)

    /** The size without padding. */
    def packedSize: scala.Int = this match
      case Structs(of, count) => of.packedSize * count
      case other              => other.size
  end Kind

  object Kind:
    val primitives: List[Kind] = List(Boolean, Byte, Short, Char, Int, Long, Float, Double)

    extension (kind: Kind)
      /** Whether a kind is anything but a primitive in native byte order. */
      def isCompound: scala.Boolean = !primitives.contains(kind)

      /** Whether a kind is a reference to out-of-line bytes. */
      def isOutOfLine: scala.Boolean = kind == TextRef || kind == BytesRef

  /** A primitive inside a record, at any depth: its path of names, and its offsets in the layouts.
    *
    * `column` is the start of its column in a columnar table, in bytes per row of capacity; `gap`
    * is the number of padding bytes that follow under the C ABI. A `shared` leaf is part of a
    * union: its bytes are valid only while its case is stored.
    *
    * {{{
    * val buy = Struct[Trade].leaves.last
    * println((buy.path, buy.aligned, buy.gap)) // (List(buy),12,3)
    * }}}
    */
  final case class Leaf(
      path: List[String],
      kind: Kind,
      aligned: Int,
      packed: Int,
      column: Int,
      gap: Int,
      shared: Boolean
  ) derives CanEqual

  extension (shape: Shape)

    /** The name of the type. */
    def name: String = shape match
      case Primitive(kind, _, _) => kind.toString
      case Record(name, _)       => name
      case Union(name, _)        => name

    /** The largest alignment of the parts, in bytes.
      *
      * {{{
      * println(Struct[Trade].shape.alignment) // 4
      * }}}
      */
    def alignment: Int = shape match
      case Primitive(kind, _, _) => kind.alignment
      case _                     => alignmentOf(shape.parts)

    /** The size under the C ABI, in bytes, with its tail padding.
      *
      * {{{
      * println((Struct[Trade].shape.alignedSize, Struct[Trade].shape.packedSize)) // (16,13)
      * }}}
      */
    def alignedSize: Int = shape match
      case Primitive(kind, _, _) => limited(kind.size)
      case Record(_, fields) =>
        val end = fields.foldLeft(0): (at, field) =>
          limited(field.start(at).toLong + field.shape.alignedSize)
        roundUp(end, shape.alignment)
      case Union(_, members) => roundUp(members.map(_.shape.alignedSize).max, shape.alignment)

    /** The size without padding, in bytes. */
    def packedSize: Int = shape match
      case Primitive(kind, _, _) => limited(kind.packedSize)
      case Record(_, fields)     => limited(fields.map(_.shape.packedSize.toLong).sum)
      case Union(_, members)     => members.map(_.shape.packedSize).max

    /** The size of a row in columns, in bytes. */
    def columnarSize: Int = limited(shape.columns.map(_.toLong).sum)

    /** Every primitive inside, in declaration order. */
    def leaves: List[Leaf] =
      val columns = shape.columns
      val starts = columns.scanLeft(0)(_ + _)
      val flatLeaves =
        shape.leavesAt(Leaf(Nil, Kind.Byte, 0, 0, 0, 0, shared = false), columns.zip(starts))
      val ends = flatLeaves.drop(1).map(_.aligned) :+ shape.alignedSize
      flatLeaves.zip(ends).map: (leaf, end) =>
        if leaf.shared then leaf else leaf.copy(gap = end - leaf.aligned - leaf.kind.size)

    private def parts: List[Field] = shape match
      case Primitive(_, _, _) => Nil
      case Record(_, fields)  => fields
      case Union(_, members)  => members

    /** The sizes of the columns that a shape needs: members of a union share columns of equal size.
      */
    private def columns: List[Int] = shape match
      case Primitive(kind, _, _) => List(kind.size)
      case Record(_, fields)     => fields.flatMap(_.shape.columns)
      case Union(_, members) =>
        members
          .map(_.shape.columns)
          .foldLeft(List.empty[Int])((sizes, memberSizes) => sizes ++ memberSizes.diff(sizes))

    /** The leaves of a shape that starts at `start`, in columns given by size and start. */
    private def leavesAt(start: Leaf, columns: List[(Int, Int)]): List[Leaf] = shape match
      case Primitive(kind, _, _) => List(start.copy(kind = kind, column = columns.head._2))
      case Record(_, fields) =>
        val (_, _, result) = fields.foldLeft((start, columns, List.empty[Leaf])):
          case ((at, left, leaves), field) =>
            val inner = field.shape
            val from = at.copy(aligned = field.start(at.aligned - start.aligned) + start.aligned)
            val (fieldColumns, remaining) = left.splitAt(inner.columns.size)
            val next = from.copy(
              aligned = from.aligned + inner.alignedSize,
              packed = from.packed + inner.packedSize
            )
            (next, remaining, leaves ++ inner.leavesAt(from.in(field), fieldColumns))
        result
      case Union(_, members) =>
        members.flatMap: member =>
          val memberColumns = chosen(member.shape.columns, columns)
          member.shape.leavesAt(start.in(member).copy(shared = true), memberColumns)
  end extension

  extension (leaf: Leaf)
    private def in(field: Field): Leaf =
      if field.name.isEmpty then leaf else leaf.copy(path = leaf.path :+ field.name)

  /** For each size, the first remaining column of that size. */
  private def chosen(sizes: List[Int], columns: List[(Int, Int)]): List[(Int, Int)] = sizes match
    case Nil => Nil
    case size :: rest =>
      val (before, from) = columns.span(_._1 != size)
      from.head :: chosen(rest, before ++ from.tail)

  private[struct] def alignmentOf(fields: List[Field]): Int =
    fields.map(_.mostAligned).maxOption.getOrElse(1)

  /** A number of bytes that a struct may have. */
  private def limited(bytes: Long): Int =
    if bytes > MaxBytes then
      throw IllegalArgumentException(s"a struct has at most $MaxBytes bytes, not $bytes")
    bytes.toInt

  private[struct] def roundUp(size: Int, alignment: Int): Int =
    (size + alignment - 1) / alignment * alignment
end Shape
