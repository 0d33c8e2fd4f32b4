package undercroft.lab.bench

import java.util.SplittableRandom
import undercroft.memory.Region
import undercroft.struct.*

final case class Spot(x: Double, y: Double, low: Ref[Spot], high: Ref[Spot]) derives Struct
final class HeapSpot(val x: Double, val y: Double):
  var low: HeapSpot | Null = null
  var high: HeapSpot | Null = null

/** Inserts `size / 2` random places into a tree that divides by x and y alternately, and finds the
  * nearest place to `size / 4` others.
  */
object KdTree extends Program:

  def onHeap(size: Int)(done: () => Unit): Long =
    val random = SplittableRandom(3)
    val root = HeapSpot(random.nextDouble(), random.nextDouble())
    for _ <- 2 to size / 2 do enter(root, HeapSpot(random.nextDouble(), random.nextDouble()))
    var sum = 0.0
    for _ <- 1 to size / 4 do
      val near = nearest(root, random.nextDouble(), random.nextDouble(), byX = true, root)
      sum += near.x + near.y
    done()
    (sum + root.x).toLong

  private def enter(root: HeapSpot, spot: HeapSpot): Unit =
    var at = root
    var byX = true
    var isIn = false
    while !isIn do
      val isLow = if byX then spot.x < at.x else spot.y < at.y
      val next = if isLow then at.low else at.high
      if next != null then at = next
      else
        if isLow then at.low = spot else at.high = spot
        isIn = true
      byX = !byX

  private def nearest(
      tree: HeapSpot | Null,
      x: Double,
      y: Double,
      byX: Boolean,
      best: HeapSpot
  ): HeapSpot =
    if tree == null then best
    else
      val closer =
        if distance(tree.x, tree.y, x, y) < distance(best.x, best.y, x, y) then tree else best
      val away = if byX then x - tree.x else y - tree.y
      val nearer = nearest(if away < 0 then tree.low else tree.high, x, y, !byX, closer)
      if away * away < distance(nearer.x, nearer.y, x, y) then
        nearest(if away < 0 then tree.high else tree.low, x, y, !byX, nearer)
      else nearer

  private def distance(x: Double, y: Double, p: Double, q: Double): Double =
    (x - p) * (x - p) + (y - q) * (y - q)

  def inRegion(size: Int)(done: () => Unit)(using Region): Long =
    val random = SplittableRandom(3)
    val root = spot(random.nextDouble(), random.nextDouble())
    for _ <- 2 to size / 2 do enter(root, random.nextDouble(), random.nextDouble())
    var sum = 0.0
    for _ <- 1 to size / 4 do
      val near = nearest(root, random.nextDouble(), random.nextDouble(), byX = true, root)
      sum += near.x + near.y
    done()
    (sum + root.x).toLong

  private def spot(x: Double, y: Double)(using Region): Ref[Spot] =
    Ref(Spot(x, y, Ref.none, Ref.none))

  private def enter(root: Ref[Spot], x: Double, y: Double)(using Region): Unit =
    var at = root
    var byX = true
    var isIn = false
    while !isIn do
      val isLow = if byX then x < at.x else y < at.y
      val next = if isLow then at.low else at.high
      if !Ref.isNone(next) then at = next
      else
        if isLow then at.low = spot(x, y) else at.high = spot(x, y)
        isIn = true
      byX = !byX

  private def nearest(
      tree: Ref[Spot],
      x: Double,
      y: Double,
      byX: Boolean,
      best: Ref[Spot]
  ): Ref[Spot] =
    if Ref.isNone(tree) then best
    else
      val closer =
        if distance(tree.x, tree.y, x, y) < distance(best.x, best.y, x, y) then tree else best
      val away = if byX then x - tree.x else y - tree.y
      val nearer = nearest(if away < 0 then tree.low else tree.high, x, y, !byX, closer)
      if away * away < distance(nearer.x, nearer.y, x, y) then
        nearest(if away < 0 then tree.high else tree.low, x, y, !byX, nearer)
      else nearer
end KdTree
