package undercroft.tools

import java.io.{BufferedReader, BufferedWriter}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Base64

/** Runs Python with the packages of [[Requirement.PYTHON_PACKAGES]]; a test is skipped without
  * them.
  *
  * One process runs the scripts of all tests of this JVM, one after the other, because the imports
  * take a second. Thread-safe.
  */
object Python:
  /** Runs lines of its input, each the Base64 of `code` or `file` and of the arguments, and prints
    * for each a line with the exit code and the Base64 of the output.
    */
  private val Loop = """
import base64, contextlib, io, os, runpy, sys, traceback
results = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
for line in sys.stdin:
    kind, *sys.argv = [base64.b64decode(part).decode() for part in line.rstrip("\n").split(" ")]
    output, code = io.StringIO(), 0
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        try:
            if kind == "code":
                exec(compile(sys.argv[0], "<code>", "exec"), {"__name__": "__main__"})
            else:
                runpy.run_path(sys.argv[0], run_name="__main__")
        except BaseException:
            code = 1
            traceback.print_exc()
    results.write(f"{code} {base64.b64encode(output.getvalue().encode()).decode()}\n")
    results.flush()
"""

  private final class Running(process: Process):
    val writer: BufferedWriter = process.outputWriter(UTF_8).nn
    val reader: BufferedReader = process.inputReader(UTF_8).nn

  private var running: Option[Running] = None

  /** Runs a script with arguments, which must succeed, and returns its output. */
  def run(script: String, arguments: String*): String = request("file" +: script +: arguments)

  /** Runs lines of code, which must succeed, and returns their output. */
  def runCode(code: String): String = request(Seq("code", code))

  private def request(parts: Seq[String]): String = synchronized:
    val python = running.getOrElse(start())
    val encoder = Base64.getEncoder.nn
    python.writer.write(
      parts.map(part => encoder.encodeToString(part.getBytes(UTF_8))).mkString(" ")
    )
    python.writer.newLine()
    python.writer.flush()
    Option(python.reader.readLine()) match
      case None =>
        running = None
        munit.Assertions.fail(s"Python ended while it ran ${parts.mkString(" ")}")
      case Some(line) =>
        val Array(code, text) = line.split(" ", 2).nn: @unchecked
        val output = String(Base64.getDecoder.nn.decode(text), UTF_8)
        munit.Assertions.assertEquals(code, "0", output)
        output

  private def start(): Running =
    val builder = ProcessBuilder(Requirement.python(), "-c", Loop)
    val python = Running(builder.redirectError(ProcessBuilder.Redirect.INHERIT).nn.start().nn)
    running = Some(python)
    python
end Python
