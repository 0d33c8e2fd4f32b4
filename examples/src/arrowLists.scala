import java.nio.file.Files
import java.time.LocalDate
import undercroft.arrow.*
import undercroft.file.*
import undercroft.memory.*
import undercroft.struct.*

case class Waypoint(x: Double, y: Double, name: Text[8]) derives Struct
case class Route(
    day: LocalDate,
    stops: InlineArray[Waypoint, 2],
    tags: InlineArray[Text[6], 2]
) derives Struct

@main def arrowLists(): Unit =
  val file = Files.createTempDirectory("trips").resolve("routes.arrow")
  Region.scoped:
    val routes = Columns.tabulate[Route](100): i =>
      val stops = InlineArray[Waypoint, 2](
        Waypoint(0, 0, Text("depot")),
        Waypoint(i, i / 2.0, Text(s"stop $i"))
      )
      Route(
        LocalDate.of(2026, 11, 25).plusDays(i),
        stops,
        InlineArray[Text[6], 2](Text("daily"), Text(""))
      )
    routes.writeArrow(file) // stops: fixed_size_list<struct<x, y, name>>[2], tags: of utf8

    val read = Rows.readArrow[Route](file)
    println(read(7).stops(1))
    println(read.sumOf(_.stops(1).x))

    case class Longer(stops: InlineArray[Waypoint, 3]) derives Struct
    try Rows.readArrow[Longer](file): Unit
    catch case error: ArrowException => println(error.getMessage.split(": ").last)

  val copy = file.resolveSibling("routes.cols")
  convertArrow(file, copy) // the lists are InlineArrays, the dates LocalDates
  val opened = Columns.openReadOnly[Route](copy)
  println(opened(99).stops(1).name)
  println(opened.count(_.day.isBefore(LocalDate.of(2026, 12, 1))))
  opened.close()
end arrowLists
// prints:
// Waypoint(7.0,3.5,stop 7)
// 4950.0
// `stops` must be list of 3 of struct, but is list of 2
// stop 99
// 6
