package undercroft.lab.bench

// How much does it cost to open a folder of many struct files as one table?

import java.nio.file.{Files, Path}
import java.util.Comparator
import org.openjdk.jmh.annotations.*
import undercroft.file.*
import undercroft.file.format.Durability
import undercroft.file.format.internal.folder.FolderChange
import undercroft.struct.*

/** A folder of sealed files with 100 trades each, ten files in each partition. */
@State(Scope.Thread)
class FolderOpen extends Measured:
  @Param(Array("1", "10", "100", "1000")) var files = 1

  private var folder = Path.of("").nn

  @Setup def make(): Unit =
    folder = Files.createTempDirectory("undercroft-lab")
    val change = FolderChange.begin(folder)
    for file <- 0 until files do
      val path = change.newFile(s"part=${file / 10}")
      val table = Rows.create[Trade](path, durability = Durability.VOLATILE)
      for i <- 0 until 100 do table += Trade(file * 100 + i, 1, 1, true)
      table.seal()
    val _ = change.commit()

  @TearDown def delete(): Unit =
    val paths = Files.walk(folder).nn
    try paths.sorted(Comparator.reverseOrder).forEach(path => Files.delete(path))
    finally paths.close()

  /** Returns the number of rows; the table was open and its last row was read. */
  @Benchmark def openAll(): Long =
    val trades = Rows.openAll[Trade](folder)
    try
      if trades(trades.size - 1).amount != 1 then
        throw IllegalStateException("the amount of the last row must be 1")
      trades.size
    finally trades.close()
end FolderOpen
