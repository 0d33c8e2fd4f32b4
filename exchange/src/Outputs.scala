package undercroft.exchange

import java.io.{IOException, PrintStream}
import java.nio.file.{Files, Path}

/** Where `--json` goes: a file, or standard output for `-`. Throws BadInput at once, before any
  * work, where the file cannot be written.
  */
final class JsonTarget(name: String):
  val isOutput: Boolean = name == "-"

  if !isOutput then Outputs.check("--json", NamedFiles.path("--json", name))

  def write(json: String, out: PrintStream): Unit =
    if isOutput then out.println(json)
    else Outputs.write("--json", name, json + "\n")
end JsonTarget

/** The file of `--report`. Throws BadInput at once, before any work, if it cannot be written. */
final class PageTarget(name: String):
  Outputs.check("--report", NamedFiles.path("--report", name))

  def write(html: String): Unit = Outputs.write("--report", name, html)

/** Files that an option names to be written. */
private[exchange] object Outputs:

  /** Throws BadInput, and changes no file, if `path` cannot be written. */
  def check(option: String, path: Path): Unit =
    val folder = Option(path.toAbsolutePath.nn.getParent)
    if Files.isDirectory(path) then throw BadInput(s"$option $path: is a folder")
    else if Files.exists(path) && !Files.isWritable(path) then
      throw BadInput(s"$option $path: cannot be written")
    else if !folder.exists(f => Files.isDirectory(f) && Files.isWritable(f)) && !Files.exists(path)
    then throw BadInput(s"$option $path: its folder does not exist or cannot be written")

  /** Throws Failed if the text cannot be written. */
  def write(option: String, name: String, text: String): Unit =
    try Files.writeString(NamedFiles.path(option, name), text): Unit
    catch case failure: IOException => throw Failed(s"$option $name: cannot be written ($failure)")
end Outputs
