package undercroft.struct
package internal.macros.places

import scala.collection.mutable.LinkedHashMap
import scala.quoted.*
import undercroft.struct.Shape

/** Packed leaves that were read at once, before they are used, so that one check suffices for all
  * of them. Other leaves are behind a checked reference.
  */
private[struct] final class SnapshotPlace(
    checked: CagePlace,
    values: Map[Int, (Shape.Leaf, Expr[Any])]
) extends Place:
  override def isPackedFor(leaf: Shape.Leaf): Boolean = true

  def get(leaf: Shape.Leaf)(using Quotes): Expr[Any] = values.get(leaf.packed) match
    case Some((read, value)) if read.kind == leaf.kind => value
    case _                                             => checked.get(leaf)

  def set(leaf: Shape.Leaf, value: Expr[Any])(using Quotes): Expr[Unit] = checked.set(leaf, value)

  override def inside[R: Type](leaf: Shape.Leaf, offset: Expr[Long])(
      next: Quotes ?=> Place => Expr[R]
  )(using Quotes): Option[Expr[R]] = checked.inside(leaf, offset)(next)
end SnapshotPlace

private[struct] object SnapshotPlace:

  /** Records the numbers that generated code reads. */
  private final class Recording(checked: CagePlace) extends Place:
    val leaves = LinkedHashMap[Int, Shape.Leaf]()
    override def isPackedFor(leaf: Shape.Leaf): Boolean = checked.isPackedFor(leaf)

    def get(leaf: Shape.Leaf)(using Quotes): Expr[Any] =
      if !leaf.kind.isCompound && !leaves.contains(leaf.packed) then leaves(leaf.packed) = leaf
      checked.get(leaf)

    def set(leaf: Shape.Leaf, value: Expr[Any])(using Quotes): Expr[Unit] =
      checked.set(leaf, value)

    override def inside[R: Type](leaf: Shape.Leaf, offset: Expr[Long])(
        next: Quotes ?=> Place => Expr[R]
    )(using Quotes): Option[Expr[R]] = checked.inside(leaf, offset)(next)
  end Recording

  /** The numbers of a struct that the code of `body` reads, in the order of the first reads. */
  def numbers(checked: CagePlace)(body: Quotes ?=> Place => Expr[Unit])(using
      Quotes
  ): List[Shape.Leaf] =
    val recording = Recording(checked)
    val _ = body(recording)
    recording.leaves.values.toList

  /** The code of `body` on the struct at checked bits. The numbers that it reads are first read
    * from `unchecked`, the same place; then `check` runs, which throws if they are not valid.
    */
  def apply(bits: Expr[Long], unchecked: Place, check: Quotes ?=> Expr[Unit])(
      body: Quotes ?=> Place => Expr[Unit]
  )(using outer: Quotes): Expr[Unit] =
    import outer.reflect.*
    val checked = CagePlace(bits, packed = true)
    val leaves = numbers(checked)(body)
    if leaves.isEmpty then body(checked)
    else
      Bound
        .all(using outer)(leaves.map(unchecked.get(_).asTerm)): names =>
          val values = leaves.zip(names).map((leaf, name) => leaf.packed -> (leaf, name.asExpr))
          '{
            $check
            ${ body(new SnapshotPlace(checked, values.toMap)) }
          }.asTerm
        .asExprOf[Unit]
end SnapshotPlace
