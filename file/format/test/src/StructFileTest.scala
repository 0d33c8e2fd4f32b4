package undercroft.file.format

import undercroft.file.format.internal.metadata.{AtomicFile, FileMetadata, Header}
import undercroft.file.format.internal.storage.{FileStorage, LocalFileStorage, WriterLock}
import java.lang.foreign.MemorySegment
import java.nio.file.{Files, Path, StandardCopyOption}

class StructFileTest extends undercroft.tools.Suite:

  for layout <- FileLayout.values do
    test(s"$layout: readers see rows after a commit and a refresh, and after reopening"):
      val path = Samples.path()
      val writer = StructWriter.create(path, Samples.schema(layout), 100_000, Durability.VOLATILE)
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

      val appender =
        StructWriter.append(path, Samples.schema(layout), 100_000, Durability.COMMITTED)
      assertEquals(appender.rows, 21_000L)
      Samples.append(appender, 5)
      val secondReader = StructFile.open(path)
      assertEquals((secondReader.rows, secondReader.durability), (21_005L, Durability.COMMITTED))
      Samples.check(secondReader)
      Seq(reader, secondReader, appender).foreach(_.close())

    test(s"$layout: a sealed file has all rows, block statistics and no spare space"):
      val path = Samples.sealedFile(layout, 1000, 300)
      val file = StructFile.open(path)
      assertEquals((file.rows, file.durability), (1000L, Durability.SEALED))
      Samples.check(file)
      file.verify()
      val ranges = file.statistics("square")
      assertEquals(ranges.size, 4)
      assertEquals(ranges.get(3), BlockStatistics(900, 1000, 900L * 900, 999L * 999))
      assertEquals(Samples.failure(file.statistics("cube"))._1, ErrorKind.WRONG_SCHEMA)
      assertEquals(file.refresh(), 1000L)
      file.close()
      assert(Files.size(path) < 12288 + 17 * 1000 + 512, Files.size(path).toString)
      assert(!Files.exists(path.resolveSibling("squares.rows.lock")))
      assertEquals(
        Samples.failure(StructWriter.append(
          path,
          Samples.schema(layout),
          1,
          Durability.VOLATILE
        ))._1,
        ErrorKind.SEALED
      )

    test(s"$layout: a file without rows can be sealed and verified"):
      val file = StructFile.open(Samples.sealedFile(layout, 0, 1))
      file.verify()
      assertEquals((file.rows, file.statistics("number").size), (0L, 0))
      file.close()
  end for

  test("reading a file returns the schema that was written"):
    for layout <- FileLayout.values do
      val file = StructFile.open(Samples.sealedFile(layout, 3, 2))
      assertEquals(file.schema, Samples.schema(layout))
      file.close()

  test("closing a writer discards uncommitted rows and frees their space"):
    val path = Samples.path()
    val writer =
      StructWriter.create(path, Samples.schema(FileLayout.ALIGNED), 1 << 20, Durability.VOLATILE)
    Samples.append(writer, 10)
    Samples.put(writer, 10, 5000)
    assert(Files.size(path) >= 12288L + 16 * 5010)
    writer.close()
    assertEquals(Files.size(path), 12288L + 4096)
    val file = StructFile.open(path)
    assertEquals(file.rows, 10L)
    Samples.check(file)
    file.close()

  test("more rows than a file's capacity throw IndexOutOfBoundsException"):
    val writer =
      StructWriter.create(
        Samples.path(),
        Samples.schema(FileLayout.PACKED),
        10,
        Durability.VOLATILE
      )
    Samples.append(writer, 10)
    val error = intercept[IndexOutOfBoundsException](writer.ensureCapacity(11))
    assertEquals(error.getMessage, "row 10 does not fit in a file of at most 10 rows")
    assertEquals(writer.rows, 10L)
    intercept[IllegalArgumentException](writer.commit(9)): Unit
    intercept[IllegalArgumentException](writer.commit(11)): Unit
    writer.close()

  test("a closed file and a closed writer throw with ErrorKind.CLOSED"):
    val path = Samples.path()
    val writer =
      StructWriter.create(path, Samples.schema(FileLayout.PACKED), 10, Durability.VOLATILE)
    val file = StructFile.open(path)
    writer.close()
    file.close()
    writer.close()
    file.close()
    val expected = s"$path: offset 0: closed: the file was closed"
    assertEquals(Samples.failure(writer.ensureCapacity(1)), (ErrorKind.CLOSED, expected))
    assertEquals(Samples.failure(file.verify())._1, ErrorKind.CLOSED)

  test("an interrupted thread can commit, refresh and seal"):
    val path = Samples.path()
    val writer =
      StructWriter.create(path, Samples.schema(FileLayout.ALIGNED), 100, Durability.COMMITTED)
    val reader = StructFile.open(path)
    Thread.currentThread.interrupt()
    try
      Samples.append(writer, 50)
      assertEquals(reader.refresh(), 50L)
      writer.seal(50)
    finally assert(Thread.interrupted())
    Seq(writer, reader).foreach(_.close())
    val whole = StructFile.open(path)
    whole.verify()
    assertEquals((whole.rows, whole.durability), (50L, Durability.SEALED))
    whole.close()

  test("a failed create in an interrupted thread leaves no file"):
    val path = Samples.path()
    def create() =
      StructWriter.create(path, Samples.schema(FileLayout.PACKED), 9, Durability.VOLATILE)
    Thread.currentThread.interrupt()
    try Samples.failure(create()): Unit
    finally assert(Thread.interrupted())
    assert(!Files.exists(path))
    create().close()

  test("closing a writer truncates only its own file, even after that was moved"):
    val path = Samples.path()
    val moved = path.resolveSibling("moved.rows").nn
    val writer =
      StructWriter.create(path, Samples.schema(FileLayout.ALIGNED), 1000, Durability.VOLATILE)
    Samples.append(writer, 10)
    Files.move(path, moved)
    Files.write(path, new Array[Byte](100_000))
    writer.close()
    assertEquals(Files.size(path), 100_000L)
    assertEquals(Files.size(moved), 12288L + 4096)

  test("discarding a writer deletes its own file, and not one that has replaced it"):
    val path = Samples.path()
    def create() =
      StructWriter.create(path, Samples.schema(FileLayout.ALIGNED), 1000, Durability.VOLATILE)
    create().discard()
    assert(!Files.exists(path))
    val writer = create()
    val other = path.resolveSibling("other.rows").nn
    Files.write(other, new Array[Byte](100_000))
    Files.move(other, path, StandardCopyOption.REPLACE_EXISTING)
    writer.discard()
    assert(Files.exists(path), "the other file was deleted")
    assertEquals(Files.size(path), 100_000L)
    assert(!Files.exists(path.resolveSibling("squares.rows.lock")))

  /** A file that another program truncates before the first header is stored. */
  private final class Truncated(path: Path) extends FileStorage:
    private val file = LocalFileStorage.open(path, true)
    private var isCut = false
    def read(into: Array[Byte], count: Int, at: Long): Int = file.read(into, count, at)
    def size: Long = if isCut then 0 else file.size
    def fill(at: Long, count: Long): Unit = file.fill(at, count)
    def map(bytes: Long): MemorySegment = file.map(bytes).nn
    def putSlot(slot: Array[Byte], at: Long): Unit =
      isCut = true
      throw InternalError("a fault occurred in an unsafe memory access operation")
    def force(at: Long, count: Long): Unit = file.force(at, count)
    def closeAt(bytes: Long): Unit = file.closeAt(bytes)
    def close(): Unit = file.close()
  end Truncated

  test("a file that is truncated while a writer opens it throws with ErrorKind.TRUNCATED"):
    val path = Samples.path()
    StructWriter.create(path, Samples.schema(FileLayout.ALIGNED), 10, Durability.VOLATILE).close()
    val lock = WriterLock.take(path)
    val (kind, _) = Samples.failure:
      try StructWriter.open(path, lock, Truncated(path), 10, Durability.VOLATILE)
      catch case error: InternalError => fail(s"an untranslated $error")
    assertEquals(kind, ErrorKind.TRUNCATED)
    lock.close()

  test("creating a file of an impossible size throws and leaves no file"):
    val path = Samples.path()
    val schema = Samples.schema(FileLayout.ALIGNED)
    val error = intercept[IllegalArgumentException]:
      StructWriter.create(path, schema, Long.MaxValue, Durability.VOLATILE)
    assertEquals(error.getMessage, s"a file cannot hold ${Long.MaxValue} rows of 16 bytes")
    Samples.failure(StructWriter.create(path, schema, 1L << 56, Durability.VOLATILE)): Unit
    assert(!Files.exists(path) && !Files.exists(AtomicFile.beside(path)))
    StructWriter.create(path, schema, 10, Durability.VOLATILE).close()

  test("readers open a file while writers open it and close it"):
    val path = Samples.path()
    val schema = Samples.schema(FileLayout.ALIGNED)
    val first = StructWriter.create(path, schema, 1 << 20, Durability.VOLATILE)
    Samples.append(first, 10)
    first.close()
    val rounds = 300
    val writing = Thread.ofPlatform.start: () =>
      for _ <- 1 to rounds do
        StructWriter.append(path, schema, 1 << 20, Durability.VOLATILE).close()
    for _ <- 1 to rounds do
      val file = StructFile.open(path)
      assertEquals(file.rows, 10L)
      file.close()
    writing.join()

  /** A storage on which a writer commits between two reads: the bytes that each successive read
    * returns.
    */
  private final class Looked(looks: Vector[Array[Byte]]) extends FileStorage:
    private var next = 0
    def read(into: Array[Byte], count: Int, at: Long): Int =
      System.arraycopy(looks(next.min(looks.size - 1)), 0, into, 0, count)
      next += 1
      count
    def size: Long = unwanted("the size")
    def fill(at: Long, count: Long): Unit = unwanted("room")
    def map(bytes: Long): MemorySegment = unwanted("memory")
    def putSlot(slot: Array[Byte], at: Long): Unit = unwanted("a slot")
    def force(at: Long, count: Long): Unit = unwanted("a force")
    def closeAt(bytes: Long): Unit = unwanted("an end")
    def close(): Unit = ()
    private def unwanted(what: String): Nothing = fail(s"nobody wants $what")

  test("a stale header is not used if the other header slot was read during its write"):
    val schema = Samples.schema(FileLayout.ALIGNED)
    val first = AtomicFile.header(schema, 1000, Durability.VOLATILE, 0)
    val headers =
      Vector.iterate(first, 5)(h => h.committed(h.rows + 10, 1000, Durability.VOLATILE, 0))
    def slots(even: Header, odd: Header, isTorn: Boolean) =
      val bytes = Array(even, odd).flatMap(_.bytes().array.nn)
      if isTorn then bytes(Header.SLOT + 112) = 1
      bytes
    val stale = slots(headers(2), headers(3), isTorn = true)
    val whole = slots(headers(4), headers(3), isTorn = false)
    val torn = slots(headers(4), headers(3), isTorn = true)
    val path = Samples.path()
    for later <- Seq(whole, torn) do
      assertEquals(FileMetadata.header(path, Looked(Vector(stale, later))).rows, 40L)
end StructFileTest
