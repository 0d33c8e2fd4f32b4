import undercroft.memory.*
import undercroft.struct.*

case class Node(left: Ref[Node], right: Ref[Node]) derives Struct

def grown(depth: Int)(using Region): Ref[Node] =
  if depth == 0 then Ref.zeroed[Node]
  else Ref(Node(grown(depth - 1), grown(depth - 1)))

def counted(tree: Ref[Node]): Int =
  if Ref.isNone(tree.left) then 1 else 1 + counted(tree.left) + counted(tree.right)

@main def binaryTrees(): Unit =
  Region.scoped:
    val long = grown(10)
    for depth <- 4 to 8 by 2 do
      val nodes = (1 to 64).map(_ => Region.scoped(counted(grown(depth)))).sum // a region each
      println(s"64 trees of depth $depth: $nodes nodes")
    println(s"a tree that lived on: ${counted(long)} nodes")

// prints:
// 64 trees of depth 4: 1984 nodes
// 64 trees of depth 6: 8128 nodes
// 64 trees of depth 8: 32704 nodes
// a tree that lived on: 2047 nodes
