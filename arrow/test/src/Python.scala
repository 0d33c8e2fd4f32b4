package undercroft.arrow

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import munit.Assertions.{assertEquals, assume}
import scala.util.Try

/** Runs the script `arrow.py` with pyarrow or Polars; a test is skipped if they are missing. */
object Python:
  /** The virtual environment that `.ci/run` creates if `python3` lacks the packages, or `python3`.
    */
  private val python =
    val executable = Path.of(sys.env("UNDERCROFT_PYTHON_HOME")).resolve("bin").resolve("python")
    if Files.exists(executable) then executable.toString else "python3"

  private def has(module: String): Boolean =
    Try(ProcessBuilder(python, "-c", s"import $module").start().nn.waitFor()).toOption.contains(0)

  private lazy val hasPyarrow = has("pyarrow")
  private lazy val hasPolars = has("polars")

  def run(arguments: String*): ujson.Value =
    assume(
      if arguments.contains("polars") then hasPolars else hasPyarrow,
      s"skipped: $python is not there or has no ${arguments.find(_.startsWith("p")).getOrElse("")}"
    )
    ujson.read(output(sys.env("UNDERCROFT_PYTHON") +: arguments))

  /** Runs code that needs pyarrow. */
  def runCode(code: String): Unit =
    assume(hasPyarrow, s"skipped: $python is not there or has no pyarrow")
    output(Seq("-c", code)): Unit

  /** Skips a test unless Python has these modules. */
  def assumeModules(names: String*): Unit =
    for name <- names do assume(has(name), s"skipped: $python is not there or has no $name")

  /** Runs Python, which must succeed, and returns its output. */
  def output(arguments: Seq[String]): String =
    val process = ProcessBuilder((python +: arguments)*).redirectErrorStream(true).nn.start().nn
    val text = String(process.getInputStream.nn.readAllBytes(), UTF_8)
    assertEquals(process.waitFor(), 0, text)
    text
end Python
