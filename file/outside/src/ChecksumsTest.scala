package outside.file

import java.nio.file.{Files, Path}
import undercroft.file.format.{Checksums, ErrorKind, StructFile}
import undercroft.struct.*
import undercroft.file.*

/** Flipped bits in a sealed file. */
class ChecksumsTest extends undercroft.tools.Suite:
  import Trades.*

  private def flipped(folder: Path): Path =
    val path = sealedFile(Columns, folder.resolve("day.cols"), 200_000)
    flip(path, 12288 + 150_000 * 8 + 3)
    path

  test("Checksums.AT_OPEN and verify detect a flipped bit"):
    inFolder: folder =>
      val path = flipped(folder)
      val (corrupt, words) = failure(Columns.openReadOnly[Trade](path, Checksums.AT_OPEN))
      assertEquals(corrupt, ErrorKind.CORRUPT)
      assert(words.contains("the checksum of block"), words)
      val plain = Columns.openReadOnly[Trade](path)
      assertEquals(failure(plain.verify())._1, ErrorKind.CORRUPT)
      plain.close()

  test("converting rows for another class detects a flipped bit"):
    inFolder: folder =>
      val path = flipped(folder)
      assertEquals(failure(Columns.openReadOnly[WideTrade](path))._1, ErrorKind.CORRUPT)
      val wide = Columns.openReadOnly[WideTrade](path, Checksums.NEVER)
      assertEquals(wide.size, 200_000L)
      wide.close()

  test("compare reads only the requested blocks and columns, each once"):
    inFolder: folder =>
      val path = flipped(folder)
      val file = StructFile.open(path)
      val block = file.rowsPerBlock
      assert(block > 1 && block * 2 < 150_000)
      file.compare(0, block, null)
      file.compare(0, 200_000, Array(8)) // offset of `amount`
      assertEquals(failure(file.compare(150_000, 150_001, Array(0)))._1, ErrorKind.CORRUPT)
      assertEquals(failure(file.compare(0, 200_000, null))._1, ErrorKind.CORRUPT)
      flip(path, 12288 + 5 * 8)
      file.compare(0, block, null) // compared before
      file.close()
      val unchecked = StructFile.open(path, Checksums.NEVER)
      unchecked.compare(0, 200_000, null)
      unchecked.close()

  test(
    "comparing blocks of a truncated sealed file throws with ErrorKind.TRUNCATED"
  ):
    inFolder: folder =>
      val path = sealedFile(Rows, folder.resolve("day.rows"), 200_000)
      val file = StructFile.open(path)
      val cut = java.io.RandomAccessFile(path.toFile, "rw")
      try cut.setLength(20_000)
      finally cut.close()
      assertEquals(failure(file.compare(0, 200_000, null))._1, ErrorKind.TRUNCATED)
      file.close()
end ChecksumsTest
