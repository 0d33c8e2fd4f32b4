package undercroft.exchange
package internal.options

import java.io.IOException
import java.nio.file.{Files, InvalidPathException, Path}

/** The files that options name. */
private[exchange] object NamedFiles:

  def path(option: String, name: String): Path =
    try Path.of(name).nn
    catch
      case invalid: InvalidPathException =>
        throw BadInput(s"$option $name: not a file name here: ${invalid.getMessage}")

  /** Throws BadInput if an option would write the file of another one. */
  def checkDistinct(options: ExchangeOptions): Unit =
    val inputs = Seq("--from" -> options.from, "--open" -> options.open)
    val outputs = Seq(
      "--save" -> options.save,
      "--rejects" -> options.rejects,
      "--json" -> options.json.filter(_ != "-"),
      "--report" -> options.report
    )
    val files =
      for
        (use, named) <- Seq("reads" -> inputs, "writes" -> outputs)
        (option, value) <- named
        name <- value
      yield (option, use, name, path(option, name))
    for
      (first, use, _, file) <- files
      case (option, "writes", name, target) <- files.dropWhile(_._1 != first).drop(1)
      if isSame(file, target)
    do throw BadInput(s"$option $name: is the file that $first $use: name another one")
  end checkDistinct

  /** Whether two names are of one file. Two options may name one device, such as `/dev/null`. */
  private def isSame(a: Path, b: Path): Boolean =
    try
      if Files.exists(a) && Files.exists(b) then Files.isRegularFile(a) && Files.isSameFile(a, b)
      else place(a).equals(place(b))
    catch case failure: IOException => throw BadInput(s"$b: cannot be examined ($failure)")

  /** The absolute path, with a folder that has no symbolic links, if it exists. */
  private def place(path: Path): Path =
    val absolute = path.toAbsolutePath.nn.normalize.nn
    Option(absolute.getParent).filter(Files.isDirectory(_)) match
      case Some(folder) => folder.toRealPath().nn.resolve(absolute.getFileName).nn
      case None         => absolute
end NamedFiles
