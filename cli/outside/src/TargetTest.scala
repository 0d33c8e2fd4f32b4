package outside.cli

import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit
import undercroft.tools.{ChildJvm, SmallDisk}

/** The files that `convert` writes, and the targets that it refuses. */
class TargetTest extends CliSuite:

  inFolder("a folder is not replaced by a file, also if it is empty"): folder =>
    write(folder, "t.csv", "a", "1")
    Files.createDirectory(folder.resolve("empty.rows"))
    val message = "undercroft: ./empty.rows is a folder, which convert does not replace\n"
    for options <- Seq(Nil, Seq("--overwrite")) do
      val outcome = run(folder)(Seq("convert", "./t.csv", "./empty.rows") ++ options*)
      assertEquals(outcome, Outcome(2, "", message))
    assert(Files.isDirectory(folder.resolve("empty.rows")))

  for ending <- Seq(".rows", ".csv", ".arrow") do
    inFolder(s"a target's name may be as long as names can be: $ending"): folder =>
      write(folder, "t.csv", "a", "1")
      val name = "n" * (250 - ending.length) + ending
      done(run(folder)("convert", "./t.csv", s"./$name"))
      assertEquals(done(run(folder)("head", s"./$name", "--csv")).lines, List("a", "1"))
      assertEquals(names(folder), Set("t.csv", name))

  inFolder("a target's name that is too long is refused without a stack trace"): folder =>
    write(folder, "t.csv", "a", "1")
    val name = "n" * 300
    val outcome = run(folder)("convert", "./t.csv", s"./$name")
    assertEquals((outcome.code, outcome.out), (1, ""))
    assertEquals(outcome.err, s"undercroft: ./$name cannot be written: File name too long\n")
    assertEquals(names(folder), Set("t.csv"))

  inFolder("the file behind a symbolic link is replaced, and the link stays"): folder =>
    write(folder, "t.csv", "a", "1")
    Files.createDirectory(folder.resolve("inner"))
    write(folder, "inner/old.csv", "b", "2")
    val link = folder.resolve("link.csv")
    Files.createSymbolicLink(link, Path.of("inner/old.csv"))
    val refused = run(folder)("convert", "./t.csv", "./link.csv")
    assertEquals(
      refused,
      Outcome(2, "", "undercroft: ./link.csv exists; --overwrite replaces it\n")
    )
    done(run(folder)("convert", "./t.csv", "./link.csv", "--overwrite"))
    assert(Files.isSymbolicLink(link))
    assertEquals(Files.readString(folder.resolve("inner/old.csv")), "a\n1\n")
    assertEquals(names(folder.resolve("inner")), Set("old.csv"))

  inFolder("a symbolic link to a file that does not exist is refused, and stays"): folder =>
    write(folder, "t.csv", "a", "1")
    Files.createSymbolicLink(folder.resolve("link.csv"), Path.of("gone.csv"))
    val message =
      "undercroft: ./link.csv is a symbolic link to a file that does not exist\n"
    for options <- Seq(Nil, Seq("--overwrite")) do
      val outcome = run(folder)(Seq("convert", "./t.csv", "./link.csv") ++ options*)
      assertEquals(outcome, Outcome(2, "", message))
    assertEquals(names(folder), Set("t.csv", "link.csv"))
    assert(Files.isSymbolicLink(folder.resolve("link.csv")))

  inFolder("a temporary folder that cannot be written is named, with exit code 1"): folder =>
    write(folder, "t.csv", "a", "1")
    done(run(folder)("convert", "./t.csv", "./t.arrow"))
    val property = "java.io.tmpdir"
    val before = System.getProperty(property)
    System.setProperty(property, s"$folder/none")
    try
      for words <- Seq(Seq("head", "./t.arrow"), Seq("convert", "./t.csv", "./u.arrow")) do
        val outcome = run(folder)(words*)
        assertEquals((outcome.code, outcome.out), (1, ""), outcome.err)
        val message = "the temporary folder ./none cannot be written: it does not exist; "
        assert(outcome.err.startsWith(s"undercroft: $message"), outcome.err)
    finally System.setProperty(property, before)
    assertEquals(names(folder), Set("t.csv", "t.arrow"))

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

  inFolder("a full disk ends with exit code 1, in every format, and the error names the target"):
    folder =>
      val copy = "copy (select i * 1234567 as i from range(200000) t(i)) to"
      done(run(folder)("sql", s"$copy '${folder.resolve("big.parquet")}'"))
      SmallDisk("256k").use: disk =>
        for name <- Seq("t.csv", "t.jsonl", "t.parquet", "t.rows", "t.arrow") do
          val outcome = run(folder)("convert", "./big.parquet", s"$disk/$name")
          assertEquals((outcome.code, outcome.out), (1, ""), outcome.err)
          assert(outcome.err.startsWith(s"undercroft: $disk/$name"), outcome.err)
          assert(outcome.err.contains("No space left on device"), outcome.err)
          assert(!outcome.err.contains(".part"), outcome.err)
          assertEquals(names(disk), Set.empty[String])
        assertEquals(run(folder)("sql", s"$copy '${disk.resolve("t.csv")}'").code, 1)
end TargetTest
