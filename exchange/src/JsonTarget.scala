package undercroft.exchange

import java.io.{IOException, PrintStream}
import java.nio.file.{Files, Path}

/** Where `--json` goes: a file, or standard output for `-`. Throws BadInput at once, before any
  * work, where the file cannot be written.
  */
final class JsonTarget(name: String):
  val isOutput: Boolean = name == "-"

  if !isOutput then put("")

  def write(json: String, out: PrintStream): Unit =
    if isOutput then out.println(json) else put(json + "\n")

  private def put(text: String): Unit =
    try Files.writeString(Path.of(name), text): Unit
    catch case failure: IOException => throw BadInput(s"--json $name: cannot be written ($failure)")
end JsonTarget
