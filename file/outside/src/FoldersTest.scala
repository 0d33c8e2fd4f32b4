package outside.file

import java.nio.ByteBuffer
import java.nio.channels.Pipe
import java.nio.file.{Files, Path}
import java.time.LocalDate
import java.util.UUID
import scala.jdk.CollectionConverters.*
import scala.util.{Random, Using}
import undercroft.file.*
import undercroft.file.format.{Checksums, ErrorKind, StructFileException}
import undercroft.file.format.internal.folder.{FolderListing, FolderManifest}
import undercroft.memory.Region
import undercroft.struct.*

/** Folders of files as one table. */
class FoldersTest extends undercroft.tools.Suite:
  import Trades.*

  private type Day = (day: LocalDate)

  /** Adds a file for each number of rows; the rows are numbered through all files. */
  private def folderOf[L <: Layout](tables: TableFactory[L], folder: Path, sizes: Seq[Int]): Path =
    val writer = tables.folder[Trade](folder, maxRows = 1000)
    var next = 0
    for size <- sizes do
      writer.add: file =>
        for _ <- 0 until size do
          file += Trade(next, next % 7)
          next += 1
    folder

  private def sameAsVector[L <: Layout](tables: TableFactory[L]): Unit =
    val seed = Random.nextLong()
    println(s"seed $seed")
    val random = Random(seed)
    inFolder: parent =>
      val sizes = Seq.fill(12)(random.nextInt(4) match
        case 0 => 0
        case 1 => 1
        case _ => random.nextInt(300))
      val folder = folderOf(tables, parent.resolve("days"), sizes)
      val expected = Vector.tabulate(sizes.sum)(i => Trade(i, i % 7))
      Using.resource(tables.openAll[Trade](folder)): table =>
        assertEquals(table.files.map(_.size), sizes.map(_.toLong).toVector)
        assertEquals(table.size, expected.size.toLong)
        assertEquals(table.toVector, expected)
        assertEquals(table.iterator.toVector, expected)
        for i <- expected.indices do assertEquals(table.apply(i.toLong), expected(i))
        assertEquals(table.sumOf(_.id), expected.map(_.id).sum)
        assertEquals(
          table.filter(_.amount > 3).map(_.id).sum,
          expected.filter(_.amount > 3).map(_.id).sum
        )
        assertEquals(table.count(_.amount == 2), expected.count(_.amount == 2).toLong)
        assertEquals(
          table.foldLeft(7L)((sum, row) => sum * 3 + row.id),
          expected.foldLeft(7L)((sum, row) => sum * 3 + row.id)
        )
        assertEquals(table.exists(_.id == expected.size - 1), expected.nonEmpty)
        assertEquals(
          table.indexWhere(_.id == expected.size / 2),
          expected.indexWhere(_.id == expected.size / 2).toLong
        )
        assertEquals(table.find(_.id > 5), expected.find(_.id > 5))
        assertEquals(table.lastOption, expected.lastOption)
        assertEquals(table.map(_.amount).take(40).toVector, expected.map(_.amount).take(40))
        val (from, until) = (expected.size / 5, expected.size - expected.size / 3)
        assertEquals(table.slice(from, until).toVector, expected.slice(from, until))
        assertEquals(table.take(from).size, from.toLong)
        assertEquals(table.drop(until).toVector, expected.drop(until))
        assertEquals(
          table.parAggregate(0L)((sum, row) => sum + row.id)(_ + _),
          expected.map(_.id).sum
        )
        Region.scoped:
          val grouped = table.groupMapReduce(_.amount)(_.id)(_ + _)
          val reduced = expected.groupMapReduce(_.amount)(_.id)(_ + _)
          assertEquals(grouped.size, reduced.size.toLong)
          for (amount, sum) <- reduced do assertEquals(grouped(amount), sum)
          val filtered = table.filter(_.amount > 3).groupMapReduce(_.amount)(_ => 1)(_ + _)
          assertEquals(filtered.getOrElse(4, 0), expected.count(_.amount == 4))
          assertEquals(table.copy.sortBy(row => -row.id).toVector, expected.reverse)
      assert(expected.nonEmpty)
  end sameAsVector

  test("a folder of rows has the results of one vector")(sameAsVector(Rows))
  test("a folder of packed rows has the results of one vector")(sameAsVector(PackedRows))
  test("a folder of columns has the results of one vector")(sameAsVector(Columns))

  test("an index outside a folder throws IndexOutOfBoundsException with the size"):
    inFolder: folder =>
      Using.resource(Rows.openAll[Trade](folderOf(Rows, folder, Seq(3, 0, 2)))): table =>
        assertEquals(table(4), Trade(4, 4))
        for index <- Seq(5L, -1L, Long.MaxValue, Long.MinValue) do
          val error = intercept[IndexOutOfBoundsException](table(index))
          assert(error.getMessage.contains("5"), error.getMessage)
        intercept[IndexOutOfBoundsException](table.slice(2, 6))

  test("values of partitions have their types"):
    inFolder: folder =>
      val writer = Rows.folder[Trade](folder)
      val first = LocalDate.of(2026, 11, 23)
      for day <- 0 until 3; shop <- Seq("a/b", "50%", "x=y") do
        writer.addTo((day = first.plusDays(day), shop = shop))(_ += Trade(day, 1))
      assert(Files.exists(folder.resolve("day=2026-11-24").resolve("shop=50%25")))
      Using.resource(Rows.openAll[Trade](folder)): table =>
        assertEquals(table.files.size, 9)
        val recent = table.where[Day](_.day.isAfter(first))
        assertEquals((recent.size, recent.sumOf(_.id)), (6L, 9L))
        val percent = recent.where[(shop: String)](_.shop == "50%")
        assertEquals(percent.map(_.id).toVector, Vector(1L, 2L))
        val sums = for (key, rows) <- table.partitions[Day] yield (key.day, rows.sumOf(_.id))
        assertEquals(sums, Vector((first, 0L), (first.plusDays(1), 3L), (first.plusDays(2), 6L)))
        val wrong = intercept[IllegalArgumentException](table.where[(shop: Int)](_.shop > 0))
        assert(wrong.getMessage.contains("shop="), wrong.getMessage)
        assert(wrong.getMessage.contains(".rows"), wrong.getMessage)
        val absent = intercept[IllegalArgumentException](table.where[(venue: Int)](_.venue > 0))
        assert(absent.getMessage.contains("venue"), absent.getMessage)
        assert(absent.getMessage.contains("(day, shop)"), absent.getMessage)

  test("values of every partition type are read as they were written"):
    inFolder: folder =>
      type Key = (no: Int, id: Long, is: Boolean, uuid: UUID, note: Option[String])
      val keys: Seq[Key] = Seq(
        (no = -1, id = Long.MaxValue, is = true, uuid = UUID(1, 2), note = None),
        (no = 7, id = 0, is = false, uuid = UUID(3, 4), note = Some("né \"1\" % : \n"))
      )
      val writer = Columns.folder[Trade](folder, maxRows = 10)
      for key <- keys do writer.addTo(key)(_ += Trade(key.no, 0))
      Using.resource(Columns.openAll[Trade](folder)): table =>
        val found = table.partitions[Key].map(_._1)
        assertEquals(found.map(_.toTuple).toSet, keys.map(_.toTuple).toSet)
      intercept[IllegalArgumentException](writer.addTo((no = ""))(_ += Trade(1, 1)))

  test("a folder without a manifest consists of all of its struct files"):
    inFolder: folder =>
      for (name, rows) <- Seq("b.rows" -> 2, "a.rows" -> 1) do
        sealedFile(Rows, folder.resolve(name), rows)
      written(folder.resolve("c.rows"), 3) // not sealed, and with its .lock beside
      Files.writeString(folder.resolve(".hidden"), "no struct file")
      Files.writeString(folder.resolve("_notes"), "no struct file")
      val day = Files.createDirectory(folder.resolve("day=2026-11-24"))
      sealedFile(Rows, day.resolve("d.rows"), 4)
      Using.resource(Rows.openAll[Trade](folder)): table =>
        assertEquals(table.version, -1L)
        assertEquals(table.files.map(_.size), Vector(1L, 2L, 3L, 4L))
        assertEquals(table.files.last.partition.as[Day].day, LocalDate.of(2026, 11, 24))
      Files.createDirectory(folder.resolve("more"))
      val (_, words) = failure(Rows.openAll[Trade](folder))
      assert(words.contains("more") && words.contains("name=value"), words)
      Files.delete(folder.resolve("more"))
      Files.writeString(
        folder.resolve("readme.txt"),
        "no struct file, but long enough for a header" * 200
      )
      val (kind, foreign) = failure(Rows.openAll[Trade](folder))
      assertEquals(kind, ErrorKind.NOT_A_STRUCT_FILE, foreign)
      assert(foreign.contains("readme.txt"), foreign)

  test("files that a manifest does not list are not read, and are reported"):
    inFolder: folder =>
      folderOf(Rows, folder, Seq(2, 3))
      val foreign = sealedFile(Rows, folder.resolve("other.rows"), 9)
      Files.writeString(folder.resolve("readme.txt"), "no struct file")
      Using.resource(Rows.openAll[Trade](folder)): table =>
        assertEquals(table.size, 5L)
        assertEquals(table.unlisted, Vector(foreign, folder.resolve("readme.txt")))

  test("a folder without files is an empty table, and a missing folder is an error"):
    inFolder: folder =>
      Using.resource(Columns.openAll[Trade](folder)): table =>
        assertEquals((table.size, table.sumOf(_.id), table.toVector), (0L, 0L, Vector()))
        assertEquals(table.lastOption, None)
        Region.scoped(assertEquals(table.copy.size, 0L))
      assertEquals(failure(Rows.openAll[Trade](folder.resolve("none")))._1, ErrorKind.NOT_FOUND)
      val file = Files.writeString(folder.resolve("file"), "")
      val (_, words) = failure(Rows.openAll[Trade](file))
      assert(words.contains("expected a folder"), words)
      assert(failure(Rows.folder[Trade](file).add(_ => ()))._2.contains("expected a folder"))

  private def openFiles: Int = Path.of("/proc/self/fd").toFile.list match
    case null  => 0
    case names => names.length

  test("errors name the file of a folder, and all opened files are closed"):
    inFolder: folder =>
      folderOf(Rows, folder, Seq(100, 200, 100))
      val files = Using.resource(Rows.openAll[Trade](folder))(_.files.map(_.path))
      val before = openFiles
      val (schema, words) = failure(Rows.openAll[(id: Long, price: Int)](folder))
      assertEquals(schema, ErrorKind.WRONG_SCHEMA)
      assert(words.contains(files(0).toString) && words.contains("amount"), words)
      assertEquals(failure(Columns.openAll[Trade](folder))._1, ErrorKind.WRONG_SCHEMA)
      flip(files(1), 12288 + 1600)
      val (corrupt, message) = failure(Rows.openAll[Trade](folder, Checksums.AT_OPEN))
      assertEquals(corrupt, ErrorKind.CORRUPT)
      assert(message.contains(files(1).toString), message)
      Using.resource(Rows.openAll[Trade](folder)): table =>
        val (kind, text) = failure(table.verify())
        assert(kind.equals(ErrorKind.CORRUPT) && text.contains(files(1).toString), text)
        assert(failure(Rows.folder[Trade](folder).compact())._2.contains(files(1).toString))
        assertEquals(table.refresh(), 400L)
      assertEquals(openFiles, before)

  test("a listed file that was deleted or replaced is an error"):
    inFolder: folder =>
      folderOf(Rows, folder, Seq(10, 20, 30))
      val files = Using.resource(Rows.openAll[Trade](folder))(_.files.map(_.path))
      val bytes = Files.readAllBytes(files(1))
      Files.delete(files(1))
      val (kind, words) = failure(Rows.openAll[Trade](folder))
      assertEquals(kind, ErrorKind.NOT_FOUND)
      assert(words.contains(files(1).toString) && words.contains("manifest 3"), words)
      sealedFile(Rows, files(1), 21)
      val (changed, text) = failure(Rows.openAll[Trade](folder))
      assertEquals(changed, ErrorKind.CORRUPT)
      assert(text.contains(s"${bytes.length} in manifest 3"), text)
      Files.write(files(1), bytes)
      Using.resource(Rows.openAll[Trade](folder))(table => assertEquals(table.size, 60L))

  test("truncating one file of an open folder fails its loops with the file's name"):
    inFolder: folder =>
      folderOf(Rows, folder, Seq(500, 900, 500))
      val table = Rows.openAll[Trade](folder)
      assertEquals(table.sumOf(_.amount), (0 until 1900).map(_ % 7).sum.toLong)
      val cut = table.files(1).path
      Using.resource(java.io.RandomAccessFile(cut.toFile, "rw"))(_.setLength(4096 * 3))
      val (kind, words) = failure(table.sumOf(_.amount))
      assertEquals(kind, ErrorKind.TRUNCATED)
      assert(words.contains(cut.toString), words)
      assertEquals(table(1899), Trade(1899, 1899 % 7)) // the other files are whole
      assertEquals(table.files(0).table.size, 500L)
      table.close()

  test("a closed folder throws StructFileException, and is closed once"):
    inFolder: folder =>
      val table = Rows.openAll[Trade](folderOf(Rows, folder, Seq(3, 4)))
      val part = table.slice(1, 5)
      table.close()
      table.close()
      val file = table.files(0).table
      val uses = Seq(
        () => table.sumOf(_.id),
        () => table(0).id,
        () => part.sumOf(_.id),
        () => table.refresh(),
        () => table.verify(),
        () => table.unlisted,
        () => file.verify()
      )
      for use <- uses do assertEquals(failure(use())._1, ErrorKind.CLOSED)
      assertEquals((table.size, table.files.size), (7L, 2))

  test("refresh shows the files and rows of later commits, and closes files that were removed"):
    inFolder: folder =>
      val growing = Rows.create[Trade](folder.resolve("growing.rows"))
      growing += Trade(1, 1)
      growing.commit()
      val table = Rows.openAll[Trade](folder)
      growing += Trade(2, 2)
      growing.commit()
      assertEquals((table.size, table.refresh(), table.version), (1L, 2L, -1L))
      val writer = Rows.folder[Trade](folder)
      for i <- 3 to 6 do writer.add(_ += Trade(i, i))
      assertEquals(table.size, 2L)
      assertEquals((table.refresh(), table.sumOf(_.id)), (6L, 21L))
      growing += Trade(7, 7)
      growing.commit()
      val before = table.drop(2)
      assertEquals(writer.compact(), 4) // but not the file that may grow
      assertEquals(before.map(_.id).toVector, Vector(3L, 4L, 5L, 6L))
      assertEquals((table.refresh(), table.files.size), (7L, 2))
      assertEquals(table.map(_.id).toVector.sorted, Vector(1L, 2L, 3L, 4L, 5L, 6L, 7L))
      assertEquals(failure(before.sumOf(_.id))._1, ErrorKind.CLOSED)
      growing.close()
      table.close()

  /** Runs `body` while another thread writes the bytes of a table, more than a pipe holds, to a
    * channel.
    */
  private def whileWritten(table: Rows[Trade])(body: => Unit): Unit =
    val bytes = table.byteBuffer
    val pipe = Pipe.open()
    val writing = Thread.ofPlatform.start: () =>
      try pipe.sink.write(bytes): Unit
      catch case _: java.io.IOException => () // the reader has closed the pipe
      finally pipe.sink.close()
    try
      assertEquals(pipe.source.read(ByteBuffer.allocate(1)), 1) // the write has begun
      body
    finally
      pipe.source.close()
      writing.join(10_000)

  test("a close leaves a file open that a thread writes to a channel, and closes the others"):
    inFolder: folder =>
      val writer = Rows.folder[Trade](folder)
      writer.addTo((day = 1))(file => for i <- 0 until 100_000 do file += Trade(i, 1))
      writer.addTo((day = 2))(_ += Trade(-1, 1))
      val table = Rows.openAll[Trade](folder)
      val large = table.files(0).table
      val small = table.files(1).table
      whileWritten(large):
        intercept[IllegalStateException](table.close())
        assertEquals(failure(small(0))._1, ErrorKind.CLOSED)
        assertEquals(large(99_999), Trade(99_999, 1))
      table.close()
      assertEquals(failure(large(0))._1, ErrorKind.CLOSED)

  test("a refresh leaves a removed file open that a thread writes to a channel"):
    inFolder: folder =>
      val writer = Rows.folder[Trade](folder)
      writer.addTo((day = 1))(file => for i <- 0 until 100_000 do file += Trade(i, 1))
      val table = Rows.openAll[Trade](folder)
      val large = table.files(0).table
      whileWritten(large):
        writer.replace((day = 1))(_ += Trade(-1, 1))
        assertEquals(table.refresh(), 1L)
        assertEquals(large(99_999), Trade(99_999, 1))
      assertEquals(table.refresh(), 1L)
      assertEquals(failure(large(0))._1, ErrorKind.CLOSED)
      table.close()

  test("a refresh that fails leaves the table as it was"):
    inFolder: folder =>
      val table = Rows.openAll[Trade](folderOf(Rows, folder, Seq(2, 3)))
      val added = Rows.folder[Trade](folder).add(_ += Trade(9, 9))
      val before = openFiles
      flip(added, 100)
      Files.write(added, Files.readAllBytes(added).map(byte => (byte ^ 5).toByte))
      val (_, words) = failure(table.refresh())
      assert(words.contains(added.toString), words)
      assertEquals((table.size, table.sumOf(_.id), openFiles), (5L, 10L, before))
      table.close()

  test("a refresh that fails at one growing file leaves the others as they were"):
    inFolder: folder =>
      val growing = Rows.create[Trade](folder.resolve("a.rows"))
      growing += Trade(1, 1)
      growing.commit()
      val other = written(folder.resolve("b.rows"), 2)
      val table = Rows.openAll[Trade](folder)
      growing += Trade(2, 2)
      growing.commit()
      val bytes = Files.readAllBytes(other)
      Files.write(other, bytes.map(byte => (byte ^ 5).toByte))
      val (_, words) = failure(table.refresh())
      assert(words.contains(other.toString), words)
      assertEquals((table.size, table.files.map(_.size)), (3L, Vector(1L, 2L)))
      Files.write(other, bytes)
      assertEquals((table.refresh(), table.files.map(_.size)), (4L, Vector(2L, 2L)))
      assertEquals(table.map(_.id).toVector, Vector(1L, 2L, 0L, 1L))
      growing.close()
      table.close()

  test("files of a narrower class are converted one by one"):
    inFolder: folder =>
      sealedFile(Rows, folder.resolve("a.rows"), 5)
      val wide = Rows.create[WideTrade](folder.resolve("b.rows"))
      wide += WideTrade(5, 1L << 40)
      wide.seal()
      Using.resource(Rows.openAll[WideTrade](folder)): table =>
        assertEquals(table.toVector.map(_.amount), Vector(0L, 1L, 2L, 3L, 4L, 1L << 40))
      val (kind, words) = failure(Rows.openAll[Trade](folder))
      assertEquals(kind, ErrorKind.WRONG_SCHEMA)
      assert(words.contains("b.rows") && words.contains("amount"), words)

  test("a forged manifest is corrupt, and leaves its folder nowhere"):
    inFolder: parent =>
      sealedFile(Rows, parent.resolve("secret.rows"), 1)
      val folder = Files.createDirectory(parent.resolve("days"))
      sealedFile(Rows, folder.resolve("a.rows"), 1)
      val texts = Seq(
        "undercroft folder 1\n- ../secret.rows\nfiles 1\n",
        "undercroft folder 1\n- /etc/passwd\nfiles 1\n",
        "undercroft folder 1\n- day=1/../../secret.rows\nfiles 1\n",
        "undercroft folder 1\n- sub/a.rows\nfiles 1\n",
        "undercroft folder 1\n- day=1/day=2/a.rows\nfiles 1\n",
        "undercroft folder 1\n- a.rows\nfiles 2\n",
        "undercroft folder 1\n-1 a.rows\nfiles 1\n",
        "undercroft folder 1\n- a.rows\n",
        "undercroft folder 2\n- a.rows\nfiles 1\n",
        "undercroft folder 1\n- a.rows\nstream 1 x\nfiles 1\n",
        "undercroft folder 2\nstream 1 x\n- a.rows\nfiles 1\n",
        "undercroft folder 2\n- a.rows\nstream -1 x\nfiles 1\n",
        "undercroft folder 2\n- a.rows\nstream 1 x y\nfiles 1\n",
        "undercroft folder 2\n- a.rows\nstream 1 x\nfiles 2\n",
        "undercroft folder 4\n- a.rows\nstream 1 x\nfiles 1\n",
        summed("undercroft folder 3\n+ 1 2 0\n- a.rows\n", 1),
        summed("undercroft folder 3\n- a.rows\n+ 1 2 0\n", 1),
        summed("undercroft folder 3\nschema ALIGNED LITTLE 8 AAAA\n- a.rows\n", 1),
        summed("undercroft folder 3\nschema TREE LITTLE 8 AAAA\n- a.rows\n", 1),
        "undercroft folder 3\n- a.rows\nfiles 1\n",
        "undercroft folder 2\n- a.rows\n+ 1 2 0\nstream 1 x\nfiles 1\n",
        "",
        "files 0"
      )
      for text <- texts do
        val manifest = Files.writeString(folder.resolve("_undercroft.0"), text)
        val (kind, words) = failure(Rows.openAll[Trade](folder))
        assertEquals(kind, ErrorKind.CORRUPT, text)
        assert(words.contains(manifest.toString), words)
      Files.writeString(folder.resolve("_undercroft.1"), "undercroft folder 1\n- a.rows\nfiles 1\n")
      Using.resource(Rows.openAll[Trade](folder))(table => assertEquals(table.size, 1L))

  /** A manifest of `count` files whose last line has the checksum of the lines before. */
  private def summed(lines: String, count: Int): String =
    val checksum = java.util.zip.CRC32C()
    checksum.update(lines.getBytes("UTF-8"))
    f"${lines}files $count ${checksum.getValue}%08x\n"

  test("a manifest has the facts of sealed files, and one without them is read"):
    inFolder: parent =>
      val folder = Files.createDirectory(parent.resolve("days"))
      sealedFile(Rows, folder.resolve("a.rows"), 1)
      Files.writeString(folder.resolve("_undercroft.0"), "undercroft folder 1\n- a.rows\nfiles 1\n")
      val writer = Rows.folder[Trade](folder)
      writer.add(_.appendAll(Seq(Trade(7, -3), Trade(2, 5))))
      writer.add(_ => ())
      writer.add(_.appendAll((0 until 70_000).map(i => Trade(i, i))))
      val manifest = FolderListing.current(folder)
      val facts = manifest.entries.asScala.toVector.map(_.facts)
      assertEquals(facts.map(_ == null), Vector(true, false, false, false))
      assertEquals(facts.tail.map(_.nn.rows), Vector(2L, 0L, 70_000L))
      val few = facts(1).nn
      val schema = few.schema
      val bounds = schema.leaves.asScala.toVector.map: leaf =>
        val range = few.statistics(schema, leaf).get
        (leaf.dotted, range.from, range.until, range.min.longValue, range.max.longValue)
      assertEquals(bounds, Vector(("id", 0L, 2L, 2L, 7L), ("amount", 0L, 2L, -3L, 5L)))
      assert(facts.drop(2).forall(_.nn.bounds.isEmpty), "of no rows, and of several blocks")
      assertEquals(FolderManifest.parse(manifest.number, manifest.text).get.text, manifest.text)
      assert(manifest.text.startsWith("undercroft folder 3\n"), manifest.text)
      val text = manifest.text
      for at <- text.indices; bit <- 0 until 7 do
        val changed = text.updated(at, (text.charAt(at) ^ (1 << bit)).toChar)
        assert(FolderManifest.parse(manifest.number, changed).isEmpty, s"bit $bit of character $at")
      Using.resource(Rows.openAll[Trade](folder))(table => assertEquals(table.size, 70_003L))
      Files.setLastModifiedTime(
        folder.resolve(manifest.entries.get(1).name),
        java.nio.file.attribute.FileTime.fromMillis(few.modified + 1000)
      )
      writer.compact()
      Using.resource(Rows.openAll[Trade](folder))(table => assertEquals(table.size, 70_003L))

  test("changes keep the streams of a manifest"):
    inFolder: parent =>
      val folder = Files.createDirectory(parent.resolve("days"))
      sealedFile(Rows, folder.resolve("a.rows"), 1)
      Files.writeString(
        folder.resolve("_undercroft.3"),
        "undercroft folder 2\n- a.rows\nstream 7 some-query\nstream 0 other\nfiles 1\n"
      )
      val writer = Rows.folder[Trade](folder, maxRows = 10)
      writer.add(_ += Trade(1, 2))
      writer.compact()
      Using.resource(Rows.openAll[Trade](folder))(table => assertEquals(table.size, 2L))
      val streams = FolderListing.current(folder).streams.asScala.toVector
      assertEquals(
        streams,
        Vector(FolderManifest.Stream("some-query", 7), FolderManifest.Stream("other", 0))
      )
      assertEquals(FolderListing.current(folder).lastBatch("some-query"), 7L)
      assertEquals(FolderListing.current(folder).lastBatch("none"), -1L)

  test("a refresh within the function of minBy does not replace the row that it returns"):
    inFolder: folder =>
      val writer = Rows.folder[Trade](folder)
      writer.addTo((shop = 2))(_ += Trade(1, 10))
      Using.resource(Rows.openAll[Trade](folder)): table =>
        var isFirst = true
        val least = table.minBy: trade =>
          if isFirst then
            isFirst = false
            writer.addTo((shop = 1))(_ += Trade(9, 99))
            table.refresh(): Unit
          trade.amount
        assertEquals(least, Trade(1, 10))
        assertEquals(table.map(_.id).toVector, Vector(9L, 1L))

  test("the stream that has not written for the longest time leaves a full manifest"):
    var manifest = FolderManifest(0, java.util.List.of())
    for batch <- 0 to FolderManifest.MOST_STREAMS; query <- Seq("first", s"query-$batch") do
      val streams = manifest.streamsAfter(FolderManifest.Stream(query, batch))
      manifest = FolderManifest(0, java.util.List.of(), streams)
    assertEquals(manifest.streams.size, FolderManifest.MOST_STREAMS)
    assertEquals(manifest.lastBatch("first"), FolderManifest.MOST_STREAMS.toLong)
    assertEquals(manifest.lastBatch("query-1"), -1L)
    assertEquals(manifest.lastBatch("query-3"), 3L)
    assertEquals(FolderManifest.parse(0, manifest.text).get, manifest)
    for (query, batch) <- Seq(("a b", 0L), ("", 0L), ("a\n", 0L), ("a", -1L)) do
      val error = intercept[IllegalArgumentException](FolderManifest.Stream(query, batch))
      assert(error.getMessage.contains("a stream must have an id"), error.getMessage)
end FoldersTest
