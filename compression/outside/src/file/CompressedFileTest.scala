package outside.compression.file

import java.nio.file.Files
import undercroft.file.*
import undercroft.file.format.{Checksums, ErrorKind, StructFile}
import undercroft.memory.{Region, StaleReferenceException}
import undercroft.struct.*
import Visits.{failure, inFolder, sealedFile}

/** Classes of other programs. */
object Changed:
  case class Wide(
      price: Long,
      id: Long,
      weight: Option[Double],
      name: Text[24],
      discount: Int = 7
  ) derives Struct, CanEqual
  case class Narrow(id: Int) derives Struct
  case class Other(id: Long, cost: Int) derives Struct
end Changed

/** A class with all cases, and one with some of them. */
object AllPhases:
  enum Phase derives Struct, CanEqual:
    case Draft, Active, Done
  case class Step(phase: Phase) derives Struct
object SomePhases:
  enum Phase derives Struct, CanEqual:
    case Active, Done
  case class Step(phase: Phase) derives Struct

class CompressedFileTest extends undercroft.tools.Suite:
  private val seed = System.nanoTime

  private def layouts: Seq[(String, TableFactory[? <: Layout])] =
    Seq("rows" -> Rows, "packed rows" -> PackedRows, "columns" -> Columns)

  for (name, tables) <- layouts; count <- Seq(0, 1, 64, 40_001) do
    test(s"a compressed file of $count $name has the rows of the sealed one"):
      inFolder: folder =>
        clue(seed)
        val visits = Visits.random(seed, count)
        val day = sealedFile(tables, folder.resolve("day"), visits)
        val packed = folder.resolve("packed")
        compressFile(day, packed)
        if count > 1000 then assert(Files.size(packed) < Files.size(day) * 3 / 4)
        val table = tables.openReadOnly[Visit](packed)
        assertEquals(table.size, count.toLong)
        for i <- visits.indices do assertEquals(table(i), visits(i))
        table.verify()
        table.close()
        val blocks = tables.openCompressed[Visit](packed)
        assertEquals(blocks.size, count.toLong)
        val read = blocks.foldBlocks(Vector[Visit]())((sum, block) => sum ++ block.toVector)
        assertEquals(read, visits)
        assert(count < 1000 || blocks.blockCount > 2, blocks.blockCount.toString)
        blocks.verify()
        blocks.close()
        decompressFile(packed, folder.resolve("copy"))
        assertEquals(Files.mismatch(day, folder.resolve("copy")), -1L)
        assertEquals(Visits.names(folder), Set("day", "packed", "copy"))
  end for

  test("operations of a view run over a compressed file, whole and by blocks"):
    inFolder: folder =>
      val visits = Visits.random(seed, 40_000)
      val packed = folder.resolve("packed")
      compressFile(sealedFile(Columns, folder.resolve("day"), visits), packed, level = 1)
      val whole = Columns.openReadOnly[Price](packed)
      assertEquals(whole.sumOf(_.price), visits.map(_.price.toLong).sum)
      assertEquals(whole.count(_.price > 50), visits.count(_.price > 50).toLong)
      Region.scoped:
        assertEquals(whole.sortBy(_.price)(0).price, visits.map(_.price).min)
      whole.close()
      val blocks = Columns.openCompressed[Price](packed)
      val expensive =
        blocks.foldBlocks(0L)((sum, block) => sum + block.filter(_.price > 50).sumOf(_.id))
      assertEquals(expensive, visits.filter(_.price > 50).map(_.id).sum)
      var rows = 0L
      blocks.foreachBlock(block => rows += block.size)
      assertEquals(rows, 40_000L)
      blocks.close()

  test("a class with reordered, wider, optional and new fields reads a compressed file"):
    inFolder: folder =>
      val visits = Visits.random(seed, 20_000)
      val packed = folder.resolve("packed")
      for (_, tables) <- layouts do
        val day = sealedFile(tables, folder.resolve("day"), visits)
        compressFile(day, packed)
        val expected = visits.map: visit =>
          Changed.Wide(visit.price, visit.id, Some(visit.weight), Text(visit.name.toString), 7)
        // The file lacks `discount` and the class lacks other fields, so one might be renamed.
        val (kind, words) = failure(tables.openReadOnly[Changed.Wide](packed))
        assertEquals(kind, ErrorKind.WRONG_SCHEMA)
        assert(words.contains("discount"), words)
        assertEquals(failure(tables.openCompressed[Changed.Wide](packed))._1, kind)
        Files.delete(packed)
        val part = folder.resolve("part")
        val table = tables.create[Part](part, maxRows = 20_000)
        table.appendAll(visits.map(visit => Part(visit.id, visit.price, visit.weight, visit.name)))
        table.seal()
        compressFile(part, packed)
        val wide = tables.openReadOnly[Changed.Wide](packed)
        assertEquals(wide.toVector, expected)
        wide.close()
        val blocks = tables.openCompressed[Changed.Wide](packed)
        assertEquals(
          blocks.foldBlocks(Vector[Changed.Wide]())((sum, block) => sum ++ block.toVector),
          expected
        )
        blocks.close()
        for path <- Seq(day, packed, part) do Files.delete(path)
      end for

  test("a class with a narrower or an unknown field is an error that names the field"):
    inFolder: folder =>
      val day = sealedFile(Columns, folder.resolve("day"), Visits.random(seed, 10))
      val packed = folder.resolve("packed")
      compressFile(day, packed)
      val (narrow, words) = failure(Columns.openReadOnly[Changed.Narrow](packed))
      assertEquals(narrow, ErrorKind.WRONG_SCHEMA)
      assert(words.contains("id"), words)
      val (other, cost) = failure(Columns.openCompressed[Changed.Other](packed))
      assertEquals(other, ErrorKind.WRONG_SCHEMA)
      assert(cost.contains("cost"), cost)
      val (layout, rows) = failure(Rows.openReadOnly[Visit](packed))
      assertEquals(layout, ErrorKind.WRONG_SCHEMA)
      assert(rows.contains("COLUMNS"), rows)

  test("a case that the class lacks is an error with its row in the file, also by blocks"):
    inFolder: folder =>
      val (day, packed) = (folder.resolve("day"), folder.resolve("packed"))
      val steps = Columns.create[AllPhases.Step](day, maxRows = 70_000)
      for _ <- 1 until 70_000 do steps += AllPhases.Step(AllPhases.Phase.Active)
      steps += AllPhases.Step(AllPhases.Phase.Draft)
      steps.seal()
      compressFile(day, packed)
      val blocks = Columns.openCompressed[SomePhases.Step](packed)
      assert(blocks.blockCount > 1, blocks.blockCount.toString)
      for (_, words) <- Seq(
          failure(Columns.openReadOnly[SomePhases.Step](packed)),
          failure(blocks.foreachBlock(_ => ()))
        )
      do assert(words.contains("row 69999: field phase "), words)
      blocks.close()

  test("a block that escapes its scan is stale, and a scan that throws can be repeated"):
    inFolder: folder =>
      val visits = Visits.random(seed, 40_000)
      val packed = folder.resolve("packed")
      compressFile(sealedFile(Columns, folder.resolve("day"), visits), packed)
      val table = Columns.openCompressed[Price](packed)
      var escaped = Seq[Table[Price, ? <: Layout]]()
      table.foreachBlock(block => escaped = escaped :+ block)
      for block <- escaped do
        intercept[StaleReferenceException](block.sumOf(_.price))
        intercept[StaleReferenceException](block(0))
      intercept[IllegalStateException](table.foreachBlock(_ => throw IllegalStateException("stop")))
      assertEquals(table.foldBlocks(0L)((sum, block) => sum + block.size), 40_000L)
      table.foreachBlock: outer =>
        assertEquals(table.foldBlocks(0L)((sum, block) => sum + block.size), 40_000L)
        assert(outer.size > 0)
      table.close()
      table.close()
      assertEquals(failure(table.foreachBlock(_ => ()))._1, ErrorKind.CLOSED)
      assertEquals(failure(table.verify())._1, ErrorKind.CLOSED)

  test("a compressed file is neither written nor mapped, and the error says how to read it"):
    inFolder: folder =>
      val packed = folder.resolve("packed")
      compressFile(
        sealedFile(Columns, folder.resolve("day"), Visits.random(seed, 10)),
        packed
      )
      val words = s"$packed: offset 8: compressed: openReadOnly and openCompressed read it, and " +
        "decompressFile makes a sealed file of it"
      assertEquals(failure(StructFile.open(packed)), (ErrorKind.COMPRESSED, words))
      assertEquals(failure(Columns.open[Visit](packed)), (ErrorKind.COMPRESSED, words))
      assertEquals(
        failure(compressFile(packed, folder.resolve("twice"))),
        (ErrorKind.COMPRESSED, words)
      )
      val table = Columns.openReadOnly[Visit](packed, Checksums.AT_OPEN)
      val refused = intercept[UnsupportedOperationException](table += table(0))
      assertEquals(refused.getMessage, s"$packed was opened to be read only")
      assertEquals(table.refresh(), 10L)
      table.close()
      val day = folder.resolve("day")
      val reason = s"$day: offset 8: not compressed: its blocks are stored as they are"
      assertEquals(
        failure(Columns.openCompressed[Visit](day)),
        (ErrorKind.NOT_COMPRESSED, reason)
      )
      assertEquals(
        failure(decompressFile(day, folder.resolve("twice"))),
        (ErrorKind.NOT_COMPRESSED, reason)
      )
      assertEquals(
        failure(Columns.openCompressed[Visit](folder.resolve("none")))._1,
        ErrorKind.NOT_FOUND
      )
      assertEquals(failure(Columns.openCompressed[Visit](folder))._1, ErrorKind.NOT_A_STRUCT_FILE)

  test("a folder's table reads compressed files beside others"):
    inFolder: folder =>
      val visits = Visits.random(seed, 30_000)
      val files = Files.createDirectory(folder.resolve("files"))
      val first = sealedFile(Columns, folder.resolve("first"), visits.take(20_000))
      compressFile(first, files.resolve("a"))
      sealedFile(Columns, files.resolve("b"), visits.drop(20_000)): Unit
      val table = Columns.openAll[Visit](files)
      assertEquals(table.toVector, visits)
      table.verify()
      table.close()

  test("a folder with a compressed file gets further files, and is compacted"):
    inFolder: folder =>
      val visits = Visits.random(seed, 3000)
      val files = Files.createDirectory(folder.resolve("files"))
      val first = sealedFile(Columns, folder.resolve("first"), visits.take(1000))
      compressFile(first, files.resolve("a"))
      sealedFile(Columns, files.resolve("b"), visits.slice(1000, 2000)): Unit
      val writer = Columns.folder[Visit](files, maxRows = 10_000)
      writer.add(file => file.appendAll(visits.drop(2000)))
      val table = Columns.openAll[Visit](files)
      assertEquals(table.toVector, visits)
      assertEquals(writer.compact(), 3)
      assertEquals(table.refresh(), 3000L)
      assertEquals((table.files.size, table.toVector), (1, visits))
      table.close()

  test("a folder with a compressed file is compacted before it has a manifest"):
    inFolder: folder =>
      val visits = Visits.random(seed, 2000)
      val files = Files.createDirectory(folder.resolve("files"))
      val first = sealedFile(Columns, folder.resolve("first"), visits.take(1000))
      compressFile(first, files.resolve("a"))
      sealedFile(Columns, files.resolve("b"), visits.drop(1000)): Unit
      assertEquals(Columns.folder[Visit](files, maxRows = 10_000).compact(), 2)
      val table = Columns.openAll[Visit](files)
      assertEquals((table.files.size, table.toVector), (1, visits))
      table.close()

  test("a compaction counts a compressed file with the length of its rows"):
    inFolder: folder =>
      val files = Files.createDirectory(folder.resolve("files"))
      for name <- Seq("a", "b", "c") do
        val table = Columns.create[Price](folder.resolve(name), maxRows = 10_000)
        table.appendAll(10_000)(_ => Price(7, 7))
        table.seal()
        compressFile(folder.resolve(name), files.resolve(name))
      val length = Files.size(folder.resolve("a"))
      val writer = Columns.folder[Price](files, maxRows = 1000)
      val added = writer.add(_ += Price(1, 1)) // the manifest has the stored lengths
      val stored = Seq("a", "b", "c").map(name => Files.size(files.resolve(name))).sum
      assert(stored + Files.size(added) < length, s"$stored, $length")
      assertEquals(writer.compact(maxBytes = length), 0)
      assertEquals(writer.compact(maxBytes = 2 * length), 4)
      val table = Columns.openAll[Price](files)
      assertEquals((table.files.map(_.size), table.size), (Vector(20_000L, 10_001L), 30_001L))
      table.close()

  test("two threads scan one compressed table at the same time"):
    inFolder: folder =>
      val visits = Visits.random(seed, 60_000)
      val packed = folder.resolve("packed")
      compressFile(sealedFile(Columns, folder.resolve("day"), visits), packed)
      val table = Columns.openCompressed[Price](packed)
      val sums = Array.ofDim[Long](4)
      val threads = sums.indices.map: i =>
        Thread.ofPlatform.start: () =>
          sums(i) = table.foldBlocks(0L)((sum, block) => sum + block.sumOf(_.id))
      threads.foreach(_.join())
      assertEquals(sums.toSet, Set(visits.map(_.id).sum))
      table.close()
end CompressedFileTest

case class Part(id: Long, price: Int, weight: Double, name: Text[20]) derives Struct, CanEqual
