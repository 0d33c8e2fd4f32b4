import java.nio.file.Files
import undercroft.file.*
import undercroft.struct.*

@main def tradesToFile(): Unit =
  val path = Files.createTempDirectory("trades").resolve("trades.struct")
  val file = Columns.create[Trade](path, maxRows = 1_000_000) // a memory-mapped file
  for i <- 0 until 1000 do file += Trade(i, 100, 250 + i % 3, buy = i % 2 == 0)
  file.seal() // immutable, with checksums and statistics; opened in constant time
  val later = Columns.openReadOnly[Trade](path) // a file is a table
  println(later.map(_.price).max)
  later.close()

// prints:
// 252
