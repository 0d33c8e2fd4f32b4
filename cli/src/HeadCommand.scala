package undercroft.cli

/** Prints the first rows of a file. */
private[cli] final class HeadCommand(
    file: String,
    rows: Long,
    columns: Option[String],
    format: ResultFormat
) extends Command:
  def run(console: Console): Int = Inputs.use: inputs =>
    inputs.add("t", file, rows = Math.max(rows, HeadCommand.LeastRows)): Unit
    val selection = columns.fold("*")(inputs.selection("t", file, _))
    format.write(inputs.database, s"select $selection from t limit $rows", console.out)
    0
end HeadCommand

private object HeadCommand:
  /** The rows of a CSV file that its types are taken from, if it has more. */
  private val LeastRows = 20_000L
