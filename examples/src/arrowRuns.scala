import java.nio.file.Files
import undercroft.arrow.*
import undercroft.memory.*
import undercroft.struct.*

case class InvoiceItem(article: Int, amount: Int, price: Int) derives Struct
case class Invoice(
    id: Long,
    customer: TextRef,
    receipt: Option[BytesRef],
    items: RowsRef[InvoiceItem]
) derives Struct

@main def arrowRuns(): Unit =
  val file = Files.createTempDirectory("invoices").resolve("invoices.arrow")
  Region.scoped:
    val invoices = Rows.growing[Invoice]
    val items = RowsRef(InvoiceItem(7, 2, 250), InvoiceItem(8, 1, 990))
    invoices += Invoice(1, TextRef("Ada Lovelace, London"), None, items)
    invoices += Invoice(2, TextRef("Grace Hopper"), Some(BytesRef(Array[Byte](1, 2))), RowsRef.empty)
    invoices.writeArrow(file) // customer: utf8, receipt: binary, items: list<struct>

  Region.named("import", limitBytes = 64.MiB):
    val read = Columns.readArrow[Invoice](file) // the values are in the region "import"
    println(read(0).items(1))
    println(read.sumOf(_.items.sumOf(item => item.amount * item.price)))
    println(read.filter(_.customer.startsWith("Grace")).map(_.id).toVector)

    case class Numbered(id: Long, customer: RowsRef[Int]) derives Struct
    try Rows.readArrow[Numbered](file): Unit
    catch case error: ArrowException => println(error.getMessage.split(": ").last)

  val stale = Region.scoped(Rows.readArrow[Invoice](file)(0).customer)
  val next = file.resolveSibling("next.arrow")
  Region.scoped:
    val invoices = Rows.growing[Invoice]
    invoices += Invoice(3, stale, None, RowsRef.empty)
    try invoices.writeArrow(next)
    catch case _: StaleReferenceException => println(Files.exists(next))
end arrowRuns
// prints:
// InvoiceItem(8,1,990)
// 1490
// Vector(2)
// `customer` must be list of int32, but is text
// false
