package outside.file

import java.nio.file.{Files, Path}
import java.util.concurrent.{CountDownLatch, Executors, Semaphore, TimeUnit}
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger}
import scala.util.{Failure, Random, Success, Try, Using}
import undercroft.file.*
import undercroft.file.format.{ErrorKind, StructFileException}
import undercroft.file.format.internal.folder.FolderChange
import undercroft.struct.*
import undercroft.tools.{ChildJvm, SmallDisk}

/** Atomic changes of folders. */
class FolderChangesTest extends undercroft.tools.RoundsSuite:
  import Trades.*

  test(
    "a compaction keeps the rows and their order, and readers keep the files that they have open"
  ):
    for layout <- Seq(Rows, PackedRows, Columns) do compacted(layout)

  private def compacted[L <: Layout](tables: TableFactory[L]): Unit = inFolder: folder =>
    val writer = tables.folder[Trade](folder, maxRows = 1000)
    for day <- 1 to 3; part <- 0 until 6 do
      writer.addTo((day = day)): file =>
        for i <- 0 until part * 10 do file += Trade(i, day * 100 + part)
    val before = tables.openAll[Trade](folder)
    val rows = before.toVector
    assertEquals(rows.size, 3 * 150)
    assertEquals(writer.compact(), 18)
    Using.resource(tables.openAll[Trade](folder)): after =>
      assertEquals(after.files.size, 3)
      assertEquals(after.toVector, rows)
      assertEquals(after.partitions[(day: Int)].map(_._1.day), Vector(1, 2, 3))
      after.verify()
      assert(before.files.forall(file => !Files.exists(file.path)))
      assertEquals(before.toVector, rows)
    before.close()
    assertEquals(writer.compact(), 0)
    writer.addTo((day = 1))(_ += Trade(-1, -1))
    Using.resource(tables.openAll[Trade](folder)): after =>
      val first = after.where[(day: Int)](_.day == 1)
      assertEquals(first.last, Trade(-1, -1)) // later files come after the compacted ones
    assertEquals(writer.compact(maxBytes = 1), 0)
    assertEquals(writer.compact(), 2)
    assertTidy(folder)

  test("a compaction makes no file larger than its limit"):
    inFolder: folder =>
      val writer = Rows.folder[Trade](folder)
      for i <- 0 until 10 do writer.add(_.appendAll(Seq.fill(1000)(Trade(i, i))))
      val length =
        Using.resource(Rows.openAll[Trade](folder))(table => Files.size(table.files.head.path))
      val rows = ids(folder)
      assertEquals(writer.compact(maxBytes = 3 * length), 9)
      Using.resource(Rows.openAll[Trade](folder)): table =>
        assertEquals(table.files.map(_.size), Vector(3000L, 3000L, 3000L, 1000L))
      assertEquals(ids(folder), rows)
      intercept[IllegalArgumentException](writer.compact(maxBytes = 0))

  test("replace and removeWhere change whole partitions"):
    inFolder: folder =>
      val writer = Columns.folder[Trade](folder, maxRows = 10)
      for day <- 1 to 4; part <- 0 until 2 do writer.addTo((day = day))(_ += Trade(day, part))
      writer.replace((day = 2))(_ += Trade(20, 0))
      writer.replace((day = 9))(_ += Trade(90, 0))
      assertEquals(writer.removeWhere[(day: Int)](key => key.day == 1 || key.day == 3), 4)
      assertEquals(writer.removeWhere[(day: Int)](_.day == 1), 0)
      Using.resource(Columns.openAll[Trade](folder)): table =>
        assertEquals(table.map(_.id).toVector, Vector(20L, 4L, 4L, 90L))
      assert(!Files.exists(folder.resolve("day=1")), "the folder of an empty partition stays")
      assertTidy(folder)

  test("replace also replaces files whose folders have other texts of the same values"):
    inFolder: folder =>
      val writer = Rows.folder[Trade](folder)
      for hour <- Seq("05", "5", "+5", "6", "late") do writer.addTo((hour = hour))(_ += Trade(1, 1))
      writer.replace((hour = 5))(_ += Trade(2, 2))
      Using.resource(Rows.openAll[Trade](folder)): table =>
        val partitions = table.files.map(_.partition.path)
        assertEquals(partitions, Vector("hour=5", "hour=6", "hour=late"))
        assertEquals(table(0), Trade(2, 2))
      assertTidy(folder)

  test("removeWhere removes the files of a compaction that is committed meanwhile"):
    inFolder: folder =>
      val writer = Rows.folder[Trade](folder)
      for day <- 1 to 2; part <- 0 until 3 do writer.addTo((day = day))(_ += Trade(day, part))
      var isCompacted = false
      val removed = writer.removeWhere[(day: Int)]: key =>
        if !isCompacted then
          isCompacted = true
          assertEquals(Rows.folder[Trade](folder).compact(), 6)
        key.day == 1
      assertEquals(removed, 1)
      assertEquals(ids(folder), Vector(2L, 2L, 2L))
      assertTidy(folder)

  test("a folder has one set of partition names"):
    inFolder: folder =>
      val writer = Rows.folder[Trade](folder)
      writer.addTo((day = 1, shop = "a"))(_ += Trade(1, 1))
      val attempts: Seq[() => Any] = Seq(
        () => writer.add(_ += Trade(1, 1)),
        () => writer.addTo((day = 1))(_ += Trade(1, 1)),
        () => writer.addTo((shop = "a", day = 1))(_ += Trade(1, 1))
      )
      for attempt <- attempts do
        val (kind, words) = failure(attempt())
        assertEquals(kind, ErrorKind.WRONG_SCHEMA)
        assert(words.contains("(day, shop)"), words)
      assertEquals(ids(folder), Vector(1L))
      assertTidy(folder)

  test("a change that fails leaves no trace"):
    inFolder: folder =>
      val writer = Rows.folder[Trade](folder)
      writer.add(_ += Trade(1, 1))
      val before = names(folder)
      val error = intercept[IllegalStateException](writer.add: file =>
        file += Trade(2, 2)
        throw IllegalStateException("no more rows"))
      assertEquals(error.getMessage, "no more rows")
      assertEquals(failure(writer.add(_.close()))._1, ErrorKind.CLOSED)
      val change = FolderChange.begin(folder)
      change.newFile("")
      val (_, unwritten) = failure(change.commit())
      assert(unwritten.contains("there is no such file"), unwritten)
      assertEquals(failure(change.newFile(""))._1, ErrorKind.CLOSED)
      assertEquals(names(folder), before)
      assertEquals(ids(folder), Vector(1L))

  test("a file that is not sealed cannot be added"):
    inFolder: folder =>
      val change = FolderChange.begin(folder)
      written(change.newFile("day=1"), 3)
      val (_, words) = failure(change.commit())
      assert(words.contains("must be sealed"), words)
      assertEquals(ids(folder), Vector())

  test("a change of a folder with another file than struct files is refused"):
    inFolder: folder =>
      sealedFile(Rows, folder.resolve("a.rows"), 2)
      val foreign = Files.writeString(folder.resolve("readme.txt"), "no struct file" * 1000)
      val before = names(folder)
      val (kind, words) = failure(Rows.folder[Trade](folder).add(_ += Trade(1, 1)))
      assertEquals(kind, ErrorKind.NOT_A_STRUCT_FILE)
      assert(words.contains(foreign.toString), words)
      assertEquals(names(folder), before)

  test("the first change of a folder without a manifest lists its files"):
    inFolder: folder =>
      val first = sealedFile(Rows, folder.resolve("a.rows"), 2)
      written(folder.resolve("b.rows"), 1)
      val added = Rows.folder[Trade](folder).add(_ += Trade(9, 9))
      val lines = Files.readAllLines(folder.resolve("_undercroft.1")).toArray.map(_.toString)
      assert(lines.exists(_.matches("schema ALIGNED LITTLE 16 .*")), lines.mkString("\n"))
      assert(lines.exists(_.matches("\\+ 1 [0-9]+ 0 9 9 9 9")), lines.mkString("\n"))
      val manifest = lines.filter(!_.matches("(schema|\\+) .*")).mkString("", "\n", "\n")
      val expected = s"undercroft folder 3\n${Files.size(first)} a.rows\n- b.rows\n" +
        s"${Files.size(added)} ${added.getFileName}\nfiles 3 "
      assertEquals(manifest.dropRight(9), expected)
      assertEquals(ids(folder), Vector(0L, 1L, 0L, 9L))

  test("a compaction for a class with more fields converts the files"):
    inFolder: folder =>
      val narrow = Rows.folder[Trade](folder)
      for i <- 0 until 3 do narrow.add(_ += Trade(i, i))
      Rows.folder[WideTrade](folder).add(_ += WideTrade(3, 1L << 40))
      val (kind, _) = failure(narrow.compact()) // it would lose the upper halves
      assertEquals(kind, ErrorKind.WRONG_SCHEMA)
      assertEquals(Rows.folder[WideTrade](folder).compact(), 4)
      Using.resource(Rows.openAll[WideTrade](folder)): table =>
        assertEquals(table.files.size, 1)
        assertEquals(table.toVector.map(_.amount), Vector(0L, 1L, 2L, 1L << 40))

  /** Runs bodies at the same time, and rethrows the first failure. */
  private def together(bodies: (() => Unit)*): Unit =
    val start = CountDownLatch(1)
    val pool = Executors.newFixedThreadPool(bodies.size)
    try
      val runs = bodies.map(body =>
        pool.submit[Unit](() =>
          start.await(); body()
        )
      )
      start.countDown()
      runs.foreach(_.get(300, TimeUnit.SECONDS))
    finally pool.shutdownNow(): Unit

  test("changes, compactions and readers at the same time lose no row"):
    inFolder: folder =>
      val count = 25
      val compactions = AtomicInteger()
      val files = Semaphore(0)
      def adding(thread: Int)(): Unit =
        val writer = Rows.folder[Trade](folder)
        for i <- 0 until count do
          writer.add(file => for k <- 0 until 4 do file += Trade(thread * 1000 + i, k))
          files.release()
      def compacting(): Unit =
        val writer = Rows.folder[Trade](folder)
        for _ <- 0 until count do
          assert(files.tryAcquire(120, TimeUnit.SECONDS), "no file was added in 120 s")
          compactions.addAndGet(writer.compact()): Unit
      def reading(): Unit =
        var seen = 0L
        for _ <- 0 until count do
          Using.resource(Rows.openAll[Trade](folder)): table =>
            val rows = table.toVector
            assertEquals(rows.size % 4, 0, "a file was read in part")
            assertEquals(rows.distinct.size, rows.size, "a row was read twice")
            assert(rows.size >= seen, s"${rows.size} rows after $seen")
            seen = rows.size
      Files.createDirectories(folder)
      together(adding(1), adding(2), () => compacting(), () => compacting(), () => reading())
      assert(compactions.get > 0)
      val expected =
        for thread <- 1 to 2; i <- 0 until count; _ <- 0 until 4 yield thread * 1000L + i
      assertEquals(ids(folder).sorted, expected.toVector)
      assertTidy(folder)

  test("a file that is deleted while it is opened is not found"):
    inFolder: folder =>
      val kept = sealedFile(Rows, folder.resolve("kept.rows"), 2)
      val path = folder.resolve("changing.rows")
      val opened = AtomicBoolean()
      def changing(): Unit =
        var rounds = 0
        while !opened.get && rounds < 1_000_000 do
          Files.createLink(path, kept)
          Files.delete(path)
          rounds += 1
      def opening(): Unit =
        try
          for _ <- 0 until 5000 do
            Try(Rows.openReadOnly[Trade](path)) match
              case Success(table) => table.close()
              case Failure(error: StructFileException) =>
                assertEquals(error.kind, ErrorKind.NOT_FOUND, error.getMessage)
              case Failure(error) => throw error
        finally opened.set(true)
      together(() => changing(), () => opening())

  testRounds(
    "readers of a folder without a manifest read each row once during its first compaction"
  )(
    rounds = 5,
    longRounds = 200
  ): rounds =>
    for _ <- 0 until rounds do
      inFolder: folder =>
        for day <- 1 to 2; part <- 0 until 5 do
          val parent = Files.createDirectories(folder.resolve(s"day=$day"))
          sealedFile(Rows, parent.resolve(s"$part.rows"), 3): Unit
        val compacted = AtomicBoolean()
        def changing(): Unit =
          try
            val writer = Rows.folder[Trade](folder)
            assertEquals(writer.compact(), 10)
            assertEquals(writer.removeWhere[(day: Int)](_.day == 1), 1)
          finally compacted.set(true)
        def reading(): Unit =
          var rounds = 0
          while !compacted.get && rounds < 10_000 do
            val rows = ids(folder).size
            assert(rows == 30 || rows == 15, s"$rows rows")
            rounds += 1
        together(() => changing(), () => reading(), () => reading())
        assertEquals(ids(folder).size, 15)

  test("partitions are removed while others compact them and add files to them"):
    inFolder: folder =>
      Files.createDirectories(folder)
      val count = 40
      def adding(thread: Int)(): Unit =
        val writer = Rows.folder[Trade](folder)
        for i <- 0 until count do writer.addTo((shop = i % 2, day = 1))(_ += Trade(thread, i))
      def compacting(): Unit =
        val writer = Rows.folder[Trade](folder)
        for _ <- 0 until count do writer.compact(): Unit
      def removing(): Unit =
        val writer = Rows.folder[Trade](folder)
        for _ <- 0 until count do writer.removeWhere[(shop: Int, day: Int)](_.shop == 0): Unit
      together(adding(1), adding(2), () => compacting(), () => removing())
      val writer = Rows.folder[Trade](folder)
      writer.removeWhere[(shop: Int, day: Int)](_.shop == 0): Unit
      assertEquals(ids(folder).sorted, Vector.fill(count / 2)(1L) ++ Vector.fill(count / 2)(2L))
      assertTidy(folder)

  test("of two compactions of the same files one takes effect"):
    inFolder: folder =>
      val writer = Rows.folder[Trade](folder)
      for i <- 0 until 4 do writer.add(_ += Trade(i, i))
      val change = FolderChange.begin(folder)
      change.first.entries.forEach(entry => change.remove(entry))
      sealedFile(Rows, change.newFile(""), 4)
      assertEquals(writer.compact(), 4)
      val (kind, words) = failure(change.commit())
      assertEquals(kind, ErrorKind.REPLACED)
      assert(words.contains("another change has removed it"), words)
      assertEquals(ids(folder), Vector(0L, 1L, 2L, 3L))
      assertTidy(folder)

  test("a change on a full disk throws and leaves the folder unchanged"):
    SmallDisk("2m").use: disk =>
      val folder = disk.resolve("days")
      val writer = Rows.folder[Trade](folder)
      for i <- 0 until 3 do writer.add(_.appendAll(Seq.fill(10_000)(Trade(i, i))))
      val before = names(folder)
      val (kind, words) = failure(writer.add(_.appendAll(Seq.fill(200_000)(Trade(9, 9)))))
      assertEquals(kind, ErrorKind.NO_SPACE, words)
      val free = Files.getFileStore(disk).getUsableSpace
      Files.write(disk.resolve("ballast"), new Array[Byte]((free - 100_000).toInt))
      assertEquals(failure(writer.compact())._1, ErrorKind.NO_SPACE)
      assertEquals(names(folder), before)
      assertEquals(ids(folder).size, 30_000)
      Files.delete(disk.resolve("ballast"))
      assertEquals(writer.compact(), 3)

  test("the files of a process that was killed during a change are deleted by the next one"):
    inFolder: folder =>
      Rows.folder[Trade](folder).add(_ += Trade(1, 1))
      val process = FolderChild.start("halt", folder)
      assert(process.waitFor(120, TimeUnit.SECONDS), "the child did not end in 120 s")
      assertEquals(process.exitValue, 137)
      assert(names(folder).exists(_.startsWith("_adding-")), names(folder).toString)
      assertEquals(ids(folder), Vector(1L))
      Rows.folder[Trade](folder).add(_ += Trade(2, 2))
      assertEquals(ids(folder), Vector(1L, 2L))
      assertTidy(folder)

  test("killing a process that adds and compacts loses no row and repeats none".tag(LongTest)):
    val seed = Random.nextLong()
    println(s"seed $seed")
    val random = Random(seed)
    inFolder: folder =>
      var interrupted = 0
      var next = 0L
      for _ <- 0 until 12 do
        val process = FolderChild.start("compact", folder, next.toString)
        val out = process.inputReader
        var added = next
        try
          for _ <- 0 to random.nextInt(30) do
            val line = out.readLine()
            if line == null then throw AssertionError(s"the child ended by itself after row $added")
            added = line.toLong
          val spins = random.nextInt(2_000_000)
          for _ <- 0 until spins do Thread.onSpinWait()
        finally
          process.toHandle.destroyForcibly(): Unit
          process.waitFor(): Unit
        var line = out.readLine()
        while line != null do
          line.toLongOption.foreach(row => added = row)
          line = out.readLine()
        if names(folder).exists(_.startsWith("_adding-")) then interrupted += 1
        val rows = ids(folder)
        assertEquals(rows, rows.indices.map(_.toLong).toVector)
        assert(rows.size >= added, s"${rows.size} rows of $added that were added")
        assert(rows.size <= added + 1, s"${rows.size} rows of $added that were added")
        next = rows.size
      end for
      assert(interrupted > 0, "no process was killed during a change")
      Rows.folder[Trade](folder).add(_ += Trade(next, 0))
      assertEquals(ids(folder).size, next.toInt + 1)
      assertTidy(folder)

  test("of two first changes with partitions of different names, the later one fails"):
    inFolder: folder =>
      val shops = Rows.folder[Trade](folder)
      val (kind, words) = failure(shops.addTo((shop = 1)): file =>
        file += Trade(1, 1)
        val _ = shops.addTo((day = 2))(_ += Trade(2, 2)))
      assertEquals(kind, ErrorKind.WRONG_SCHEMA)
      assert(words.contains("its files are in partitions of (day), not of (shop)"), words)
      val _ = shops.addTo((day = 3))(_ += Trade(3, 3))
      val table = Rows.openAll[Trade](folder)
      assertEquals(table.map(_.id).toVector, Vector(2L, 3L))
      assertEquals(table.unlisted, Vector())
      table.close()
end FolderChangesTest

/** Other processes that change a folder. */
object FolderChild:

  /** `halt FOLDER` halts the JVM inside a change, after it has written a file. `compact FOLDER ROW`
    * adds files of one row each, from ROW on, compacts them again and again, and prints the row
    * count after each added file.
    */
  def main(args: Array[String]): Unit =
    val folder = Path.of(args(1))
    args(0) match
      case "halt" =>
        Rows.folder[Trade](folder).add: file =>
          file += Trade(9, 9)
          file.commit()
          Runtime.getRuntime.halt(137)
      case "compact" =>
        val writer = Rows.folder[Trade](folder)
        for row <- args(2).toLong until args(2).toLong + 10_000 do
          writer.add(_ += Trade(row, 0))
          println(row + 1)
          if row % 3 == 0 then writer.compact(): Unit

  def start(args: Any*): Process =
    val flags = Seq("-Xmx64m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC") ++
      Seq("--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"))
    ChildJvm.builder((flags ++ Seq("outside.file.FolderChild") ++ args.map(_.toString))*)
      .redirectError(ProcessBuilder.Redirect.INHERIT)
      .start()
end FolderChild
