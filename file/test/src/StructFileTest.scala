package undercroft.file

import java.nio.file.Files

class StructFileTest extends undercroft.house.Suite:

  for layout <- Layout.values do
    test(s"$layout: rows are there for a reader once they are committed, and after a reopening"):
      val path = Samples.path()
      val writer = StructWriter.create(path, Samples.schema(layout), 100_000, Promise.VOLATILE)
      val reader = StructFile.open(path)
      assertEquals(reader.rows, 0L)
      Samples.put(writer, 0, 1000)
      assertEquals(reader.refresh(), 0L)
      writer.commit(1000)
      assertEquals(reader.rows, 0L)
      assertEquals(reader.refresh(), 1000L)
      Samples.check(reader)
      Samples.append(writer, 20_000)
      assertEquals(reader.refresh(), 21_000L)
      Samples.check(reader)
      writer.close()

      val more = StructWriter.append(path, Samples.schema(layout), 100_000, Promise.COMMITTED)
      assertEquals(more.rows, 21_000L)
      Samples.append(more, 5)
      val other = StructFile.open(path)
      assertEquals((other.rows, other.promise), (21_005L, Promise.COMMITTED))
      Samples.check(other)
      Seq(reader, other, more).foreach(_.close())

    test(s"$layout: a sealed file has all rows, the ranges of its blocks, and nothing behind"):
      val path = Samples.sealedFile(layout, 1000, 300)
      val file = StructFile.open(path)
      assertEquals((file.rows, file.promise), (1000L, Promise.SEALED))
      Samples.check(file)
      file.verify()
      val ranges = file.ranges("square")
      assertEquals(ranges.size, 4)
      assertEquals(ranges.get(3), Range(900, 1000, 900L * 900, 999L * 999))
      assertEquals(Samples.fault(file.ranges("cube"))._1, Fault.WRONG_SCHEMA)
      assertEquals(file.refresh(), 1000L)
      file.close()
      assert(Files.size(path) < 12288 + 17 * 1000 + 512, Files.size(path).toString)
      assert(!Files.exists(path.resolveSibling("squares.rows.lock")))
      assertEquals(
        Samples.fault(StructWriter.append(path, Samples.schema(layout), 1, Promise.VOLATILE))._1,
        Fault.SEALED
      )

    test(s"$layout: a file without rows is sealed and verified, too"):
      val file = StructFile.open(Samples.sealedFile(layout, 0, 1))
      file.verify()
      assertEquals((file.rows, file.ranges("number").size), (0L, 0))
      file.close()
  end for

  test("the schema comes back as it was"):
    for layout <- Layout.values do
      val file = StructFile.open(Samples.sealedFile(layout, 3, 2))
      assertEquals(file.schema, Samples.schema(layout))
      file.close()

  test("rows that were not committed are gone, and their room is given back"):
    val path = Samples.path()
    val writer =
      StructWriter.create(path, Samples.schema(Layout.ALIGNED), 1 << 20, Promise.VOLATILE)
    Samples.append(writer, 10)
    Samples.put(writer, 10, 5000)
    assert(Files.size(path) >= (16L << 20))
    writer.close()
    assertEquals(Files.size(path), 12288L + 4096)
    val file = StructFile.open(path)
    assertEquals(file.rows, 10L)
    Samples.check(file)
    file.close()

  test("more rows than a file was made for are refused by number"):
    val writer =
      StructWriter.create(Samples.path(), Samples.schema(Layout.PACKED), 10, Promise.VOLATILE)
    Samples.append(writer, 10)
    val error = intercept[IndexOutOfBoundsException](writer.ensure(11))
    assertEquals(error.getMessage, "row 10 of a file that was made for up to 10 rows")
    assertEquals(writer.rows, 10L)
    intercept[IllegalArgumentException](writer.commit(9)): Unit
    intercept[IllegalArgumentException](writer.commit(11)): Unit
    writer.close()

  test("what is closed says so"):
    val path = Samples.path()
    val writer = StructWriter.create(path, Samples.schema(Layout.PACKED), 10, Promise.VOLATILE)
    val file = StructFile.open(path)
    writer.close()
    file.close()
    writer.close()
    file.close()
    val expected = s"$path: offset 0: closed: the file was closed"
    assertEquals(Samples.fault(writer.ensure(1)), (Fault.CLOSED, expected))
    assertEquals(Samples.fault(file.verify())._1, Fault.CLOSED)

  test("an interrupted thread commits and reads as any other"):
    val path = Samples.path()
    val writer = StructWriter.create(path, Samples.schema(Layout.ALIGNED), 100, Promise.COMMITTED)
    val reader = StructFile.open(path)
    Thread.currentThread.interrupt()
    try
      Samples.append(writer, 50)
      assertEquals(reader.refresh(), 50L)
    finally assert(Thread.interrupted())
    Seq(writer, reader).foreach(_.close())
end StructFileTest
