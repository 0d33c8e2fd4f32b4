import undercroft.memory.*
import undercroft.struct.*

case class Cell(value: Int, next: Ref[Cell]) derives Struct

def listed(values: Iterable[Int])(using Region): Ref[Cell] =
  values.foldRight(Ref.none[Cell])((value, next) => Ref(Cell(value, next)))

def reversed(list: Ref[Cell]): Ref[Cell] = // in place: changes only the references
  var (done, left) = (Ref.none[Cell], list)
  while !Ref.isNone(left) do
    val next = left.next
    left.next = done
    done = left
    left = next
  done

def values(list: Ref[Cell]): List[Int] =
  if Ref.isNone(list) then Nil else list.value :: values(list.next)

@main def linkedList(): Unit =
  Region.scoped:
    val list = listed(1 to 6)
    println(values(list))
    println(values(reversed(list)))

// prints:
// List(1, 2, 3, 4, 5, 6)
// List(6, 5, 4, 3, 2, 1)
