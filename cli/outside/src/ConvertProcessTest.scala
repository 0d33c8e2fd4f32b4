package outside.cli

import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit
import undercroft.tools.ChildJvm

/** The memory of a process that converts, and the files that it leaves when it is killed. */
class ConvertProcessTest extends CliSuite:

  /** Starts the command in a process of its own, which writes to the file `output`. */
  private def launched(folder: Path, options: String, words: String*): Process =
    // A JVM that is started with SIGINT ignored ignores it.
    val launcher = s"${sys.env("UNDERCROFT_CLI")}/bin/undercroft"
    val command = ProcessBuilder(Seq("env", "--default-signal=INT", launcher) ++ words*)
      .redirectErrorStream(true).redirectOutput(folder.resolve("output").toFile)
    val builder = ChildJvm.withoutOptions(command)
    builder.environment.put("JAVA_HOME", System.getProperty("java.home"))
    builder.environment.put("UNDERCROFT_JAVA_OPTIONS", options)
    builder.start()

  for
    (count, width, tags) <-
      Seq((200_000, 200, Set[munit.Tag]()), (3_000_000, 8, Set[munit.Tag](LongTest)))
  do
    val title =
      s"a heap of 32 MiB suffices for files of $count rows, larger than it, in every format"
    inFolder(munit.TestOptions(title).withTags(tags)): folder =>
      val rows =
        s"select i, i * 7919 as j, i % 3 = 0 as b, lpad('' || i % 1000, $width, '-') as t " +
          s"from range($count) s(i)"
      val sums = "select count(*) n, sum(i) i, sum(j) j, sum(b::int) b, max(t) t"
      done(run(folder)("sql", s"copy ($rows) to '${folder.resolve("t.parquet")}'"))
      val expected = done(run(folder)("sql", s"$sums from t", "./t.parquet", "--csv")).out
      val chain = Seq("t.parquet", "a.cols", "b.rows", "c.csv", "d.packed", "e.arrow", "f.cols")
      for (from, to) <- chain.zip(chain.tail) do
        val layout = to.split('.').last match
          case layout @ ("rows" | "packed") => Seq("--layout", layout)
          case _                            => Seq()
        val words = Seq("convert", s"$folder/$from", s"$folder/$to") ++ layout
        val process = launched(folder, "-Xmx32m", words*)
        val output = folder.resolve("output")
        assertEquals(process.waitFor, 0, s"$to: ${Files.readString(output)}")
        if from != "t.parquet" then Files.delete(folder.resolve(from))
      assert(Files.size(folder.resolve("f.cols")) > 36_000_000)
      assertEquals(done(run(folder)("sql", s"$sums from f", "./f.cols", "--csv")).out, expected)
  end for

  private def signal(process: Process, name: String): Unit =
    val kill = ProcessBuilder("kill", s"-$name", process.pid.toString).start()
    assertEquals(kill.waitFor, 0)
    assert(process.waitFor(1, TimeUnit.MINUTES), s"convert does not end after SIG$name")

  /** Waits until a process has files that `isThere` accepts in a temporary folder below `parent`.
    */
  private def awaitFiles(process: Process, parent: Path)(isThere: Seq[Path] => Boolean): Boolean =
    def begun = names(parent).filter(_.startsWith(".undercroft-")).exists: name =>
      val files = Option(parent.resolve(name).toFile.listFiles())
      files.exists(files => isThere(files.toSeq.map(_.toPath)))
    Iterator.continually(begun).take(6000)
      .takeWhile(isBegun => isBegun || !process.waitFor(10, TimeUnit.MILLISECONDS))
      .contains(true)

  private def temporaries(folder: Path): Set[String] =
    names(folder).filter(_.startsWith(".undercroft-"))

  for
    (target, parent, name, tags) <- Seq(
      ("u.rows", "", "INT", Set[munit.Tag]()),
      ("u.arrow", "temporary", "TERM", Set[munit.Tag](LongTest)),
      ("u.cols", "", "KILL", Set[munit.Tag](LongTest))
    )
  do
    val title = s"SIG$name during convert leaves no part of $target, and no temporary file for long"
    inFolder(munit.TestOptions(title).withTags(tags)): folder =>
      Files.createDirectory(folder.resolve("temporary"))
      val big = folder.resolve("big.parquet")
      done(run(folder)("sql", s"copy (select 'x' as a from range(2000000)) to '$big'"))
      // Without a compiler, the second pass over the texts takes seconds.
      val process = launched(
        folder,
        s"-Xint -Djava.io.tmpdir=${folder.resolve("temporary")}",
        "convert",
        big.toString,
        folder.resolve(target).toString
      )
      try
        val place = folder.resolve(parent)
        val hasBegun =
          awaitFiles(process, place)(_.exists(!_.getFileName.toString.endsWith(".lock")))
        assert(hasBegun, Files.readString(folder.resolve("output")))
        signal(process, name)
        assertEquals(temporaries(place).size, if name == "KILL" then 1 else 0)
      finally process.destroyForcibly(): Unit
      if name == "KILL" then
        write(folder, "t.csv", "a", "1")
        done(run(folder)("convert", "./t.csv", "./t.cols"))
      assertEquals(
        names(folder) -- Set("t.csv", "t.cols"),
        Set("temporary", "big.parquet", "output")
      )
      assertEquals(temporaries(folder.resolve("temporary")), Set.empty[String])
  end for

  for name <- Seq("INT", "KILL") do
    inFolder(
      s"SIG$name while convert reads standard input leaves no file, or one until the next run"
    ): folder =>
      val rows = (1 to 50_000).map(i => s"$i,name $i")
      val bytes = rows.mkString("id,name\n", "\n", "\n").getBytes("UTF-8")
      Files.createDirectory(folder.resolve("temporary"))
      val place = folder.resolve("temporary")
      def start() = launched(
        folder,
        s"-Djava.io.tmpdir=$place",
        "convert",
        "-",
        folder.resolve("t.cols").toString
      )
      for count <- Seq(0, 5000, bytes.length) do
        val process = start()
        try
          process.getOutputStream.write(bytes, 0, count)
          process.getOutputStream.flush()
          val hasBegun = awaitFiles(process, place): files =>
            if count == 0 then files.exists(_.endsWith("owner.lock"))
            else files.exists(_.endsWith("stdin.csv")) && files.map(_.toFile.length).sum == count
          assert(hasBegun, s"$count bytes: ${Files.readString(folder.resolve("output"))}")
          signal(process, name)
        finally process.destroyForcibly(): Unit
        assertEquals(names(folder), Set("temporary", "output"))
        // A run deletes the files of the killed one before it.
        assertEquals(temporaries(place).size, if name == "KILL" then 1 else 0, s"$count bytes")
      val process = start()
      process.getOutputStream.write(bytes)
      process.getOutputStream.close()
      assertEquals(process.waitFor, 0, Files.readString(folder.resolve("output")))
      assertEquals(temporaries(place), Set.empty[String])
      val counted = done(run(folder)("sql", "select count(*), max(id) from t", "./t.cols", "--csv"))
      assertEquals(counted.lines.last, "50000,50000")
  end for
end ConvertProcessTest
