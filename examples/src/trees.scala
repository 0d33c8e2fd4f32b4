import undercroft.memory.*
import undercroft.struct.*

case class Tree(key: Int, left: Ref[Tree], right: Ref[Tree]) derives Struct

def inserted(tree: Ref[Tree], key: Int)(using Region): Ref[Tree] =
  if Ref.isNone(tree) then Ref(Tree(key, Ref.none, Ref.none))
  else
    if key < tree.key then tree.left = inserted(tree.left, key)
    else if key > tree.key then tree.right = inserted(tree.right, key)
    tree

def keys(tree: Ref[Tree]): List[Int] =
  if Ref.isNone(tree) then Nil else keys(tree.left) ::: tree.key :: keys(tree.right)

@main def trees(): Unit =
  Region.scoped:
    val tree = List(3, 1, 4, 1, 5, 9, 2, 6).foldLeft(Ref.none[Tree])(inserted)
    println(keys(tree))
    println(tree.left.right.key)

// prints:
// List(1, 2, 3, 4, 5, 6, 9)
// 2
