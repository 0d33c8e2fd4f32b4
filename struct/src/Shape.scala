package undercroft.struct

/** What a struct is made of: the same description at compile time, in drawings and in files. */
enum Shape derives CanEqual:
  case Primitive(kind: Kind)
  case Record(name: String, fields: List[Field])

/** A named part of a record. */
final case class Field(name: String, shape: Shape) derives CanEqual

/** The eight primitive types and bounded text, with size and alignment in bytes. */
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

object Kind:
  val primitives: List[Kind] = List(Boolean, Byte, Short, Char, Int, Long, Float, Double)

/** A primitive inside a record, however deep: its path of names, and where the layouts put it.
  *
  * `column` is where its column starts in a columnar table, in bytes per row of capacity; `gap` how
  * many bytes of padding follow under the C ABI.
  */
final case class Leaf(
    path: List[String],
    kind: Kind,
    aligned: Int,
    packed: Int,
    column: Int,
    gap: Int
) derives CanEqual

object Shape:
  extension (shape: Shape)

    /** The name of the type. */
    def name: String = shape match
      case Primitive(kind) => kind.toString
      case Record(name, _) => name

    /** The largest alignment inside, in bytes. */
    def alignment: Int = shape match
      case Primitive(kind)   => kind.alignment
      case Record(_, fields) => fields.map(_.shape.alignment).maxOption.getOrElse(1)

    /** The size under the C ABI, in bytes, with its tail padding. */
    def alignedSize: Int = shape match
      case Primitive(kind) => kind.size
      case Record(_, fields) =>
        val end = fields.foldLeft(0): (at, field) =>
          roundUp(at, field.shape.alignment) + field.shape.alignedSize
        roundUp(end, shape.alignment)

    /** The size without padding, in bytes. */
    def packedSize: Int = shape match
      case Primitive(kind)   => kind.size
      case Record(_, fields) => fields.map(_.shape.packedSize).sum

    /** Every primitive inside, in the order of declaration. */
    def leaves: List[Leaf] =
      val found = shape.leavesAt(Nil, 0, 0)
      val ends = found.drop(1).map(_.aligned) :+ shape.alignedSize
      found.zip(ends).map((leaf, end) => leaf.copy(gap = end - leaf.aligned - leaf.kind.size))

    private def leavesAt(path: List[String], aligned: Int, packed: Int): List[Leaf] = shape match
      case Primitive(kind) => List(Leaf(path, kind, aligned, packed, packed, gap = 0))
      case Record(_, fields) =>
        val (_, _, found) = fields.foldLeft((aligned, packed, List.empty[Leaf])):
          case ((at, packedAt, leaves), Field(name, inner)) =>
            val start = roundUp(at, inner.alignment)
            val more = inner.leavesAt(path :+ name, start, packedAt)
            (start + inner.alignedSize, packedAt + inner.packedSize, leaves ++ more)
        found
  end extension

  private def roundUp(size: Int, alignment: Int): Int =
    (size + alignment - 1) / alignment * alignment
end Shape
