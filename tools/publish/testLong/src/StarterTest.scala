package undercroft.tools.publish

import scala.concurrent.duration.*
import undercroft.tools.Requirement

/** Compiles and runs each starter as a user would, with the libraries in a local Ivy repository. */
class StarterTest extends undercroft.tools.Suite:
  override def munitTimeout: Duration = 60.minutes

  private val expected = Seq("100", "252")

  /** An Ivy home whose local repository has `undercroft-struct` and `undercroft-memory`. */
  private val ivy = os.Path(sys.env("UNDERCROFT_IVY_HOME"))

  /** A copy of a starter's folder. */
  private def starter(name: String): os.Path =
    val folder = os.temp.dir(prefix = name)
    os.copy(Workspace.source / "examples" / s"starter-$name", folder, mergeFolders = true)
    folder

  private def assertPrints(output: String): Unit =
    val lines = output.linesIterator.map(_.stripPrefix("[info]").trim.nn).toVector
    assert(lines.containsSlice(expected), output)

  test("the Mill starter compiles and prints the day's balance"):
    val folder = starter("mill")
    val build = os.read(folder / "build.mill")
    // The JDK of this test in place of the one that Mill would download.
    val local = build.replace("mill-jvm-version: temurin:25", "mill-jvm-version: system").nn
    assertNotEquals(local, build)
    os.write.over(folder / "build.mill", local)
    os.copy(Workspace.source / "mill", folder / "mill")
    val repository = s"-Divy.home=$ivy"
    val environment = Map("JAVA_TOOL_OPTIONS" -> repository)
    val run = Seq("sh", "./mill", "--no-daemon", "--ticker", "false", "run")
    assertPrints(Workspace.call(folder, run, environment))

  test("the sbt starter compiles and prints the day's balance"):
    val launcher = sbtLauncher
    Requirement.SBT.require(launcher.isDefined)
    val folder = starter("sbt")
    val java = s"${Workspace.javaHome}/bin/java"
    val homes =
      Seq(s"-Divy.home=$ivy", s"-Dsbt.ivy.home=$ivy", s"-Dsbt.global.base=${folder / "global"}")
    val sbt = Seq(java) ++ homes ++ Seq("-Dsbt.log.noformat=true", "-jar", launcher.get.toString)
    assertPrints(Workspace.call(folder, sbt :+ "run"))

  test("the Scala CLI starter prints the day's balance"):
    val installed = Seq("scala-cli", "scala").find(isScalaCli)
    Requirement.SCALA_CLI.require(installed.isDefined)
    val folder = starter("scala-cli")
    val flags = Seq("--server=false", "--repository", s"ivy:file://$ivy/local/[defaultPattern]")
    val run = Seq(installed.get, "run", "TradingDay.scala") ++ flags
    assertPrints(Workspace.call(folder, run))

  test("the starters contain the README's program"):
    val lines = os.read.lines(Workspace.source / "examples" / "src" / "tradingDay.scala").toVector
    val program = lines.dropWhile(!_.startsWith("import")).takeWhile(!_.startsWith("// prints"))
    val files = Seq(
      os.sub / "starter-sbt" / "src" / "main" / "scala",
      os.sub / "starter-mill" / "src",
      os.sub / "starter-scala-cli"
    )
    for file <- files do
      val copy = os.read.lines(Workspace.source / "examples" / file / "TradingDay.scala").toVector
      assert(copy.containsSlice(program.reverse.dropWhile(_.isBlank).reverse), file.toString)

  private def isScalaCli(command: String): Boolean =
    try os.call(Seq(command, "version"), mergeErrIntoOut = true).out.text().contains("Scala CLI")
    catch case _: java.io.IOException | _: os.SubprocessException => false

  private def sbtLauncher: Option[os.Path] =
    sys.env.get("UNDERCROFT_SBT_LAUNCHER").filter(_.nonEmpty).map(os.Path(_))
end StarterTest
