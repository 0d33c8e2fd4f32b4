package undercroft.file.format

import java.nio.file.{Files, Path}
import scala.util.Random

class BadInputTest extends undercroft.tools.Suite:
  import Samples.failure

  private def schema = Samples.schema(FileLayout.ALIGNED)

  private def changed(path: Path)(change: Array[Byte] => Array[Byte]): Path =
    val copy = path.resolveSibling("changed.rows").nn
    Files.write(copy, change(Files.readAllBytes(path).nn)).nn

  private def opened(path: Path): Unit =
    val file = StructFile.open(path)
    try file.verify()
    finally file.close()

  private def live(rows: Int): Path =
    val path = Samples.path()
    val writer = StructWriter.create(path, schema, 1000, Durability.COMMITTED)
    Samples.append(writer, rows)
    writer.close()
    path

  test("opening a missing file or a directory throws and names the path"):
    val path = Samples.path()
    val words = s"$path: offset 0: there is no such file: cannot open it"
    assertEquals(failure(StructFile.open(path)), (ErrorKind.NOT_FOUND, words))
    assertEquals(
      failure(StructWriter.append(path, schema, 1, Durability.VOLATILE)),
      (ErrorKind.NOT_FOUND, words)
    )
    assertEquals(failure(StructFile.open(path.getParent))._1, ErrorKind.NOT_A_STRUCT_FILE)

  test("opening any other file throws with ErrorKind.NOT_A_STRUCT_FILE"):
    val path = Samples.path()
    for bytes <-
        Seq(Array.empty[Byte], "ticket,price\n1,2\n".getBytes, Array.fill(20_000)(7.toByte))
    do
      Files.write(path, bytes)
      assertEquals(failure(StructFile.open(path))._1, ErrorKind.NOT_A_STRUCT_FILE)
      assertEquals(
        failure(StructWriter.append(path, schema, 1, Durability.VOLATILE))._1,
        ErrorKind.NOT_A_STRUCT_FILE
      )

  test("a later format version throws and names its number"):
    val path = changed(live(5)): bytes =>
      for slot <- Seq(0, 4096) do
        bytes(slot + 8) = 5
        val crc = java.util.zip.CRC32C()
        crc.update(bytes, slot, 4092)
        for i <- 0 until 4 do bytes(slot + 4092 + i) = (crc.getValue >> 8 * i).toByte
      bytes
    val words = s"$path: offset 8: a later version: version 5, and 4 is the latest known"
    assertEquals(failure(StructFile.open(path)), (ErrorKind.UNSUPPORTED_VERSION, words))

  test("appending to a truncated file throws instead of reading lost rows as zeros"):
    val path = Samples.path()
    val writer = StructWriter.create(path, schema, 100_000, Durability.VOLATILE)
    Samples.append(writer, 1000)
    val file = java.io.RandomAccessFile(path.toFile, "rw")
    file.setLength(12_288 + 4096)
    file.close()
    val (cut, words) = failure(writer.ensureCapacity(90_000))
    assertEquals(cut, ErrorKind.TRUNCATED, words)
    assertEquals(Files.size(path), 12_288L + 4096)
    writer.close()

  test("a schema with overlapping columns or a field beyond its struct names the fields"):
    def refused(fields: Field*) =
      intercept[IllegalArgumentException]:
        Schema(
          "S",
          FileLayout.COLUMNS,
          java.nio.ByteOrder.nativeOrder,
          16,
          java.util.List.of(fields*)
        )
      .getMessage
    val int = Field.Leaf("int", 0, Type.Primitive.INT)
    assertEquals(
      refused(int, Field.Leaf("long", 0, Type.Primitive.LONG)),
      "the columns of int and long overlap"
    )
    assertEquals(
      refused(Field.Leaf("long", 3, Type.Primitive.LONG), int),
      "the columns of int and long overlap"
    )
    val beyond = intercept[IllegalArgumentException]:
      Type.Struct("Point", 6, java.util.List.of(int, Field.Leaf("y", 4, Type.Primitive.INT)))
    assertEquals(beyond.getMessage, "y ends at 8 of a Point of 6 bytes")

  test("a file truncated at any length throws or still has all of its rows"):
    for path <- Seq(live(500), Samples.sealedFile(FileLayout.COLUMNS, 500, 100)) do
      val whole = Files.readAllBytes(path).nn
      val isSealed = whole(11) == 2
      val end = if isSealed then whole.length else 12288 + 500 * 16
      for cut <- (1 until 20_000 by 97) ++ Seq(8191, 8192, 12287, 12288, end - 1) if cut < end do
        val (kind, words) = failure(opened(changed(path)(_.take(cut))))
        assert(
          kind == ErrorKind.TRUNCATED || cut < 8 && kind == ErrorKind.NOT_A_STRUCT_FILE,
          s"$cut: $words"
        )
      if !isSealed then opened(changed(path)(_.take(end)))

  test("every flipped bit in a sealed file is detected"):
    val seed = Random.nextLong()
    println(s"seed $seed")
    BitFlips.run(900, seed)

  private def damaged(path: Path, slot: Int): Path = changed(path): bytes =>
    bytes(slot * 4096 + 112) = 99
    bytes

  private def rows(path: Path): Long =
    val file = StructFile.open(path)
    Samples.check(file)
    try file.rows
    finally file.close()

  test("with one corrupt header slot the file opens with the other slot's rows"):
    val path = Samples.path()
    val writer = StructWriter.create(path, schema, 1000, Durability.COMMITTED)
    Samples.append(writer, 10)
    Samples.append(writer, 10) // generation 3, in slot 1; opening wrote 1
    val ofKilled = Files.write(Samples.path(), Files.readAllBytes(path).nn).nn
    writer.close()
    assertEquals(rows(damaged(ofKilled, 1)), 10L)
    assertEquals(rows(damaged(ofKilled, 0)), 20L)
    assertEquals(rows(damaged(path, 0)), 20L)
    assertEquals(rows(damaged(path, 1)), 20L)
    val corrupt = damaged(damaged(path, 0), 1) // both in the same copy
    assertEquals(failure(StructFile.open(corrupt))._1, ErrorKind.CORRUPT)

  test("a second writer is rejected, also after a reader of the same file closes"):
    val path = live(5)
    val writer = StructWriter.append(path, schema, 100, Durability.VOLATILE)
    for _ <- 0 until 3 do
      StructFile.open(path).close()
      assertEquals(
        failure(StructWriter.append(path, schema, 100, Durability.VOLATILE)),
        (ErrorKind.IN_USE, s"$path: offset 0: in use: a writer of this process has it")
      )
    Samples.append(writer, 1)
    writer.close()
    StructWriter.append(path, schema, 100, Durability.VOLATILE).close()

  test("a forged schema length throws with ErrorKind.CORRUPT for every length"):
    for length <- Seq(5000L, Int.MaxValue.toLong, Long.MaxValue, -1L, 0L) do
      val path = changed(live(5)): bytes =>
        for slot <- Seq(0, 4096) do
          for i <- 0 until 8 do bytes(slot + 48 + i) = (length >> 8 * i).toByte
          val crc = java.util.zip.CRC32C()
          crc.update(bytes, slot, 4092)
          for i <- 0 until 4 do bytes(slot + 4092 + i) = (crc.getValue >> 8 * i).toByte
        bytes
      assertEquals(failure(StructFile.open(path))._1, ErrorKind.CORRUPT)

  test("StructWriter.create does not overwrite an existing file"):
    val path = live(5)
    assertEquals(
      failure(StructWriter.create(path, schema, 1, Durability.VOLATILE))._1,
      ErrorKind.EXISTS
    )
    opened(path)

  test("truncating a file under its reader and writer throws with ErrorKind.TRUNCATED"):
    val path = live(500)
    val writer = StructWriter.append(path, schema, 1000, Durability.COMMITTED)
    val file = StructFile.open(path)
    file.check()
    val channel =
      java.nio.channels.FileChannel.open(path, java.nio.file.StandardOpenOption.WRITE).nn
    try channel.truncate(12288 + 4096): Unit
    finally channel.close()
    assertEquals(failure(file.check())._1, ErrorKind.TRUNCATED)
    assertEquals(failure(file.verify())._1, ErrorKind.TRUNCATED)
    assertEquals(failure(writer.commit(500))._1, ErrorKind.TRUNCATED)
    writer.close()
    file.close()
end BadInputTest
