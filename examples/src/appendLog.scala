import java.nio.file.{Files, Path}
import undercroft.file.*
import undercroft.struct.*

enum Health derives Struct, CanEqual:
  case Good, Worn

case class Sensed(millis: Long, sensor: Int, value: Double, health: Health, site: Text[8])
    derives Struct

/** Appends rows to a file, which is created if it does not exist. */
def appendTo(path: Path, rows: Iterator[Sensed]): Unit =
  val file = if Files.exists(path) then Rows.open[Sensed](path) else Rows.create[Sensed](path)
  try
    for row <- rows do file += row
    file.commit() // the rows survive a loss of power, and readers see them
  finally file.close()

def sensed(from: Int, count: Int): Iterator[Sensed] =
  Iterator
    .range(from, from + count)
    .map(i => Sensed(1000L * i, i % 3, i * 0.5, Health.fromOrdinal(i % 2), Text("north")))

@main def appendLog(): Unit =
  val path = Files.createTempDirectory("log").resolve("sensed.struct")
  appendTo(path, sensed(0, 1000)) // one day
  val reader = Rows.openReadOnly[Sensed](path)
  println(reader.size)
  appendTo(path, sensed(1000, 500)) // the next day, while the reader has the file open
  println(reader.refresh()) // shows the rows committed since
  println(reader.filter(_.sensor == 1).map(_.value).max)
  println(reader.count(_.health == Health.Worn))
  reader.close()
end appendLog

// prints:
// 1000
// 1500
// 749.0
// 750
