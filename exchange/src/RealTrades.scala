package undercroft.exchange

import internal.options.{ExchangeOptions, JsonTarget, NamedFiles, Outputs}
import internal.report.Bar
import internal.trades.{ByteLines, GzipMembers, Malformed, RealTradesReport, Rejects, TradesCsv}
import java.io.{IOException, InputStream, PrintStream, PushbackInputStream}
import java.nio.file.{Files, Path}
import me.tongfei.progressbar.wrapped.ProgressBarWrappedInputStream

/** The other job: reads real trades from a CSV file, keeps them, and balances them in total and by
  * ticket.
  */
final class RealTrades(
    file: Path,
    rejects: Option[Path],
    json: Option[JsonTarget],
    save: Option[Path]
):

  /** Returns the exit code; throws BadInput for a file that cannot be used. */
  def run(out: PrintStream, err: PrintStream): Int =
    val people = if json.exists(_.isOutput) then err else out
    val report = Book.scoped: book =>
      val (read, rejected) = readInto(book, err)
      save.foreach(book.save)
      RealTradesReport(file, read, rejected, rejects, book.balance, book.byTicket)
    report.print(people)
    json.foreach(_.write(report.json, out))
    0

  /** The lines read and, of these, rejected. */
  private def readInto(book: Book, err: PrintStream): (Long, Long) =
    val input =
      try Files.newInputStream(file).nn
      catch case failure: IOException => throw BadInput(s"--from $file: cannot be read ($failure)")
    val name = file.getFileName.toString
    val refused = Rejects(file, rejects, err)
    val bar = Bar(err).of(name, Files.size(file), (" B", 1L), (" kB", 1000L), (" MB", 1_000_000L))
    var lineNumber = 0L
    try
      try
        val lines = ByteLines(RealTrades.unzipped(ProgressBarWrappedInputStream(input, bar)))
        try
          val counts = readLines(lines, book, refused)
          refused.finish()
          counts
        finally lineNumber = lines.number
      catch
        case failure: IOException =>
          throw BadInput(s"$file: line ${lineNumber + 1}: cannot be read on ($failure)")
        case bad: BadInput => throw BadInput(s"$file: ${bad.getMessage}")
    finally
      bar.close()
      input.close()
      refused.close()
  end readInto

  private def readLines(lines: ByteLines, book: Book, refused: Rejects): (Long, Long) =
    val header = lines.find(!_.isBlank).getOrElse:
      throw BadInput("line 1, column 1: the file is empty, without a header")
    val csv =
      try TradesCsv.headed(header, lines.number)
      catch case malformed: Malformed => throw BadInput(malformed.where)
    var read = 0L
    for line <- lines if !line.isBlank do
      read += 1
      try book += csv.trade(line, lines.number)
      catch case malformed: Malformed => refused.take(line, malformed)
    (read, refused.count)
  end readLines
end RealTrades

object RealTrades:

  /** Throws BadInput for options that contradict each other. */
  def of(options: ExchangeOptions, from: String): RealTrades =
    val conflicts = Seq(
      "--trades" -> options.trades,
      "--storage" -> options.storage,
      "--heap" -> options.heap,
      "--pages" -> options.pages,
      "--report" -> options.report,
      "--give-up-after" -> options.giveUpAfter,
      "--jvm" -> options.jvm.headOption,
      "--aot" -> options.aot
    )
    for (option, value) <- conflicts if value.isDefined do
      throw BadInput(s"$option is for made-up trades, --from for real ones: give one of them")
    val file = NamedFiles.path("--from", from)
    if !Files.exists(file) then throw BadInput(s"--from $file: there is no such file")
    if Files.isDirectory(file) then throw BadInput(s"--from $file: is a folder")
    val targets = options.rejects.map("--rejects" -> _) ++
      options.json.filter(_ != "-").map("--json" -> _)
    for (option, name) <- targets do Outputs.check(option, NamedFiles.path(option, name))
    options.save.foreach(SavedDay.check)
    RealTrades(
      file,
      options.rejects.map(NamedFiles.path("--rejects", _)),
      options.json.map(JsonTarget(_)),
      options.save.map(NamedFiles.path("--save", _))
    )
  end of

  /** The stream itself, or its decompressed form if it begins with gzip's magic number. */
  private def unzipped(input: InputStream): InputStream =
    val ahead = PushbackInputStream(input, 2)
    val start = ahead.readNBytes(2).nn
    ahead.unread(start)
    if start.length == 2 && (start(0) & 0xff) == 0x1f && (start(1) & 0xff) == 0x8b then
      GzipMembers(ahead)
    else ahead
end RealTrades
