import java.io.RandomAccessFile
import java.nio.file.{Files, Path}
import undercroft.file.format.{Checksums, StructFileException}
import undercroft.struct.*
import undercroft.file.*

case class Bill(ticket: Int, amount: Int, price: Int) derives Struct:
  def value: Long = amount.toLong * price

@main def files(): Unit =
  val path: Path = Files.createTempDirectory("shop").resolve("day.bills")

  val day = Rows.create[Bill](path) // the same rows, in a file
  for i <- 0 until 100_000 do day += Bill(i, i % 10, 250)
  day.commit() // from here on they outlive a kill and a loss of power
  day.close()

  val later = Rows.openReadOnly[Bill](path) // at once, whatever its size
  println(later.sumOf(_.value))
  later.close()

  val single = Rows.openReadOnly[Bill](path)
  single.disableReadAhead() // for lookups: each reads the missing page alone from the disk
  println(single(70_000).ticket)
  single.close()

  val again = Rows.open[Bill](path) // to append
  again += Bill(100_000, 1, 99)
  again.seal() // immutable from here on, and every bit under a checksum
  val whole = Rows.openReadOnly[Bill](path)
  whole.verify()
  println(whole.map(_.price).min)
  whole.close()

  case class Priced(price: Long, note: Option[Int], amount: Int, ticket: Int) derives Struct
  val priced = Rows.openReadOnly[Priced](path) // found by name: reordered, added, widened
  println(priced(100_000))
  priced.close()

  case class Sold(ticket: Int, price: Int) derives Struct
  val sold = Rows.openReadOnly[Sold](path) // has no `amount`
  println(sold(100_000))
  sold.close()

  case class Sale(
      ticket: Int,
      amount: Int,
      @formerly("price", "cost") cents: Int,
      rebate: Int = 5
  ) derives Struct
  val sales = Rows.openReadOnly[Sale](path) // `price` is `cents` now
  println(sales(100_000))
  sales.close()

  val states = path.resolveSibling("day.states")
  enum State derives Struct:
    case Draft, Open, Closed
  val days = Rows.create[State](states)
  days += State.Closed
  days.seal()
  enum Phase derives Struct: // a file has Draft, Open, Closed
    case Draft
    @formerly("Closed") case Done // rows that are Open are an error
  val phases = Rows.openReadOnly[Phase](states)
  println(phases(0))
  phases.close()

  case class Cost(ticket: Int, cost: Int) derives Struct
  try Rows.openReadOnly[Cost](path).close() // `cost` may be any of the other fields
  catch case error: StructFileException => println(error.kind)

  val bytes = RandomAccessFile(path.toFile, "rw") // another program changes a byte
  bytes.seek(600_000)
  bytes.write(-1)
  try Rows.openReadOnly[Bill](path, Checksums.AT_OPEN).close() // reads the file once
  catch case error: StructFileException => println(error.kind)

  val open = Rows.openReadOnly[Bill](path) // compares nothing yet
  bytes.setLength(100_000) // another program cuts the file
  try println(open.sumOf(_.value))
  catch case error: StructFileException => println(error.kind)
  open.close()
  bytes.close()
end files
// prints:
// 112500000
// 70000
// 99
// Priced(99,None,1,100000)
// Sold(100000,99)
// Sale(100000,1,99,5)
// Done
// WRONG_SCHEMA
// CORRUPT
// TRUNCATED
