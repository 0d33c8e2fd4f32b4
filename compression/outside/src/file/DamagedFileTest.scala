package outside.compression.file

import java.nio.file.{Files, Path, StandardCopyOption}
import java.nio.file.StandardOpenOption.WRITE
import java.nio.channels.FileChannel
import scala.jdk.CollectionConverters.*
import scala.util.Random
import com.github.luben.zstd.Zstd
import undercroft.file.*
import undercroft.file.format.{ErrorKind, StructFile, StructFileException}
import undercroft.struct.*
import undercroft.tools.SmallDisk
import Visits.{failure, forged, inFolder, sealedFile}

/** Files that are damaged, forged, replaced or truncated, and disks that are full. */
class DamagedFileTest extends undercroft.tools.Suite:
  private val seed = System.nanoTime
  private val visits = Visits.random(seed, 20_000)

  private def packed(folder: Path): Path =
    val target = folder.resolve("packed")
    compressFile(sealedFile(Columns, folder.resolve("day"), visits), target)
    target

  /** The places of a block's pieces in its record, by their columns. */
  private lazy val pieces: Map[String, Int] = inFolder: folder =>
    val file = StructFile.open(sealedFile(Columns, folder.resolve("day"), visits.take(1)))
    try file.schema.leaves.asScala.sortBy(_.offset).map(_.dotted).zipWithIndex.toMap
    finally file.close()

  /** Bytes of a block's record: its pieces' entries and checksums, and the ranges of 8 fields. */
  private def recordBytes: Int =
    pieces.size * 16 + (4 * pieces.size + 7) / 8 * 8 + 16 * 8

  /** A stored piece of the first block: its entry in the table, its position and its bytes. */
  private def piece(bytes: java.nio.ByteBuffer, column: String): (Int, Int, Int) =
    val entry = bytes.getLong(80).toInt + 16 + 16 * pieces(column)
    (entry, bytes.getLong(entry).toInt, bytes.getInt(entry + 8))

  test("flipped bits and cuts are errors or change nothing that is read"):
    inFolder: folder =>
      clue(seed)
      val random = Random(seed)
      val bytes = Files.readAllBytes(packed(folder))
      val damaged = folder.resolve("damaged")
      var errors = 0
      for round <- 1 to 300 do
        val content =
          if round % 5 == 0 then bytes.take(random.nextInt(bytes.length)) else bytes.clone()
        if round % 5 != 0 then
          val at = round % 3 match
            case 0 => random.nextInt(9000)
            case 1 => bytes.length - 1 - random.nextInt(1000)
            case _ => random.nextInt(bytes.length)
          content(at) = (content(at) ^ 1 << random.nextInt(8)).toByte
        Files.write(damaged, content)
        try
          val table = Columns.openReadOnly[Visit](damaged)
          try for i <- 0 until 20_000 by 997 do assertEquals(table(i), visits(i))
          finally table.close()
          val scanned = Columns.openCompressed[Price](damaged)
          try assertEquals(scanned.foldBlocks(0L)((sum, block) => sum + block.size), 20_000L)
          finally scanned.close()
        catch case _: StructFileException => errors += 1
      assert(errors > 250, s"$errors errors")

  test("a projection reads only the blocks of its columns"):
    inFolder: folder =>
      val file = packed(folder)
      val last = forged(file, folder.resolve("last")): bytes =>
        val (_, at, count) = piece(bytes, "noise")
        for i <- 0 until count do bytes.put(at + i, 0: Byte): Unit
      val table = Columns.openReadOnly[Price](last)
      assertEquals(table.sumOf(_.id), visits.map(_.id).sum)
      table.close()
      val (kind, words) = failure(Columns.openReadOnly[Visit](last))
      assertEquals(kind, ErrorKind.CORRUPT)
      assert(
        words.contains("the checksum of the stored bytes of block 0 of the column noise is "),
        words
      )
      val blocks = Columns.openCompressed[Visit](last)
      assertEquals(failure(blocks.foreachBlock(_ => ()))._2, words)
      assertEquals(failure(blocks.verify())._2, words)
      blocks.close()
      val target = folder.resolve("target")
      assertEquals(failure(decompressFile(last, target))._2, words)
      assert(!Files.exists(target))

  test("forged frames that decompress to fewer or more bytes are errors"):
    inFolder: folder =>
      val file = packed(folder)
      val copy = folder.resolve("copy")
      val bomb = Zstd.compress(new Array[Byte](1 << 28))
      val none = Zstd.compress(Array[Byte](1, 2, 3))
      for (frame, reason) <-
          Seq(bomb -> "Destination buffer is too small", none -> "it has 3 bytes")
      do
        forged(file, copy): bytes =>
          val (entry, at, count) = piece(bytes, "weight")
          assert(frame.length <= count)
          // Zstandard skips a frame of user data behind the forged one.
          bytes.put(at, frame)
          val rest = count - frame.length
          bytes.putInt(at + frame.length, 0x184d2a50).putInt(at + frame.length + 4, rest - 8)
          bytes.putInt(entry + 12, Visits.checksum(bytes, at, count)): Unit
        val (kind, words) = failure(Columns.openReadOnly[Visit](copy))
        assertEquals(kind, ErrorKind.CORRUPT)
        assert(words.contains("block 0 of the column weight is not "), words)
        assert(words.contains(reason), words)
      end for

  test("other bytes with the checksum of their stored form are an error"):
    inFolder: folder =>
      val file = packed(folder)
      val copy = forged(file, folder.resolve("copy")): bytes =>
        val (entry, at, count) = piece(bytes, "noise")
        bytes.put(at + count / 2, (bytes.get(at + count / 2) ^ 1).toByte): Unit
        bytes.putInt(entry + 12, Visits.checksum(bytes, at, count)): Unit
      val (kind, words) = failure(Columns.openReadOnly[Visit](copy))
      assertEquals(kind, ErrorKind.CORRUPT)
      assert(words.contains("block 0 of the column noise"), words)

  test("forged numbers of the header and the table are errors"):
    inFolder: folder =>
      val file = packed(folder)
      val copy = folder.resolve("copy")
      def check(words: String)(change: java.nio.ByteBuffer => Unit): Unit =
        forged(file, copy)(change)
        for body <- Seq(
            () => Columns.openReadOnly[Visit](copy),
            () => Columns.openCompressed[Price](copy),
            () => decompressFile(copy, folder.resolve("target"))
          )
        do
          val (kind, message) = failure(body())
          assertEquals(kind, ErrorKind.CORRUPT, message)
          assert(message.contains(words), message)
      check("its numbers are inconsistent")(bytes => bytes.put(11, 1: Byte): Unit)
      check("its numbers are inconsistent")(bytes => bytes.putLong(112, Long.MaxValue): Unit)
      check("a block must have at most 67108864 bytes")(_.putLong(72, Int.MaxValue): Unit)
      check("the block table must have 16 bytes and ")(_.putLong(72, 1): Unit)
      check("the block table must have 16 bytes and "): bytes =>
        bytes.putLong(24, 1L << 40).putLong(112, 1L << 40): Unit
      for position <- Seq(1L, -1L, 1L << 62, Long.MinValue) do
        check(s"piece ${pieces("name")} of block 0 must be at "): bytes =>
          val (entry, at, _) = piece(bytes, "name")
          bytes.putLong(entry, at + position): Unit
      for count <- Seq(0, -1, 1 << 25, Int.MinValue) do
        check(s"piece ${pieces("name")} of block 0 must be at "): bytes =>
          val (entry, _, _) = piece(bytes, "name")
          bytes.putInt(entry + 8, count): Unit
      check("the block table must be at "): bytes =>
        assertEquals((bytes.getLong(88) - 16) % recordBytes, 0L)
        val blocks = ((bytes.getLong(88) - 16) / recordBytes).toInt
        val entry =
          bytes.getLong(80).toInt + 16 + (blocks - 1) * recordBytes + 16 * (pieces.size - 1)
        bytes.putInt(entry + 8, bytes.getInt(entry + 8) - 64): Unit

  test("a codec that is not on the class path is an error that names the module"):
    inFolder: folder =>
      val file = packed(folder)
      val copy = forged(file, folder.resolve("copy")): bytes =>
        bytes.put(bytes.getLong(80).toInt, "brotli".getBytes): Unit
      val (kind, words) = failure(Columns.openReadOnly[Visit](copy))
      assertEquals(kind, ErrorKind.NO_CODEC)
      assert(words.contains("no codec: the codec brotli is not on the class path: it has "), words)
      assert(words.contains("zstd") && words.contains("deflate"), words)
      assert(words.endsWith("; undercroft-compression provides zstd"), words)
      val target = folder.resolve("target")
      assertEquals(
        failure(compressFile(folder.resolve("day"), target, "lz4"))._1,
        ErrorKind.NO_CODEC
      )
      for level <- Seq(-1, 0, 23) do
        val error = intercept[IllegalArgumentException]:
          compressFile(folder.resolve("day"), target, level = level)
        assertEquals(error.getMessage, s"level of zstd must be from 1 to 22, but is $level")
      compressFile(folder.resolve("day"), target, level = 22)
      assert(Files.size(target) <= Files.size(file))

  test("a source that is missing, open or damaged, and a target that exists, are errors"):
    inFolder: folder =>
      val (day, target) = (folder.resolve("day"), folder.resolve("target"))
      assertEquals(failure(compressFile(day, target))._1, ErrorKind.NOT_FOUND)
      val open = Columns.create[Visit](day, maxRows = 10)
      open += visits(0)
      open.commit()
      assertEquals(
        failure(compressFile(day, target)),
        (
          ErrorKind.NOT_SEALED,
          s"$day: offset 11: not sealed: only a sealed file can be compressed: seal it first"
        )
      )
      open.seal()
      assertEquals(failure(compressFile(day, day))._1, ErrorKind.EXISTS)
      assertEquals(failure(compressFile(day, folder.resolve("no/target")))._1, ErrorKind.NOT_FOUND)
      val bytes = Files.readAllBytes(day)
      bytes(12_288) = (bytes(12_288) ^ 1).toByte
      Files.write(day, bytes)
      val (kind, words) = failure(compressFile(day, target))
      assertEquals(kind, ErrorKind.CORRUPT)
      assert(words.contains("the checksum of block 0 is "), words)
      assertEquals(Visits.names(folder), Set("day"))

  test("a file that is truncated, overwritten or replaced during a scan is an error or unchanged"):
    inFolder: folder =>
      val file = packed(folder)
      val copy = folder.resolve("copy")
      def scan(change: => Unit): Long =
        Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING): Unit
        val table = Columns.openCompressed[Price](copy)
        var isFirst = true
        try
          table.foldBlocks(0L): (sum, block) =>
            if isFirst then change
            isFirst = false
            sum + block.sumOf(_.id)
        finally table.close()
      def overwrite(body: FileChannel => Unit): Unit =
        val channel = FileChannel.open(copy, WRITE)
        try body(channel)
        finally channel.close()
      assertEquals(scan(()), visits.map(_.id).sum)
      val (cut, words) = failure(scan(overwrite(_.truncate(10_000): Unit)))
      assertEquals(cut, ErrorKind.TRUNCATED, words)
      val zeros = java.nio.ByteBuffer.allocate(Files.size(file).toInt)
      assertEquals(failure(scan(overwrite(_.write(zeros.rewind, 0): Unit)))._1, ErrorKind.CORRUPT)
      assertEquals(
        scan:
          val other = Files.write(folder.resolve("other"), Array[Byte](1, 2, 3))
          Files.move(other, copy, StandardCopyOption.REPLACE_EXISTING): Unit
        ,
        visits.map(_.id).sum
      )

  test("a table that another thread closes during a scan throws, and the scan's block stays valid"):
    inFolder: folder =>
      val table = Columns.openCompressed[Price](packed(folder))
      val (kind, _) = failure:
        table.foreachBlock: block =>
          Thread.ofPlatform.start(() => table.close()).join()
          assert(block.sumOf(_.price) > 0)
      assertEquals(kind, ErrorKind.CLOSED)

  test("a full disk is an error that leaves neither the target nor a part of it"):
    inFolder: folder =>
      val file = packed(folder)
      SmallDisk("128k").use: disk =>
        for body <- Seq(
            () => compressFile(folder.resolve("day"), disk.resolve("target")),
            () => decompressFile(file, disk.resolve("target"))
          )
        do
          val (kind, words) = failure(body())
          assertEquals(kind, ErrorKind.NO_SPACE, words)
          assertEquals(Visits.names(disk), Set.empty[String])
end DamagedFileTest
