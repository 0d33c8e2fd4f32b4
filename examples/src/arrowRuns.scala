import java.nio.file.Files
import undercroft.arrow.*
import undercroft.memory.*
import undercroft.struct.*

case class ConsignmentItem(article: Int, amount: Int, price: Int) derives Struct
case class Consignment(
    id: Long,
    customer: TextRef,
    receipt: Option[BytesRef],
    items: RowsRef[ConsignmentItem]
) derives Struct

@main def arrowRuns(): Unit =
  val file = Files.createTempDirectory("consignments").resolve("consignments.arrow")
  Region.scoped:
    val consignments = Rows.growing[Consignment]
    val items = RowsRef(ConsignmentItem(7, 2, 250), ConsignmentItem(8, 1, 990))
    consignments += Consignment(1, TextRef("Ada Lovelace, London"), None, items)
    val receipt = BytesRef(Array[Byte](1, 2))
    consignments += Consignment(2, TextRef("Grace Hopper"), Some(receipt), RowsRef.empty)
    consignments.writeArrow(file) // customer: utf8, receipt: binary, items: list<struct>

  Region.named("import", limitBytes = 64.MiB):
    val read = Columns.readArrow[Consignment](file) // the values are in the region "import"
    println(read(0).items(1))
    println(read.sumOf(_.items.sumOf(item => item.amount * item.price)))
    println(read.filter(_.customer.startsWith("Grace")).map(_.id).toVector)

    case class Numbered(id: Long, customer: RowsRef[Int]) derives Struct
    try Rows.readArrow[Numbered](file): Unit
    catch case error: ArrowException => println(error.getMessage.split(": ").last)

  val stale = Region.scoped(Rows.readArrow[Consignment](file)(0).customer)
  val next = file.resolveSibling("next.arrow")
  Region.scoped:
    val consignments = Rows.growing[Consignment]
    consignments += Consignment(3, stale, None, RowsRef.empty)
    try consignments.writeArrow(next)
    catch case _: StaleReferenceException => println(Files.exists(next))
end arrowRuns
// prints:
// ConsignmentItem(8,1,990)
// 1490
// Vector(2)
// `customer` must be list of int32, but is text
// false
