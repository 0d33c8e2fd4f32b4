package undercroft.exchange

import internal.options.{ExchangeOptions, JsonTarget, NamedFiles, Outputs}
import internal.report.Bar
import internal.run.Day
import internal.storage.{StockExchange, Trade}
import internal.text.{Formatting, Json}
import java.io.{IOException, PrintStream}
import java.nio.file.{Files, LinkOption, Path}
import java.security.SecureRandom
import undercroft.exchange.internal.text.Json.{Exact, Writer}
import undercroft.file.format.Durability
import undercroft.struct.*
import undercroft.file.*

/** A day in a file that outlives the process: made up and kept by `--save`, balanced by `--open`.
  */
final class SavedDay(
    file: Path,
    newTrades: Option[Long],
    sql: Option[String],
    json: Option[JsonTarget]
):

  /** Returns the exit code; throws a StructFileException for a file that cannot be used. */
  def run(out: PrintStream, err: PrintStream): Int =
    sql.fold(balanced(out, err))(DayQuery(file, _, json).run(out, err))

  private def balanced(out: PrintStream, err: PrintStream): Int =
    val people = if json.exists(_.isOutput) then err else out
    newTrades.foreach: trades =>
      val millis = SavedDay.millis(SavedDay.make(file, trades, err))(0)
      people.println(s"$file: ${Formatting.spaced(trades)} trades saved in $millis ms")
    val (openMillis, day) = SavedDay.millis(Rows.openReadOnly[Trade](file))
    try
      val (balanceMillis, balance) = SavedDay.millis(day.exactSumOf(_.balance))
      people.println(
        s"$file: ${Formatting.spaced(day.size)} trades, opened in $openMillis ms, " +
          s"balanced in $balanceMillis ms: ${Formatting.spaced(balance)}"
      )
      val saved = SavedDayJson(file.toString, day.size, Exact(balance), openMillis, balanceMillis)
      json.foreach(_.write(Json.text(saved), out))
      0
    finally day.close()
  end balanced
end SavedDay

/** The shape of `--save` and `--open` with `--json`, in the order of its keys. */
private[exchange] final case class SavedDayJson(
    file: String,
    trades: Long,
    balance: Exact,
    openMillis: Long,
    balanceMillis: Long
) derives Writer

object SavedDay:
  private val DefaultTrades = 50_000_000L

  /** Throws BadInput for options that contradict each other. */
  def of(options: ExchangeOptions): SavedDay =
    val conflicts = Seq(
      "--storage" -> options.storage,
      "--heap" -> options.heap,
      "--pages" -> options.pages,
      "--report" -> options.report,
      "--rejects" -> options.rejects,
      "--give-up-after" -> options.giveUpAfter,
      "--jvm" -> options.jvm.headOption,
      "--aot" -> options.aot,
      "--trades" -> options.trades.filter(_ => options.open.isDefined),
      "--save" -> options.save.filter(_ => options.open.isDefined),
      "--from" -> options.from
    )
    val mode = if options.open.isDefined then "--open" else "--save"
    for (option, value) <- conflicts if value.isDefined do
      throw BadInput(s"$option does not go with $mode: give one of them")
    val trades = options.trades.getOrElse(DefaultTrades)
    TradingDay.checkTrades(trades)
    val name = options.open.orElse(options.save).getOrElse("")
    val newTrades = Option.when(options.save.isDefined)(trades)
    newTrades.foreach(_ => check(name))
    SavedDay(NamedFiles.path(mode, name), newTrades, options.sql, options.json.map(JsonTarget(_)))
  end of

  /** Throws BadInput, before any work, if a day cannot be saved. */
  def check(name: String): Unit =
    val path = NamedFiles.path("--save", name)
    Outputs.check("--save", path)
    if Files.exists(path, LinkOption.NOFOLLOW_LINKS) then
      throw BadInput(s"--save $name: already exists")

  /** Keeps the trades of a table. */
  def keep(file: Path, trades: Table[Trade, Aligned]): Unit =
    kept(file, trades.size): day =>
      trades.foreach(trade => day += trade)

  /** Records a day of made-up trades in a file. */
  private def make(file: Path, trades: Long, err: PrintStream): Unit =
    val bar = Bar(err).of(file.getFileName.toString, trades, (" M", 1_000_000L))
    try
      kept(file, trades): day =>
        val exchange = new StockExchange:
          def order(ticket: Int, amount: Int, price: Int, buy: Boolean): Unit =
            day += Trade(ticket, amount, price, buy)
          def dayBalance: BigInt = day.exactSumOf(_.balance)
          def bytesHeld: Option[Long] = None
          def close(): Unit = ()
        Day.record(exchange, trades, recorded => bar.stepTo(recorded): Unit)
    finally bar.close()

  /** Writes a sealed file of the trades that `record` appends; leaves no file if it fails. The file
    * has its name only when it is whole: a killed process leaves `FILE.unfinished-NUMBER` and its
    * lock, with a random number.
    */
  private[exchange] def kept(file: Path, maxRows: Long)(
      record: FileTable[Trade, Aligned] => Unit
  ): Unit =
    val number = java.lang.Long.toHexString(SecureRandom().nextLong)
    val unfinished = file.resolveSibling(s"${file.getFileName}.unfinished-$number").nn
    val lock = file.resolveSibling(s"${unfinished.getFileName}.lock").nn
    val day = Rows.create[Trade](unfinished, maxRows, Durability.VOLATILE)
    try
      record(day)
      day.seal()
      moved(unfinished, file)
    catch
      case failure: Throwable =>
        def cleanUp(action: => Unit): Unit =
          try action
          catch case other: Throwable => failure.addSuppressed(other)
        cleanUp(day.close())
        cleanUp(Files.deleteIfExists(unfinished): Unit)
        cleanUp(Files.deleteIfExists(lock): Unit)
        throw failure
  end kept

  private def moved(unfinished: Path, file: Path): Unit =
    try Files.move(unfinished, file): Unit
    catch case failure: IOException => throw Failed(s"--save $file: cannot be written ($failure)")

  private def millis[A](body: => A): (Long, A) =
    val start = System.nanoTime
    val result = body
    ((System.nanoTime - start) / 1_000_000, result)
end SavedDay
