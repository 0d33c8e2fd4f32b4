import java.nio.file.Files
import undercroft.file.*
import undercroft.struct.*

object Deals:
  case class Deal(ticket: Long, amount: Int, price: Int) derives Struct

  /** Two of its fields: the others are not decompressed. */
  case class Turnover(amount: Int, price: Int) derives Struct

@main def compressedFiles(): Unit =
  import Deals.*
  val folder = Files.createTempDirectory("exchange")
  val (yesterday, archived) = (folder.resolve("yesterday.deals"), folder.resolve("yesterday.zst"))
  val deals = Columns.create[Deal](yesterday, maxRows = 200_000)
  for i <- 0 until 200_000 do deals += Deal(i, i % 10, 250 + i % 7)
  deals.seal()

  compressFile(yesterday, archived) // complete, or an error and no file
  println(Files.size(archived) < Files.size(yesterday) / 2)

  val turnover = Columns.openCompressed[Turnover](archived)
  turnover.verify() // decompresses all blocks and compares their checksums
  Files.delete(yesterday)
  val total = turnover.foldBlocks(0L): (sum, block) => // a table of one block, in memory
    sum + block.sumOf(deal => deal.amount.toLong * deal.price)
  println(total)
  turnover.close()

  val prices = Columns.openReadOnly[Turnover](archived) // two columns, all rows in memory
  println(prices.maxOf(_.price))
  prices.close()

  decompressFile(archived, yesterday) // for DuckDB, Arrow and Spark
  println(Columns.openReadOnly[Deal](yesterday)(199_999))
end compressedFiles

// prints:
// true
// 227699982
// 256
// Deal(199999,9,252)
