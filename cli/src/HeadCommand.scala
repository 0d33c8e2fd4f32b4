package undercroft.cli

/** Prints the first rows of a file. */
private[cli] final class HeadCommand(
    file: String,
    rows: Long,
    columns: Option[String],
    format: ResultFormat
) extends Command:
  def run(console: Console): Int = Inputs.use: inputs =>
    inputs.add("t", file): Unit
    val selection =
      columns.fold("*")(_.split(',').map(name => Sql.name(name.strip.nn)).mkString(", "))
    format.write(inputs.database.query(s"select $selection from t limit $rows"), console.out)
    0
end HeadCommand
