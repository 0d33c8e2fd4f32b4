package outside.duckdb

import java.nio.file.{Files, Path}
import undercroft.struct.*

enum Color derives Struct, CanEqual:
  case Red, Green, Blue

enum Change derives Struct, CanEqual:
  case Opened
  case Repaired(price: Int, color: Color)

final case class Engine(power: Int, electric: Boolean) derives Struct, CanEqual

final case class Car(
    id: Int,
    color: Color,
    engine: Engine,
    doors: InlineArray[Int, 3],
    owner: Text[40],
    spare: Option[Color],
    change: Change
) derives Struct,
      CanEqual

object Car:
  def of(i: Long): Car =
    val number = i.toInt
    Car(
      number,
      Color.fromOrdinal(number % 3),
      Engine(number * 10, number % 2 == 0),
      InlineArray(number, 1, 2),
      Text(s"the owner of the car number $number"),
      Option.when(number % 2 == 0)(Color.Green),
      if number % 3 == 0 then Change.Opened else Change.Repaired(number, Color.Blue)
    )

/** A path in a temporary folder that is created for the test. */
def path(name: String): Path = Files.createTempDirectory("undercroft-duckdb").resolve(name)
