package outside.cli

import java.nio.file.Files

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

  private def command(words: String*): Boolean =
    try ProcessBuilder(words*).redirectErrorStream(true).start().waitFor() == 0
    catch case _: java.io.IOException => false // there is no such program

  inFolder("a full disk ends with exit code 1, in every format, and the error names the target"):
    folder =>
      val disk = Files.createDirectory(folder.resolve("disk"))
      val mounted = command("mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", disk.toString)
      assume(mounted, "skipped: this process may not mount a small disk")
      try
        val copy = "copy (select i * 1234567 as i from range(200000) t(i)) to"
        done(run(folder)("sql", s"$copy '${folder.resolve("big.parquet")}'"))
        for name <- Seq("t.csv", "t.jsonl", "t.parquet", "t.rows", "t.arrow") do
          val outcome = run(folder)("convert", "./big.parquet", s"./disk/$name")
          assertEquals((outcome.code, outcome.out), (1, ""), outcome.err)
          assert(outcome.err.startsWith(s"undercroft: ./disk/$name"), outcome.err)
          assert(outcome.err.contains("No space left on device"), outcome.err)
          assert(!outcome.err.contains(".part"), outcome.err)
          assertEquals(names(disk), Set.empty[String])
        assertEquals(run(folder)("sql", s"$copy '${disk.resolve("t.csv")}'").code, 1)
      finally
        assert(command("umount", disk.toString))
end TargetTest
