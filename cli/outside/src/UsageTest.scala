package outside.cli

import java.io.{ByteArrayOutputStream, IOException, OutputStream, PrintStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit
import undercroft.tools.{ChildJvm, Requirement}

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

  private def shell(folder: Path, environment: Map[String, String], command: String): Outcome =
    val (out, err) = (folder.resolve("shell.out"), folder.resolve("shell.err"))
    val redirected = ProcessBuilder("sh", "-c", command)
      .redirectOutput(out.toFile)
      .redirectError(err.toFile)
    val builder = ChildJvm.withoutOptions(redirected)
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
        s"cd '$folder' && ./uc head t.csv --csv"
      )
      assertEquals(outcome, Outcome(0, "a,b\n1,2\n", ""))

  inFolder("the launcher creates an AOT cache and DuckDB's library beside the jar, if it can"):
    folder =>
      val copy = folder.resolve("lib")
      for part <- Seq("bin", "lib") do Files.createDirectory(folder.resolve(part))
      Files.copy(Path.of(launcher), folder.resolve("bin/undercroft"))
      val jar = Path.of(launcher).getParent.resolveSibling("lib/undercroft.jar")
      Files.copy(jar, copy.resolve("undercroft.jar"))
      write(folder, "t.csv", "a,b", "1,2")
      val environment = Map("JAVA_HOME" -> home)
      def head() =
        shell(folder, environment, s"'$folder/bin/undercroft' head '$folder/t.csv' --csv")
      def state = names(copy).map(name => name -> Files.getLastModifiedTime(copy.resolve(name)))
      assertEquals(head(), Outcome(0, "a,b\n1,2\n", ""))
      val first = state
      val caches = names(copy).filter(_.endsWith(".aot"))
      assertEquals((caches.size, names(copy).size), (1, 3))
      assert(Files.size(copy.resolve(caches.head)) > 1_000_000)
      assertEquals(head(), Outcome(0, "a,b\n1,2\n", ""))
      assertEquals(state, first)
      // The cache has the lambdas, too.
      val log = folder.resolve("classes.log")
      val logging = Map("UNDERCROFT_JAVA_OPTIONS" -> s"-Xlog:class+load:file=$log")
      done(shell(folder, environment ++ logging, s"'$folder/bin/undercroft' help"))
      val (stored, generated) = Files.readString(log).linesIterator.filter(_.contains("$$Lambda"))
        .toSeq.partition(_.contains("shared objects"))
      assert(stored.size > 100 && generated.size < 20, generated.mkString("\n"))
      // A cache or a library that is damaged is not used.
      for name <- first.map(_._1) if name != "undercroft.jar" do
        Files.write(copy.resolve(name), Array[Byte](1, 2, 3))
      assertEquals(head(), Outcome(0, "a,b\n1,2\n", ""))

  inFolder("at a terminal, the first run of the launcher alone says that it takes some seconds"):
    folder =>
      Requirement.PYTHON3.require()
      for part <- Seq("bin", "lib", "jdk/bin") do Files.createDirectories(folder.resolve(part))
      Files.copy(Path.of(launcher), folder.resolve("bin/undercroft"))
      Files.writeString(folder.resolve("jdk/release"), "JAVA_RUNTIME_VERSION=\"25.0.1+8\"\n")
      val fake = folder.resolve("jdk/bin/java")
      Files.writeString(
        fake,
        """#!/bin/sh
          |case $1 in -XX:AOTCacheOutput=*) echo cache > "${1#*=}" ;; *) echo runs ;; esac
          |""".stripMargin
      )
      fake.toFile.setExecutable(true): Unit
      val words = s"'$folder/bin/undercroft', 'help'"
      val terminal = s"""python3 -c "import pty; pty.spawn([$words])""""
      def help(command: String) = shell(folder, Map("JAVA_HOME" -> s"$folder/jdk"), command)
      val message = "undercroft: the first run prepares faster ones; it takes a few seconds"
      assertEquals(help(terminal), Outcome(0, s"$message\r\nruns\r\n", ""))
      assertEquals(help(terminal), Outcome(0, "runs\r\n", ""))
      Files.delete(folder.resolve("lib/undercroft-25.0.1+8.aot"))
      assertEquals(help(s"'$folder/bin/undercroft' help"), Outcome(0, "runs\n", ""))

  inFolder("head of a struct file loads no class of DuckDB's connections"): folder =>
    write(folder, "t.csv", "a,b", "1,x")
    done(run(folder)("convert", "./t.csv", "./t.cols"))
    def loaded(file: String): String =
      val log = folder.resolve("classes.log")
      val options = s"-XX:AOTMode=off -Xlog:class+load:file=$log"
      val environment = Map("JAVA_HOME" -> home, "UNDERCROFT_JAVA_OPTIONS" -> options)
      val outcome = shell(folder, environment, s"'$launcher' head '$folder/$file' --csv")
      assertEquals(outcome, Outcome(0, "a,b\n1,x\n", ""))
      Files.readString(log)
    assert(!loaded("t.cols").contains("undercroft.duckdb.DuckDb "))
    assert(loaded("t.csv").contains("undercroft.duckdb.DuckDb "))

  inFolder("the launcher keeps the charset of names, and the system's texts in English"): folder =>
    val fake = Files.createDirectories(folder.resolve("bin")).resolve("java")
    Files.writeString(
      fake,
      """#!/bin/sh
        |if [ "$1" = -version ]; then echo 'openjdk version "25"' >&2; exit; fi
        |echo "${LC_ALL:-none} ${LC_CTYPE:-none} ${LC_MESSAGES:-none}"
        |""".stripMargin
    )
    fake.toFile.setExecutable(true): Unit
    val spanish = Map("JAVA_HOME" -> s"$folder", "LC_ALL" -> "es_ES.UTF-8")
    assertEquals(
      shell(folder, spanish, s"'$launcher' help"),
      Outcome(0, "none es_ES.UTF-8 C\n", "")
    )

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

  /** Without C2: the time of a command is that of its start. */
  private val startOptions = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
  private val asUser =
    Map("JAVA_HOME" -> home, "LC_ALL" -> "C", "UNDERCROFT_JAVA_OPTIONS" -> startOptions)

  inFolder("the launcher reports a full device behind standard output"): folder =>
    Requirement.DEV_FULL.require()
    val outcome = shell(folder, asUser, s"'$launcher' sql 'select 1' --json > /dev/full")
    val message = "undercroft: the result cannot be written to standard output\n"
    assertEquals(outcome, Outcome(1, "", message))

  inFolder("a reader that closes the pipe is no failure"): folder =>
    val query = s"'$launcher' sql 'from range(300000)' --csv"
    val outcome = shell(folder, asUser, s"{ $query; echo code $$? >&2; } | head -n 1")
    assertEquals(outcome, Outcome(0, "range\n", "code 0\n"))

  inFolder("a temporary folder that does not exist ends with exit code 1 and a message"): folder =>
    write(folder, "t.csv", "a", "1")
    val environment =
      asUser + ("UNDERCROFT_JAVA_OPTIONS" ->
        s"$startOptions -Djava.io.tmpdir=$folder/none -Dundercroft.duckdb.folder=$folder/none")
    val outcome = shell(folder, environment, s"'$launcher' head '$folder/t.csv'")
    assertEquals((outcome.code, outcome.out), (1, ""), outcome.err)
    assert(outcome.err.contains("could not be loaded: "), outcome.err)
    assert(!outcome.err.contains("at undercroft."), outcome.err)

  inFolder("results are UTF-8 under every locale, also of a file whose name begins with ~"):
    folder =>
      write(folder, "~t.csv", "v", "日本")
      for (format, text) <- Seq("--json" -> "[{\"v\":\"日本\"}]\n", "--csv" -> "v\n日本\n") do
        val outcome = shell(folder, asUser, s"cd '$folder' && '$launcher' head '~t.csv' $format")
        assertEquals(outcome, Outcome(0, text, ""))

  inFolder("an Instant keeps its second in CSV, in every time zone"): folder =>
    val target = folder.resolve("t.parquet")
    done(run(folder)(
      "sql",
      s"copy (select timestamptz '0001-01-01 00:00:00+00' as at) to '$target'"
    ))
    val commands = s"'$launcher' convert t.parquet t.csv && cat t.csv"
    val outcome = shell(folder, asUser + ("TZ" -> "Asia/Tokyo"), s"cd '$folder' && $commands")
    assertEquals((outcome.code, outcome.err), (0, ""))
    assertEquals(outcome.lines.takeRight(2), List("at", "0001-01-01 00:00:00+00"))

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
