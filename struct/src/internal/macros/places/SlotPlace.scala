package undercroft.struct
package internal.macros.places

import internal.bytes.{CaseTag, ElementBytes, FixedText}
import internal.macros.schema.Calls
import java.lang.foreign.MemorySegment
import scala.quoted.*
import undercroft.struct.Shape
import undercroft.struct.internal.macros.schema.ShapeLiterals.given

/** The leaves of one case of a struct, stored under the C ABI from `start` on after `base`.
  *
  * The case number of an enum is not among them: the owner of the memory stores it elsewhere, and
  * provides it as `tag`. Stores neither fail nor allocate, so that no slot is left half-written:
  * see [[SlotPlace.prepared]].
  *
  * Loads call the [[SlotBytes]], because a handler loads the fields of all cases and must stay
  * short. Stores access the segment itself: a send stores the fields of one case, and HotSpot
  * inlines an access to a segment even where it runs seldom. The first messages of a program are
  * objects until the memory of the slots is mapped, so that the stores seem to run seldom.
  */
private[struct] final class SlotPlace(
    segment: Expr[MemorySegment],
    base: Expr[Long],
    start: Int,
    tag: Option[Expr[Int]],
    shape: Shape
) extends Place:
  private val shift = start - SlotPlace.firstField(shape, tag.isDefined)
  private val single = SegmentPlace(_ => segment, at(_))

  def get(leaf: Shape.Leaf)(using Quotes): Expr[Any] =
    tag.filter(_ => SlotPlace.isTag(leaf)).getOrElse(getField(leaf))

  private def getField(leaf: Shape.Leaf)(using Quotes): Expr[Any] =
    val within = Expr(leaf.aligned + shift)
    leaf.kind match
      case Shape.Kind.Ordinal(of) => getField(leaf.copy(kind = of))
      case Shape.Kind.BigEndian(of) =>
        Bits.swappedFrom(of, getField(leaf.copy(kind = Bits.ofSize(of))))
      case number if !number.isCompound =>
        Calls.of("struct.internal.bytes.SlotBytes", s"get$number")(segment, base, within)
      case _ => single.get(leaf)
    end match
  end getField

  def set(leaf: Shape.Leaf, value: Expr[Any])(using Quotes): Expr[Unit] =
    leaf.kind match
      case Shape.Kind.Text(n) =>
        val text = value.asExprOf[String]
        '{ FixedText.overwrite($segment, ${ at(leaf) }, ${ Expr(n) }, $text) }
      case _ => single.set(leaf, value)

  override def bytes[R](leaf: Shape.Leaf)(next: (Expr[MemorySegment], Expr[Long]) => Expr[R])(using
      Quotes
  ): Option[Expr[R]] = single.bytes(leaf)(next)

  private def at(leaf: Shape.Leaf)(using Quotes): Expr[Long] =
    Calls.plus(base, Expr((leaf.aligned + shift).toLong))
end SlotPlace

private[struct] object SlotPlace:

  /** Whether a leaf of an enum is its case number. */
  def isTag(leaf: Shape.Leaf): Boolean = leaf.path == List(CaseTag.name) && !leaf.shared

  /** The leaves without the case number. */
  def fields(shape: Shape, isSum: Boolean): List[Shape.Leaf] =
    if isSum then shape.leaves.filterNot(isTag) else shape.leaves

  /** The distance of the fields from the start of the struct, under the C ABI. */
  def firstField(shape: Shape, isSum: Boolean): Int =
    fields(shape, isSum).map(_.aligned).minOption.getOrElse(0)

  /** The bytes that leaves take from the first field on. */
  def sizeOf(shape: Shape, isSum: Boolean, leaves: List[Shape.Leaf]): Int =
    val ends = leaves.map(leaf => leaf.aligned + leaf.kind.size)
    ends.maxOption.fold(0)(_ - firstField(shape, isSum))

  /** A leaf's value in the form that [[SlotPlace.set]] takes: an array of anything but numbers as
    * the bytes of its elements.
    */
  def prepared(leaf: Shape.Leaf, value: Expr[Any])(using Quotes): Option[Expr[Any]] =
    leaf.kind match
      case Shape.Kind.Elements(Shape.Kind.Boolean, _)  => Some(image(leaf, value))
      case Shape.Kind.Elements(of, _) if of.isCompound => Some(image(leaf, value))
      case _                                           => None

  private def image(leaf: Shape.Leaf, value: Expr[Any])(using Quotes): Expr[Any] = leaf.kind match
    case Shape.Kind.Elements(of, _) =>
      '{ ElementBytes.image(${ Expr(of) }, ${ value.asExprOf[Array[?]] }) }
    case _ => value
end SlotPlace
