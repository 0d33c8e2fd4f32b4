import undercroft.memory.*
import undercroft.struct.*

case class Place(x: Double, y: Double, low: Ref[Place], high: Ref[Place]) derives Struct:
  def distance(x: Double, y: Double): Double =
    (this.x - x) * (this.x - x) + (this.y - y) * (this.y - y)

/** Levels of the tree alternate between division by x and by y. */
def entered(tree: Ref[Place], x: Double, y: Double, byX: Boolean)(using Region): Ref[Place] =
  if Ref.isNone(tree) then Ref(Place(x, y, Ref.none, Ref.none))
  else
    if if byX then x < tree.x else y < tree.y then tree.low = entered(tree.low, x, y, !byX)
    else tree.high = entered(tree.high, x, y, !byX)
    tree

def nearest(tree: Ref[Place], x: Double, y: Double, byX: Boolean, best: Ref[Place]): Ref[Place] =
  if Ref.isNone(tree) then best
  else
    val closer =
      if Ref.isNone(best) || tree(_.distance(x, y)) < best(_.distance(x, y)) then tree else best
    val away = if byX then x - tree.x else y - tree.y
    val (here, there) = if away < 0 then (tree.low, tree.high) else (tree.high, tree.low)
    val found = nearest(here, x, y, !byX, closer)
    // Search the other side only if it can contain a closer place.
    if away * away < found(_.distance(x, y)) then nearest(there, x, y, !byX, found) else found

@main def kdTree(): Unit =
  Region.scoped:
    val places = List((2.0, 3.0), (5.0, 4.0), (9.0, 6.0), (4.0, 7.0), (8.0, 1.0), (7.0, 2.0))
    val tree = places.foldLeft(Ref.none[Place]):
      case (tree, (x, y)) => entered(tree, x, y, byX = true)
    for (x, y) <- List((9.0, 2.0), (3.0, 6.0)) do
      val found = nearest(tree, x, y, byX = true, Ref.none)
      println(s"nearest to ($x, $y): (${found.x}, ${found.y})")

// prints:
// nearest to (9.0, 2.0): (8.0, 1.0)
// nearest to (3.0, 6.0): (4.0, 7.0)
