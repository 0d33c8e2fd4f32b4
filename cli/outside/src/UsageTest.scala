package outside.cli

import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit

/** Command lines that make no sense, the launcher and the shells' completion. */
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
    Seq("completion", "fish") -> "shell must be bash or zsh, but is fish"
  )

  for (words, message) <- mistakes do
    inFolder(s"refused with exit code 2 and a reason: ${words.mkString(" ")}"): folder =>
      write(folder, "t.csv", "a", "1")
      val outcome = run(folder)(words*)
      assertEquals((outcome.code, outcome.out), (2, ""))
      assert(outcome.err.startsWith("undercroft: ") && outcome.err.contains(message), outcome.err)
      assertEquals(outcome.err.linesIterator.count(_.startsWith("\tat ")), 0, outcome.err)
      assertEquals(names(folder), Set("t.csv"))

  private def shell(folder: Path, environment: Map[String, String], command: String): Outcome =
    val (out, err) = (folder.resolve("shell.out"), folder.resolve("shell.err"))
    val builder = ProcessBuilder("sh", "-c", command)
      .redirectOutput(out.toFile)
      .redirectError(err.toFile)
    for (name, value) <- environment do builder.environment.put(name, value)
    val process = builder.start()
    val hasEnded = process.waitFor(2, TimeUnit.MINUTES)
    if !hasEnded then process.destroyForcibly()
    assert(hasEnded, s"$command does not end")
    Outcome(process.exitValue, Files.readString(out), Files.readString(err))

  private val launcher = s"${sys.env("UNDERCROFT_CLI")}/bin/undercroft"
  private val home = System.getProperty("java.home").nn

  inFolder("the launcher runs the jar, through a link and from another folder, without a warning"):
    folder =>
      write(folder, "t.csv", "a,b", "1,2")
      Files.createSymbolicLink(folder.resolve("uc"), Path.of(launcher))
      val outcome = shell(
        folder,
        Map("JAVA_HOME" -> home),
        s"cd '$folder' && ./uc convert t.csv t.rows && ./uc head t.rows --csv"
      )
      assertEquals(outcome, Outcome(0, "a,b\n1,2\n", ""))

  inFolder("the launcher names the JDK that it needs"): folder =>
    Files.createDirectories(folder.resolve("jdk/bin"))
    val java = folder.resolve("jdk/bin/java")
    Files.writeString(java, "#!/bin/sh\necho 'openjdk version \"17.0.2\" 2022-01-18' >&2\n")
    java.toFile.setExecutable(true)
    val old = shell(folder, Map("JAVA_HOME" -> s"$folder/jdk"), s"'$launcher' --help")
    assertEquals(old.code, 1)
    assert(old.err.contains("needs JDK 25 or later") && old.err.contains("is 17"), old.err)
    val none = shell(folder, Map("JAVA_HOME" -> s"$folder/none"), s"'$launcher' --help")
    assertEquals(none.code, 1)
    assert(none.err.contains("no program"), none.err)

  inFolder("bash completes commands, options and files by the script"): folder =>
    val hasBash = shell(folder, Map.empty, "command -v bash").code == 0
    assume(hasBash, "skipped: this system has no bash")
    Files.writeString(folder.resolve("script"), done(run(folder)("completion", "bash")).out)
    def completed(words: String*): Set[String] =
      val line = words.map(word => s"'$word'").mkString(" ")
      val text =
        s". ./script; COMP_WORDS=($line); COMP_CWORD=${words.size - 1}; _undercroft; printf '%s\\n' $${COMPREPLY[@]}"
      Files.writeString(folder.resolve("complete"), text)
      shell(
        folder,
        Map.empty,
        s"cd '$folder' && bash complete"
      ).out.linesIterator.filter(_.nonEmpty).toSet
    assertEquals(completed("undercroft", "s"), Set("schema", "stats", "sql"))
    assertEquals(completed("undercroft", "convert", "--l"), Set("--layout"))
    assertEquals(completed("undercroft", "head", "scr"), Set("script"))
end UsageTest
