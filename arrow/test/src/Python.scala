package undercroft.arrow

import java.nio.charset.StandardCharsets.UTF_8
import munit.Assertions.assertEquals
import undercroft.tools.{ChildJvm, Requirement}

/** Runs Python with pyarrow, Polars, pandas, DuckDB and JPype; a test is skipped without them. */
object Python:
  /** Runs the script `arrow.py`, which prints JSON. */
  def run(arguments: String*): ujson.Value =
    ujson.read(output(sys.env("UNDERCROFT_PYTHON") +: arguments))

  def runCode(code: String): Unit = output(Seq("-c", code)): Unit

  /** Runs Python, which must succeed, and returns its output. */
  def output(arguments: Seq[String]): String =
    val command = Requirement.python() +: arguments
    val builder = ChildJvm.withoutOptions(ProcessBuilder(command*)) // JPype starts a JVM
    val process = builder.redirectErrorStream(true).nn.start().nn
    val text = String(process.getInputStream.nn.readAllBytes(), UTF_8)
    assertEquals(process.waitFor(), 0, text)
    text
end Python
