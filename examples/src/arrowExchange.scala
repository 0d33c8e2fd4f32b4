import java.lang.foreign.MemorySegment
import undercroft.arrow.unsafe.*
import undercroft.memory.*
import undercroft.struct.*

case class Shipment(id: Long, name: Text[12], price: Option[Int]) derives Struct

/** Stands for a library of the same process: DuckDB, pyarrow, or C. */
def revenueInLibrary(stream: MemorySegment): Long = Region.scoped:
  Columns.importArrowStream[Shipment](stream).sumOf(_.id) // reads the arrays and releases them

@main def arrowExchange(): Unit =
  Region.scoped:
    val shipments = Columns.tabulate[Shipment](1000): i =>
      Shipment(i, Text(s"n$i"), Option.when(i % 2 == 0)(250))
    println(shipments.withArrowStream(revenueInLibrary(_))) // lent: ids are not copied

  val stream = java.lang.foreign.Arena.global.allocate(40, 8) // the library's ArrowArrayStream
  Region.scoped:
    Rows.tabulate[Shipment](10)(i => Shipment(i, Text("salt"), None)).exportArrowStream(stream)
  println(revenueInLibrary(stream)) // a copy: the region is closed

// prints:
// 499500
// 45
