package undercroft.struct

import undercroft.memory.*
import undercroft.testkit.assertAllocates

case class Node(value: Int, next: Ref[Node]) derives Struct
case class Branch(key: Int, left: Ref[Branch], right: Ref[Branch]) derives Struct

class LinkedTest extends undercroft.tools.Suite:
  var sum = 0L

  private def listOf(values: Seq[Int])(using Region): Ref[Node] =
    values.foldRight(Ref.none[Node])((value, rest) => Ref(Node(value, rest)))

  private def total(list: Ref[Node]): Long =
    var (at, sum) = (list, 0L)
    while !Ref.isNone(at) do
      sum += at.value
      at = at.next
    sum

  test("a linked list is traversed, changed and truncated through its references"):
    Region.scoped:
      val list = listOf(1 to 1000)
      assertEquals(total(list), 500_500L)
      assertEquals(list.next.next.value, 3)
      assertEquals(list.next().value, 2)
      list.next.value = 20
      list.next.next = Ref.none
      assertEquals(total(list), 21L)
      assertAllocates(0) { sum += total(list) }

  test("a binary tree is built, and its traversal allocates nothing"):
    def inserted(root: Ref[Branch], key: Int)(using Region): Ref[Branch] =
      if Ref.isNone(root) then Ref(Branch(key, Ref.none, Ref.none))
      else
        if key < root.key then root.left = inserted(root.left, key)
        else if key > root.key then root.right = inserted(root.right, key)
        root
    def depth(root: Ref[Branch]): Int =
      if Ref.isNone(root) then 0 else 1 + Math.max(depth(root.left), depth(root.right))
    def keys(root: Ref[Branch]): Vector[Int] =
      if Ref.isNone(root) then Vector.empty
      else keys(root.left) ++ (root.key +: keys(root.right))
    Region.scoped:
      val numbers = scala.util.Random(1).shuffle((1 to 500).toList)
      val root = numbers.foldLeft(Ref.none[Branch])(inserted)
      assertEquals(keys(root), (1 to 500).toVector)
      assertAllocates(0) { sum += depth(root) }

  test("reference fields of rows and columns are Ref.none until they are set"):
    Region.scoped:
      val list = listOf(List(7))
      val (rows, columns) = (Rows[Node](3), Columns[Node](3))
      assert(Ref.isNone(rows(2).next) && Ref.isNone(columns(2).next))
      rows(1) = Node(1, list)
      columns(1) = Node(1, list)
      rows.updateAt(0)(_.next)(_ => list)
      assertEquals(rows(1).next.value + rows(0).next.value + columns(1).next.value, 21)
      assertEquals(rows.count(node => !Ref.isNone(node.next)), 2L)

  test("reading through Ref.none or through a reference to a closed region throws"):
    Region.named("evening"):
      intercept[NullReferenceException](listOf(List(1)).next.value): Unit
      val list = listOf(List(1))
      Region.named("morning"):
        list.next = listOf(List(2, 3))
        assertEquals(total(list), 6L)
      val error = intercept[StaleReferenceException](list.next.value)
      assert(error.getMessage.contains("morning"), error.getMessage)
end LinkedTest
