package outside.cli

import java.nio.file.{Files, Path, StandardCopyOption}
import undercroft.tools.{Requirement, TemporaryFolders}

/** The script that runs the jar. */
class LauncherTest extends CliSuite:
  private val installed = TemporaryFolders.create("undercroft-launcher")
  private val launcher = installed.resolve("bin/undercroft").nn
  private val home = System.getProperty("java.home").nn

  /** Copies the installed files; no other suite runs the copy. */
  override def beforeAll(): Unit =
    for name <- Seq("bin/undercroft", "lib/undercroft.jar") do
      Files.createDirectories(installed.resolve(name).getParent)
      Files.copy(Path.of(sys.env("UNDERCROFT_CLI")).resolve(name), installed.resolve(name))

  inFolder("the launcher creates an AOT cache and DuckDB's library beside the jar, if it can"):
    folder =>
      val lib = installed.resolve("lib")
      write(folder, "t.csv", "a,b", "1,2")
      val environment = Map("JAVA_HOME" -> home)
      def head() = shell(folder, environment, s"'$launcher' head '$folder/t.csv' --csv")
      def state = names(lib).map(name => name -> Files.getLastModifiedTime(lib.resolve(name)))
      assertEquals(head(), Outcome(0, "a,b\n1,2\n", ""))
      val first = state
      val caches = names(lib).filter(_.endsWith(".aot"))
      assertEquals((caches.size, names(lib).size), (1, 3))
      assert(Files.size(lib.resolve(caches.head)) > 1_000_000)
      assertEquals(head(), Outcome(0, "a,b\n1,2\n", ""))
      assertEquals(state, first)
      // The cache has the lambdas, too.
      val log = folder.resolve("classes.log")
      val logging = Map("UNDERCROFT_JAVA_OPTIONS" -> s"-Xlog:class+load:file=$log")
      done(shell(folder, environment ++ logging, s"'$launcher' help"))
      val (stored, generated) = Files.readString(log).linesIterator.filter(_.contains("$$Lambda"))
        .toSeq.partition(_.contains("shared objects"))
      assert(stored.size > 100 && generated.size < 20, generated.mkString("\n"))
      // A cache or a library that is damaged is not used.
      val damaged = first.map(_._1) - "undercroft.jar"
      for name <- damaged do
        Files.move(lib.resolve(name), folder.resolve(name))
        Files.write(lib.resolve(name), Array[Byte](1, 2, 3))
      assertEquals(head(), Outcome(0, "a,b\n1,2\n", ""))
      for name <- damaged do
        Files.move(folder.resolve(name), lib.resolve(name), StandardCopyOption.REPLACE_EXISTING)

  inFolder("the launcher runs the jar, through a link and from another folder, without a warning"):
    folder =>
      write(folder, "t.csv", "a,b", "1,2")
      Files.createSymbolicLink(folder.resolve("uc"), launcher)
      val outcome = shell(
        folder,
        Map("JAVA_HOME" -> home),
        s"cd '$folder' && ./uc head t.csv --csv"
      )
      assertEquals(outcome, Outcome(0, "a,b\n1,2\n", ""))

  inFolder("at a terminal, the first run of the launcher alone says that it takes some seconds"):
    folder =>
      Requirement.PYTHON3.require()
      for part <- Seq("bin", "lib", "jdk/bin") do Files.createDirectories(folder.resolve(part))
      Files.copy(launcher, folder.resolve("bin/undercroft"))
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
end LauncherTest
