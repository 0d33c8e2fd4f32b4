package undercroft.cli

import java.nio.file.{Files, Path}
import java.util.Locale
import undercroft.file.format.{Durability, StructFile}

/** Prints the size of a file and a summary of each column. */
private[cli] final class StatsCommand(file: String, json: Boolean) extends Command:
  def run(console: Console): Int = Inputs.use: inputs =>
    val structFile = inputs.add("t", file)
    val summary = inputs.database.query(
      """select column_name as "column", column_type as "type", min, max, avg as mean,
        |  approx_unique as "distinct", null_percentage as "null %" from (summarize t)""".stripMargin
    )
    if json then ResultFormat.Json.write(summary, console.out)
    else
      structFile.foreach(opened => console.out.println(StatsCommand.title(opened)))
      val rows = structFile.fold(inputs.database.query("select count(*) from t")(0, 0).long)(_.rows)
      console.out.println(s"${StatsCommand.count(rows, "row")}, ${size(Inputs.path(file))}")
      ResultFormat.Table.write(summary, console.out)
    0

  private def size(path: Path): String = StatsCommand.count(Files.size(path), "byte")
end StatsCommand

private[cli] object StatsCommand:
  def count(n: Long, noun: String): String = if n == 1 then s"1 $noun" else s"$n ${noun}s"

  private def title(file: StructFile): String =
    val state = file.durability match
      case Durability.SEALED => s"sealed in blocks of ${count(file.rowsPerBlock, "row")}"
      case other             => s"not sealed, ${other.toString.toLowerCase(Locale.ROOT)}"
    s"${SchemaCommand.title(file.schema)}, $state"
