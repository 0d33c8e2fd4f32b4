package outside.python

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import scala.util.{Try, Using}
import undercroft.tools.Requirement

/** The Python package, installed from its wheel into an empty environment, reads files that Scala
  * wrote. The details are in `python/tests`, which pytest runs.
  */
class PythonTest extends undercroft.tools.Suite:
  private val sources = Path.of(sys.env("UNDERCROFT")).resolve("python")

  /** The virtual environment that `.ci/run` creates if `python3` lacks the packages, or `python3`.
    */
  private val python =
    val executable = Path.of(sys.env("UNDERCROFT_PYTHON_HOME")).resolve("bin").resolve("python")
    if Files.exists(executable) then executable.toString else "python3"

  private final case class Ended(exit: Int, output: String)

  private def run(folder: Path, environment: (String, String)*)(command: String*): Ended =
    Try:
      val builder = ProcessBuilder(command*).directory(folder.toFile).redirectErrorStream(true)
      environment.foreach((name, value) => builder.environment.put(name, value))
      val process = builder.start()
      process.getOutputStream.close()
      val output = String(process.getInputStream.readAllBytes(), UTF_8)
      Ended(process.waitFor(), output)
    .getOrElse(Ended(-1, s"${command.head} could not be started"))

  private def inFolder[A](body: Path => A): A =
    val folder = Files.createTempDirectory("undercroft-python-")
    try body(folder)
    finally
      Using.resource(Files.walk(folder)): paths =>
        paths.sorted(java.util.Comparator.reverseOrder).forEach(path => Files.deleteIfExists(path))

  private def copy(from: Path, to: Path): Unit =
    Using.resource(Files.walk(from)): paths =>
      paths.forEach: path =>
        if Files.isDirectory(path) then
          Files.createDirectories(to.resolve(from.relativize(path))): Unit
        else Files.copy(path, to.resolve(from.relativize(path))): Unit

  /** An environment with the wheel and all optional packages, or the reason for its lack. */
  private def install(folder: Path): Either[String, String] =
    val project = folder.resolve("python")
    val _ = Files.createDirectory(project)
    for name <- Seq("pyproject.toml", "README.md", "LICENSE") do
      Files.copy(sources.resolve(name), project.resolve(name)): Unit
    copy(sources.resolve("src"), project.resolve("src"))
    val installed = folder.resolve("venv").resolve("bin").resolve("python").toString
    val steps = Seq(
      Seq(python, "-c", "import sys; sys.exit(sys.version_info < (3, 10))") ->
        "there is no Python 3.10 or later",
      Seq(python, "-m", "venv", folder.resolve("venv").toString) -> "Python has no venv",
      Seq(
        installed,
        "-m",
        "pip",
        "install",
        "-q",
        "numpy",
        "pandas",
        "pyarrow",
        "polars",
        "pytest",
        "zstandard"
      ) ->
        "pip cannot install NumPy, pandas, pyarrow, Polars, pytest and zstandard",
      Seq(installed, "-m", "pip", "wheel", "-q", "--no-deps", "-w", "wheels", "./python") ->
        "pip cannot build the wheel"
    )
    steps.iterator
      .map((command, reason) => (run(folder)(command*), reason))
      .collectFirst { case (ended, reason) if ended.exit != 0 => s"$reason: ${ended.output}" }
      .toLeft(installed)
  end install

  test(
    "the installed Python package reads every file that Scala writes, and rejects faulty ones".tag(
      LongTest
    )
  ):
    inFolder: folder =>
      val environment = install(folder)
      for reason <- environment.left do println(reason)
      Requirement.PYPI.require(environment.isRight)
      val installed = environment.getOrElse("")
      val wheels = Using.resource(Files.list(folder.resolve("wheels")))(_.toArray.map(_.toString))
      val wheel = run(folder)((Seq(installed, "-m", "pip", "install", "-q") ++ wheels)*)
      assertEquals(wheel.exit, 0, wheel.output)
      val samples = Files.createDirectory(folder.resolve("samples"))
      SampleFiles(samples).write()
      val tests = folder.resolve("tests")
      copy(sources.resolve("tests"), tests)
      Using.resource(Writer(samples)): writer =>
        val ended = run(
          folder,
          "UNDERCROFT_SAMPLES" -> samples.toString,
          "UNDERCROFT_WRITER" -> writer.port.toString,
          "UNDERCROFT_PAGES" -> Seq(
            sources.resolve("README.md"),
            sources.resolveSibling("docs").resolve("guide").resolve("files.md")
          ).mkString(java.io.File.pathSeparator)
        )(installed, "-m", "pytest", "-q", "-p", "no:cacheprovider", tests.toString)
        assertEquals(ended.exit, 0, ended.output)
        assert(!ended.output.contains("skipped"), ended.output)
end PythonTest
