package undercroft.cli
package internal.show

import internal.input.Inputs
import internal.io.{BadInput, Console}
import internal.sql.ResultFormat
import java.nio.file.Files
import java.util.Locale

/** Runs SQL over files and folders of struct files. */
private[cli] final class SqlCommand(query: String, files: Seq[String], format: ResultFormat)
    extends Command:
  def run(console: Console): Int = Inputs.use: inputs =>
    val tables = files.map(Inputs.named)
    val twice =
      tables.groupBy(_._1.toLowerCase(Locale.ROOT)).collect {
        case (name, uses) if uses.size > 1 => name
      }
    if twice.nonEmpty then
      throw BadInput(s"several files are named ${twice.mkString(", ")}: name each, NAME=FILE")
    for (name, file) <- tables do
      val path = Inputs.path(file)
      if Files.isDirectory(path) then inputs.addFolder(name, path)
      else inputs.add(name, file): Unit
    inputs.useAllThreads()
    format.write(inputs.database, query, console.out)
    0
end SqlCommand
