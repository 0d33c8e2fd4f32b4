package undercroft.cli
package internal.show

import internal.input.Inputs
import internal.io.{Console, FileFormat}
import internal.sql.ResultFormat

/** Prints the first rows of a file. */
private[cli] final class HeadCommand(
    file: String,
    rows: Long,
    columns: Option[String],
    format: ResultFormat
) extends Command:
  def run(console: Console): Int = Inputs.use: inputs =>
    val source =
      Option.when(FileFormat.of(file) == FileFormat.Struct)(inputs.openStruct(Inputs.path(file)))
    source.flatMap(StructHead.read(_, file, rows, columns)) match
      case Some(result) => format.write(result, console.out)
      case None =>
        source match
          case Some(opened) => inputs.register("t", opened, Inputs.path(file))
          case None => inputs.add("t", file, rows = Math.max(rows, HeadCommand.LeastRows)): Unit
        val selection = columns.fold("*")(inputs.selection("t", file, _))
        format.write(inputs.database, s"select $selection from t limit $rows", console.out)
    0
end HeadCommand

private[cli] object HeadCommand:
  /** The rows of a CSV file that its types are taken from, if it has more. */
  private val LeastRows = 20_000L
