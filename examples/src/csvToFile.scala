import java.nio.file.{Files, Path}
import undercroft.buffer.*
import undercroft.file.*
import undercroft.memory.*
import undercroft.struct.*

enum Sky derives Struct, CanEqual:
  case Clear, Cloudy, Rain

case class Weather(day: Int, city: Text[12], sky: Sky, celsius: Double) derives Struct

val csv =
  """day,city,sky,celsius
    |1,Bern,Clear,14.5
    |1,Oslo,Rain,7.0
    |2,Bern,Cloudy,12.0
    |2,Oslo,Cloudy,6.5
    |3,Bern,Clear,15.5
    |3,Oslo,Clear,9.0
    |""".stripMargin

def weatherOf(line: String): Weather = line.split(",", -1) match
  case Array(day, city, sky, celsius) =>
    Weather(day.toInt, Text(city), Sky.valueOf(sky), celsius.toDouble)
  case fields => throw IllegalArgumentException(s"${fields.length} fields, not 4: $line")

def loadWeather(path: Path)(using Region): Columns[Weather] =
  val table = Columns.growingTo[Weather](maxRows = 1_000_000)
  val source = Files.newInputStream(path).source().buffered
  try for line <- source.lines.drop(1) do table += weatherOf(line)
  finally source.close()
  table

@main def csvToFile(): Unit =
  val folder = Files.createTempDirectory("weather")
  Files.writeString(folder.resolve("weather.csv"), csv)
  val path = folder.resolve("weather.struct")

  Region.scoped:
    val table = loadWeather(folder.resolve("weather.csv"))
    println(table.size)

    println(table.map(_.celsius).max)
    val dry = table.filter(_.sky != Sky.Rain).count(_.celsius > 10)
    println(dry)

    val warmest = table.sortBy(row => -row.celsius)
    println(warmest(0))
    val sums = table.groupMapReduce(_.city)(_.celsius)(_ + _)
    println(sums(Text("Oslo")))

    val file = Columns.create[Weather](path, maxRows = 1_000_000)
    for i <- 0L until warmest.size do file += warmest(i)
    file.seal() // immutable, with checksums and statistics

  val later = Columns.openReadOnly[Weather](path) // at once, whatever its size
  later.verify()
  println(later.filter(_.city.contentEquals("Bern")).map(_.celsius).sum / 3)
  later.close()
end csvToFile

// prints:
// 6
// 15.5
// 3
// Weather(3,Bern,Clear,15.5)
// 22.5
// 14.0
