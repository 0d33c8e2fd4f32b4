package undercroft.arrow

import java.nio.charset.StandardCharsets.UTF_8
import munit.Assertions.assertEquals
import undercroft.tools.{ChildJvm, Requirement}

/** Runs Python with pyarrow, Polars, pandas, DuckDB and JPype; a test is skipped without them. */
object Python:
  /** Runs the script `arrow.py`, which prints JSON. */
  def run(arguments: String*): ujson.Value =
    ujson.read(undercroft.tools.Python.run(sys.env("UNDERCROFT_PYTHON"), arguments*))

  def runCode(code: String): Unit = undercroft.tools.Python.runCode(code): Unit

  /** Runs a script in a process of its own, as one that starts a JVM needs it. */
  def runAlone(script: String, arguments: String*): String =
    val command = Requirement.python() +: script +: arguments
    val builder = ChildJvm.withoutOptions(ProcessBuilder(command*))
    val process = builder.redirectErrorStream(true).nn.start().nn
    val text = String(process.getInputStream.nn.readAllBytes(), UTF_8)
    assertEquals(process.waitFor(), 0, text)
    text
end Python
