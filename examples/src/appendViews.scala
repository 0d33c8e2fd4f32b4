import java.nio.file.Files
import undercroft.file.*
import undercroft.memory.Region
import undercroft.struct.*

case class Sighting(bird: Text[12], count: Int, day: Int) derives Struct

@main def appendViews(): Unit =
  val folder = Files.createTempDirectory("birds")
  val all = Rows.create[Sighting](folder.resolve("all.birds"))
  Region.scoped:
    val today = Columns.from(
      List(
        Sighting(Text("wren"), 2, 5),
        Sighting(Text("heron"), 1, 5),
        Sighting(Text("wren"), 4, 5)
      )
    )
    val flocks = Rows.growing[Sighting]
    flocks.appendAll(today.filter(_.count > 1)) // one loop, from columns to rows
    flocks.appendAll(flocks.map(s => s.copy(day = s.day + 1))) // its own rows, as they were
    println(flocks.map(s => (s.bird.string, s.count, s.day)).toList)
    all.appendAll(flocks) // all rows or none; of the same layout, so as bytes
  all.appendAll(3)(i => Sighting(Text("gull"), i.toInt, 7))
  all.appending(maxRows = 100): batch => // counted at the end of the batch
    for count <- 1 to 10 if count % 4 == 0 do batch += Sighting(Text("tern"), count, 8)
  all.commit() // visible to readers from here on
  println((all.size, all.sumOf(_.count)))
  all.close()
end appendViews
// prints:
// List((wren,2,5), (wren,4,5), (wren,2,6), (wren,4,6))
// (9,27)
