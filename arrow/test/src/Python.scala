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
    val script = sys.env("UNDERCROFT_PYTHON")
    val command = Seq(python, script) ++ arguments
    val process = ProcessBuilder(command*).redirectErrorStream(true).nn.start().nn
    val output = String(process.getInputStream.nn.readAllBytes(), UTF_8)
    assertEquals(process.waitFor(), 0, output)
    ujson.read(output)
end Python
