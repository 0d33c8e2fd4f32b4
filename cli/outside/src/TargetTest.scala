package outside.cli

import java.nio.file.{Files, Path}
import undercroft.tools.SmallDisk

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
