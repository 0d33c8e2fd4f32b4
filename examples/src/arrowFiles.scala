import java.nio.file.Files
import undercroft.arrow.*
import undercroft.file.*
import undercroft.file.format.{Checksums, StructFile}
import undercroft.memory.*
import undercroft.struct.*

enum Way derives Struct, CanEqual:
  case Road, Sea

case class Freight(id: Int, name: Text[12], way: Way, limit: Option[Int]) derives Struct

@main def arrowFiles(): Unit =
  val file = Files.createTempDirectory("shop").resolve("freights.arrow")
  Region.scoped:
    val freights = Columns.tabulate[Freight](1000): i =>
      Freight(i.toInt, Text(s"n$i"), Way.Sea, Option.when(i % 2 == 0)(250))
    freights.writeArrow(file) // one batch: pyarrow maps it, and copies nothing

    val again = Rows.readArrow[Freight](file) // any layout, whichever it was written from
    println(again(998))

    val small = file.resolveSibling("small.arrow")
    freights.writeArrow(small, compression = ArrowCompression.Zstd)
    println(Columns.readArrow[Freight](small).size)

    case class Named(name: Text[8], way: Way) derives Struct
    println(Columns.readArrow[Named](file)(7)) // fields are found by name; other fields are ignored

    case class Wrong(id: Short) derives Struct
    try Columns.readArrow[Wrong](file): Unit
    catch case error: ArrowException => println(error.kind)

  val day = file.resolveSibling("day.freights")
  val table = Rows.create[Freight](day)
  for i <- 0 until 1000 do table += Freight(i, Text(s"n$i"), Way.Road, None)
  table.seal()
  val sealedDay = StructFile.open(day, Checksums.NEVER) // needs no class; trusts the disk
  val copy = file.resolveSibling("day.arrow")
  sealedDay.writeArrow(copy)
  sealedDay.writeArrow(file.resolveSibling("day.zstd.arrow"), ArrowCompression.Zstd)
  sealedDay.close()
  Region.scoped(println(Rows.readArrow[Freight](copy)(7)))

  val again = file.resolveSibling("again.freights")
  convertArrow(copy, again) // needs no class: texts are as long as the longest
  val opened = Columns.openReadOnly[Freight](again)
  println(opened.count(_.way == Way.Road))
  opened.close()
end arrowFiles
// prints:
// Freight(998,n998,Sea,Some(250))
// 1000
// Named(n7,Sea)
// WrongSchema
// Freight(7,n7,Road,None)
// 1000
