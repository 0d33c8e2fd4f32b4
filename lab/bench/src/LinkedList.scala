package undercroft.lab.bench

import undercroft.memory.Region
import undercroft.struct.*

final case class Cell(value: Int, next: Ref[Cell]) derives Struct
final class HeapCell(val value: Int, var next: HeapCell | Null)

/** Creates a list of four times `size` cells, reverses it in place four times, and sums it. */
object LinkedList extends Program:
  private val reversals = 4

  def onHeap(size: Int)(done: () => Unit): Long =
    var list: HeapCell | Null = null
    for i <- 0 until size * 4 do list = HeapCell(i, list)
    for _ <- 1 to reversals do list = reversed(list)
    var sum = 0L
    var cell = list
    while cell != null do
      sum = sum * 31 + cell.value
      cell = cell.next
    done()
    // The use after `done` keeps the list reachable until then.
    sum + (if list == null then 1 else 0)

  private def reversed(list: HeapCell | Null): HeapCell | Null =
    var before: HeapCell | Null = null
    var left = list
    while left != null do
      val next = left.next
      left.next = before
      before = left
      left = next
    before

  def inRegion(size: Int)(done: () => Unit)(using Region): Long =
    var list = Ref.none[Cell]
    for i <- 0 until size * 4 do list = Ref(Cell(i, list))
    for _ <- 1 to reversals do list = reversed(list)
    var sum = 0L
    var cell = list
    while !Ref.isNone(cell) do
      sum = sum * 31 + cell.value
      cell = cell.next
    done()
    sum

  private def reversed(list: Ref[Cell]): Ref[Cell] =
    var before = Ref.none[Cell]
    var left = list
    while !Ref.isNone(left) do
      val next = left.next
      left.next = before
      before = left
      left = next
    before
end LinkedList
