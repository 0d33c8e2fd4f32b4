package outside.duckdb

import java.nio.file.Path
import undercroft.struct.*

enum CarColor derives Struct, CanEqual:
  case Red, Green, Blue

enum CarChange derives Struct, CanEqual:
  case Opened
  case Repaired(price: Int, color: CarColor)

final case class Motor(power: Int, electric: Boolean) derives Struct, CanEqual

final case class Car(
    id: Int,
    color: CarColor,
    engine: Motor,
    doors: InlineArray[Int, 3],
    owner: Text[40],
    spare: Option[CarColor],
    change: CarChange
) derives Struct,
      CanEqual

object Car:
  def of(i: Long): Car =
    val number = i.toInt
    Car(
      number,
      CarColor.fromOrdinal(number % 3),
      Motor(number * 10, number % 2 == 0),
      InlineArray(number, 1, 2),
      Text(s"the owner of the car number $number"),
      Option.when(number % 2 == 0)(CarColor.Green),
      if number % 3 == 0 then CarChange.Opened else CarChange.Repaired(number, CarColor.Blue)
    )

/** A path in a temporary folder that is created for the test. */
def path(name: String): Path =
  undercroft.tools.TemporaryFolders.create("undercroft-duckdb").resolve(name)
