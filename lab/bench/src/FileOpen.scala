package undercroft.lab.bench

// How much does it cost to open a struct file and read its last row, from 1 MiB to 16 GiB?

import java.nio.file.Path
import org.openjdk.jmh.annotations.*
import undercroft.file.format.StructFile
import undercroft.struct.*
import undercroft.file.*

/** A file of `mebibytes` MiB of rows, which are zeros that occupy no disk space. */
@State(Scope.Thread)
class FileOpen extends Measured:
  @Param(Array("1", "64", "1024", "16384")) var mebibytes = 1L

  private var path = Path.of("").nn

  @Setup def make(): Unit =
    path = LabFiles.path("open.rows")
    val table = Rows.create[Trade](path, maxRows = 1)
    table.close()
    val file = StructFile.open(path)
    val schema = file.schema
    file.close()
    SparseFile.make(path, schema, (mebibytes << 20) / Struct[Trade].size)

  @TearDown def delete(): Unit = LabFiles.delete(path)

  /** Returns the number of rows, plus a ticket that is zero. */
  @Benchmark def open(): Long =
    val rows = Rows.openReadOnly[Trade](path)
    try rows.size + rows(rows.size - 1).ticket
    finally rows.close()
end FileOpen
