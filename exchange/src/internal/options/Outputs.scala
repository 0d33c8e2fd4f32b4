package undercroft.exchange
package internal.options

import java.io.{IOException, PrintStream}
import java.nio.file.{Files, Path, StandardCopyOption}

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

  /** Writes a file, whose former content stays until the new one is whole. A device or a pipe, and
    * a file in a folder that cannot be written, are written in place. Throws Failed if the text
    * cannot be written.
    */
  def write(option: String, name: String, text: String): Unit =
    try
      val path = NamedFiles.path(option, name).toAbsolutePath.nn
      val target = if Files.exists(path) then path.toRealPath().nn else path
      val folder = target.getParent.nn
      val isNew = !Files.exists(target)
      if (isNew || Files.isRegularFile(target)) && Files.isWritable(folder) then
        val unfinished =
          folder.resolve(s"${target.getFileName}.unfinished-${ProcessHandle.current.nn.pid}")
        try
          val _ = Files.writeString(unfinished, text)
          if !isNew then
            val _ = Files.setPosixFilePermissions(unfinished, Files.getPosixFilePermissions(target))
          val _ = Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE)
        finally Files.deleteIfExists(unfinished): Unit
      else Files.writeString(target, text): Unit
    catch case failure: IOException => throw Failed(s"$option $name: cannot be written ($failure)")
end Outputs
