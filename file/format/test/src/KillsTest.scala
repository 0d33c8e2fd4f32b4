package undercroft.file.format

import scala.util.Random

class KillsTest extends undercroft.tools.Suite:

  test("killing an appending process loses no committed row and tears none".tag(LongTest)):
    val seed = Random.nextLong()
    println(s"seed $seed")
    assert(Kills.run(6, seed) > 0)

  test("another process can open a writer only after the first one closes its own"):
    val path = Samples.path()
    val schema = Samples.schema(FileLayout.ALIGNED)
    val writer = StructWriter.create(path, schema, 100, Durability.VOLATILE)
    StructFile.open(path).close() // releases POSIX locks on this file only
    assertEquals(said(path), "IN_USE")
    writer.close()
    assertEquals(said(path), "opened")

  private def said(path: java.nio.file.Path): String =
    val child = Child.start("open", path, Durability.VOLATILE, FileLayout.ALIGNED, 0)
    try Child.lines(child).readLine().nn
    finally child.waitFor(): Unit

  test("readers see whole and ever more rows while another process appends"):
    val path = Samples.path()
    val child = Child.start("append", path, Durability.VOLATILE, FileLayout.COLUMNS, 1)
    try
      val out = Child.lines(child)
      val _ = out.readLine()
      val readers = Vector.fill(3)(StructFile.open(path))
      var committedRows = 0L
      for _ <- 0 until 200 do
        val line = out.readLine()
        if line != null then committedRows = line.nn.toLong
        for reader <- readers do
          val before = reader.rows
          assert(reader.refresh() >= Math.max(before, committedRows))
      readers.foreach(Samples.check)
      assert(readers.forall(_.rows > 1))
      readers.foreach(_.close())
    finally
      child.destroyForcibly(): Unit
      child.waitFor(): Unit
end KillsTest
