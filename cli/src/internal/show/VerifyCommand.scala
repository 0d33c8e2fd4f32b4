package undercroft.cli
package internal.show

import internal.input.Inputs
import internal.io.{BadInput, Console}
import internal.sql.ResultFormat
import java.util.Locale
import undercroft.duckdb.{QueryResult, SqlValue}
import undercroft.file.format.{Durability, ErrorKind, StructFile, StructFileException}
import undercroft.file.format.internal.codec.CompressedFile

/** Compares sealed files with their checksums; the exit code is that of the worst file. */
private[cli] final class VerifyCommand(files: Seq[String], json: Boolean) extends Command:
  if files.isEmpty then throw BadInput("verify: no file is given")

  def run(console: Console): Int =
    val outcomes = console.progress("verify", files.size): step =>
      files.toVector.map: file =>
        val outcome = verified(file)
        step(1)
        outcome
    if json then
      val rows = files.toVector.zip(outcomes).map: (file, outcome) =>
        Vector(SqlValue.Text(file), SqlValue.Text(outcome.state), SqlValue.Text(outcome.message))
      ResultFormat.Json.write(QueryResult(Vector("file", "state", "message"), rows), console.out)
    else
      for (file, outcome) <- files.zip(outcomes) do
        if outcome.code == 0 then console.out.println(s"$file: ${outcome.message}")
        else console.err.println(s"undercroft: ${outcome.message}")
    outcomes.map(_.code).max

  private final class Outcome(val code: Int, val state: String, val message: String)

  private def verified(name: String): Outcome =
    try
      val file = StructFile.open(Inputs.path(name))
      try
        val rows = StatsCommand.count(file.rows, "row")
        if file.durability == Durability.SEALED then
          file.verify()
          Outcome(0, "correct", s"$rows, all checksums are correct")
        else Outcome(0, "unsealed", s"$rows, not sealed: it has no checksums yet")
      finally file.close()
    catch
      case compressed: StructFileException if compressed.kind == ErrorKind.COMPRESSED =>
        verifiedBlocks(name)
      case error: StructFileException => failed(error)

  private def failed(error: StructFileException): Outcome =
    val state = error.kind.toString.toLowerCase(Locale.ROOT).nn
    Outcome(Main.codeOf(error.kind), state, error.getMessage.nn)

  /** Decompresses a file and compares its checksums. */
  private def verifiedBlocks(name: String): Outcome =
    try
      val file = CompressedFile.open(Inputs.path(name))
      try
        file.verify()
        val rows = StatsCommand.count(file.rows, "row")
        Outcome(0, "correct", s"$rows, compressed with ${file.codec}, all checksums are correct")
      finally file.close()
    catch case error: StructFileException => failed(error)
end VerifyCommand
