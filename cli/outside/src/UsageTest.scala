package outside.cli

import java.io.{ByteArrayOutputStream, IOException, OutputStream, PrintStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import undercroft.tools.Requirement

/** Command lines that make no sense, streams that fail, and the shells' completion. */
class UsageTest extends CliSuite:

  inFolder("help lists the commands, with exit code 0, whatever command it is asked for"): folder =>
    for words <- Seq(Nil, Seq("--help"), Seq("help"), Seq("head", "--help")) do
      val outcome = done(run(folder)(words*))
      for name <- Seq("schema", "head", "stats", "verify", "diff", "convert", "sql", "completion")
      do
        assert(outcome.lines.exists(_.strip == name), s"$name is missing:\n${outcome.out}")

  private val mistakes = Seq(
    Seq("look") -> "look",
    Seq("head") -> "file",
    Seq("head", "./a", "./b") -> "b",
    Seq("head", "./a", "--rows", "many") -> "not a whole number from 0 on",
    Seq("head", "./a", "--rows", "-1") -> "not a whole number from 0 on",
    Seq("head", "./t.csv", "--json", "--csv") -> "--json and --csv exclude each other",
    Seq("head", "./none.csv") -> "none.csv: no such file",
    Seq("schema", "./none.rows") -> "no such file",
    Seq("schema", "./t.csv") -> "no struct file",
    Seq("verify") -> "no file is given",
    Seq("convert", "./none.csv", "./x.rows") -> "none.csv: no such file",
    Seq("convert", "./t.csv", "./none/x.rows") -> "no such folder",
    Seq("convert", "./t.csv", "./x.rows", "--layout", "wide") ->
      "layout must be rows, packed or columns, but is wide",
    Seq("convert", "./t.csv", "./x.parquet", "--layout", "rows") -> "are for a struct file",
    Seq("sql", "select * from missing") -> "missing",
    Seq("sql", "select 'max_expression_depth'") -> "SQL must not set max_expression_depth",
    Seq("sql", "select 1", "--json", "--csv") -> "--json and --csv exclude each other",
    Seq("sql", "select 250 price, 260 price", "--json") -> "the result has 2 columns named price",
    Seq("convert", "./t.csv", "./x\u0000.rows") -> "not a file name",
    Seq("diff", "t.csv", "t.csv", "--rows", "1000001") -> "--rows must be at most 1000000",
    Seq("completion", "fish") -> "shell must be bash or zsh, but is fish"
  )

  for (words, message) <- mistakes do
    inFolder(s"refused with exit code 2 and a reason: ${words.mkString(" ")}"): folder =>
      write(folder, "t.csv", "a", "1")
      val outcome = run(folder)(words*)
      assertEquals((outcome.code, outcome.out), (2, ""))
      assert(outcome.err.startsWith("undercroft: ") && outcome.err.contains(message), outcome.err)
      assert(!outcome.err.contains("at undercroft.cli"), outcome.err)
      assertEquals(names(folder), Set("t.csv"))

  inFolder("a failed write to standard output ends with exit code 1 and a message"): folder =>
    write(folder, "t.csv", "a", "1")
    val full = new OutputStream:
      override def write(byte: Int): Unit = throw IOException("No space left on device")
    for words <- Seq(Seq("head", "--csv"), Seq("head", "--json"), Seq("stats"), Seq("head")) do
      val err = ByteArrayOutputStream()
      val code = undercroft.cli.Main.run(
        words :+ s"$folder/t.csv",
        PrintStream(full),
        PrintStream(err, true, UTF_8)
      )
      assertEquals(code, 1)
      assertEquals(
        err.toString(UTF_8),
        "undercroft: the result cannot be written to standard output\n"
      )

  inFolder("an internal error ends with exit code 1 and its stack trace"): folder =>
    val failing = new OutputStream:
      override def write(byte: Int): Unit = throw java.util.NoSuchElementException("of the program")
    val err = ByteArrayOutputStream()
    val streams = (PrintStream(failing), PrintStream(err, true, UTF_8))
    val code = undercroft.cli.Main.run(Seq("help"), streams._1, streams._2)
    assertEquals(code, 1)
    val text = err.toString(UTF_8)
    assert(text.startsWith("java.util.NoSuchElementException: of the program"), text)
    assert(text.contains("at undercroft.cli."), text)

  inFolder("bash completes commands, options and files by the script"): folder =>
    Requirement.BASH.require()
    Files.writeString(folder.resolve("script"), done(run(folder)("completion", "bash")).out)
    def completed(words: String*): Set[String] =
      val line = words.map(word => s"'$word'").mkString(" ")
      val text =
        s". ./script; COMP_WORDS=($line); COMP_CWORD=${words.size - 1}; _undercroft; printf '%s\\n' \"$${COMPREPLY[@]}\""
      Files.writeString(folder.resolve("complete"), text)
      shell(
        folder,
        Map.empty,
        s"cd '$folder' && bash complete"
      ).out.linesIterator.filter(_.nonEmpty).toSet
    assertEquals(completed("undercroft", "s"), Set("schema", "stats", "sql"))
    assertEquals(completed("undercroft", "convert", "--l"), Set("--layout"))
    assertEquals(completed("undercroft", "head", "scr"), Set("script"))
    assertEquals(
      completed("undercroft", "head", "--"),
      Set("--rows", "--columns", "--json", "--csv")
    )
    write(folder, "two words.csv", "a", "1")
    assertEquals(completed("undercroft", "head", "tw"), Set("two words.csv"))
end UsageTest
