package outside.struct

import undercroft.memory.*
import undercroft.struct.*

sealed trait Animal derives Struct, CanEqual
object Animal:
  case class Fish(depth: Int) extends Animal
  sealed trait Bird extends Animal:
    def age: Int
  case class Duck(age: Int) extends Bird
  case class Swan(age: Int) extends Bird
import Animal.*

case class Cage(id: Int, animal: Animal) derives Struct, CanEqual

sealed trait Device derives Struct, CanEqual
sealed trait Input extends Device
sealed trait Output extends Device
case class Screen(width: Int) extends Input, Output
case class Printer(pages: Int) extends Output

/** A pattern with a sealed trait that several cases extend: the name has the trait's type. */
class IntermediateTraitTest extends undercroft.tools.Suite:

  private val animals = Vector(Fish(1), Duck(3), Swan(5), Fish(2))
  private val cages = animals.zipWithIndex.map((animal, i) => Cage(i, animal))

  private inline def same[A](values: Vector[A])(inline f: A => Int)(using Struct[A]): Unit =
    Region.scoped:
      val (rows, columns) = (Rows.from(values), Columns.from(values))
      assertEquals(rows.map(f).toVector, values.map(f))
      assertEquals(columns.map(f).toVector, values.map(f))
      assertEquals(values.indices.map(i => rows.ref(i)(f)).toVector, values.map(f))

  test("a row"):
    same[Animal](animals):
      case b: Bird => b.age
      case _       => 0

  test("a field, with a guard and the value itself"):
    same[Cage](cages):
      case Cage(_, b: Bird) if b.age > 3 => b.age
      case Cage(id, b: Bird)             => if b == Duck(3) then id else 7
      case _                             => 0

  test("the value of an Option"):
    same[Option[Animal]](animals.map(Some(_)) :+ None):
      case Some(b: Bird) => List[Bird](b).map(_.age).sum
      case Some(_)       => 1
      case None          => 2

  test("a case of two nested sealed traits is stored as one case"):
    val devices = Vector[Device](Screen(1), Printer(2), Screen(3))
    Region.scoped:
      assertEquals(Rows.from(devices).toVector, devices)
    same[Device](devices):
      case o: Output => List[Output](o).size
    same[Device](devices):
      case Screen(width)  => width
      case Printer(pages) => pages * 10
end IntermediateTraitTest
