import dev.hardwood.InputFile
import dev.hardwood.reader.ParquetFileReader
import dev.hardwood.schema.ColumnProjection
import java.nio.file.{Files, Path}
import scala.util.Using
import undercroft.duckdb.*
import undercroft.memory.*
import undercroft.struct.*

case class Delivery(day: Int, product: Text[12], amount: Int, discount: Option[Double])
    derives Struct

/** Four columns of a Parquet file; its other columns are not read. */
def loadDeliveries(path: Path)(using Region): Columns[Delivery] =
  val deliveries = Columns.growingTo[Delivery](maxRows = 100_000_000) // address space, not memory
  val projection = ColumnProjection.columns("day", "product", "amount", "discount")
  Using.resource(ParquetFileReader.open(InputFile.of(path))): file =>
    Using.resource(file.columnReaders(projection)): columns =>
      while columns.nextBatch() do
        val days = columns.getColumnReader("day").getInts
        val products = columns.getColumnReader("product").getStrings
        val amounts = columns.getColumnReader("amount").getInts
        val discounts = columns.getColumnReader("discount").getDoubles
        val present = columns.getColumnReader("discount").getLeafValidity
        deliveries.appendAll(columns.getRecordCount): row =>
          val i = row.toInt
          val discount = if present.isNull(i) then None else Some(discounts(i))
          Delivery(days(i), Text(products(i)), amounts(i), discount)
  deliveries

@main def loadParquet(): Unit =
  val path = Files.createTempDirectory("parquet").resolve("deliveries.parquet")
  val duckdb = DuckDb()
  try
    val _ = duckdb.query(s"""
      copy (select i::int as day, 'tea' as product, 2 as amount, 'Bern' as city,
              case when i % 2 = 0 then 0.5::double end as discount
            from range(3000) t(i)) to '$path' (format parquet)""")

    Region.scoped:
      val deliveries = loadDeliveries(path)
      println(deliveries.size)
      println(deliveries.sumOf(_.amount))
      println(deliveries.count(_.discount.isDefined))

      val query = s"select day, product, amount, discount from '$path' where day < 100"
      println(Columns.readSql[Delivery](duckdb, query).size)
  finally duckdb.close()
end loadParquet

// prints:
// 3000
// 6000
// 1500
// 100
