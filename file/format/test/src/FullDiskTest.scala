package undercroft.file.format

import undercroft.file.format.internal.metadata.AtomicFile
import java.nio.file.{Files, Path}
import undercroft.tools.{Requirement, SmallDisk}

class FullDiskTest extends undercroft.tools.Suite:

  test("creating a file beyond the process's file size limit throws and leaves no file"):
    Requirement.BASH.require()
    val path = Samples.path()
    val limited = Seq("bash", "-c", "ulimit -f 1000; exec \"$@\"", "limited")
    val child = Child.start(limited, "make", path, Durability.COMMITTED, FileLayout.ALIGNED, 0)
    val line = Child.lines(child).readLine()
    assertEquals(child.waitFor(), 0)
    assert(line.nn.startsWith(s"$path: offset 0: no space: "), line)
    assert(!Files.exists(AtomicFile.beside(path)))

  test("appending on a full disk throws, and committed rows stay readable"):
    SmallDisk("512k").use(folder => full(folder.nn.resolve("full.rows").nn))

  private def full(path: Path): Unit =
    val schema = Samples.schema(FileLayout.COLUMNS)
    val writer = StructWriter.create(path, schema, 1 << 20, Durability.COMMITTED)
    Samples.append(writer, 1000)
    val (kind, words) = Samples.failure:
      for _ <- 0 until 1000 do Samples.append(writer, 1000)
    assertEquals(kind, ErrorKind.NO_SPACE, words)
    val rows = writer.rows
    assert(rows >= 1000 && rows < 100_000, rows.toString)
    assertEquals(Samples.failure(writer.seal(rows))._1, ErrorKind.NO_SPACE)
    val reader = StructFile.open(path)
    assertEquals(reader.rows, rows)
    Samples.check(reader)
    writer.commit(rows)
    reader.close()
    writer.close()
  end full
end FullDiskTest
