package undercroft.exchange
package internal.options

import internal.storage.Storage
import mainargs.{Flag, ParserForClass, TokensReader, arg, main}

/** The exchange's command line. */
@main(name = "exchange", doc = ExchangeOptions.About)
final case class ExchangeOptions(
    @arg(doc = "trades a day, generated (default 50000000; 5000000 in list-buffer)")
    trades: Option[Long] = None,
    @arg(doc = "storages to run, with commas between them (default all, listed below)")
    storage: Option[String] = None,
    @arg(doc = "heap of each storage's JVM, like 512m or 4g (default 4g, or half a small machine)")
    heap: Option[String] = None,
    @arg(doc = "pages under Undercroft's storages: small (default) or huge")
    pages: Option[String] = None,
    @arg(name = "give-up-after", doc = "seconds that one day may take (default 120)")
    giveUpAfter: Option[Int] = None,
    @arg(doc = "a further flag for each storage's JVM; may be given again")
    jvm: Seq[String] = Seq.empty,
    @arg(doc = "use AOT caches of classes and profiles in this folder; the first run writes them")
    aot: Option[String] = None,
    @arg(doc = "write the result as JSON to this file, or to standard output for -")
    json: Option[String] = None,
    @arg(doc = "write the result as a page of HTML, with charts, to this file")
    report: Option[String] = None,
    @arg(doc = "read real trades from FILE.csv or FILE.csv.gz (ticket,amount,price,buy)")
    from: Option[String] = None,
    @arg(doc = "with --from: write malformed lines to this file and go on")
    rejects: Option[String] = None,
    @arg(doc = "keep the day in this file, which is not there yet: made up, or with --from read")
    save: Option[String] = None,
    @arg(doc = "open a day that was saved, and balance it")
    open: Option[String] = None,
    @arg(doc = "with --open: answer this query, in SQL, over the trades, which it calls day")
    sql: Option[String] = None,
    @arg(doc = "print this")
    help: Flag = Flag()
)

object ExchangeOptions:
  final val About = "Records a day's trades in every storage and balances them."

  /** Throws BadInput, with the words for it, where `args` make no sense. */
  def parse(args: Seq[String]): ExchangeOptions =
    parser.constructEither(args, allowPositional = false, autoPrintHelpAndExit = None) match
      case Left(words)    => throw BadInput(s"${reason(words)}; --help tells what there is")
      case Right(options) => options

  private given TokensReader.Simple[Long]:
    def shortName = "number"
    def read(words: Seq[String]) =
      words.last.toLongOption.toRight("not being a whole number")

  private given TokensReader.Simple[Int]:
    def shortName = "number"
    def read(words: Seq[String]) =
      words.last.toIntOption.toRight("not being a whole number")

  private lazy val parser = ParserForClass[ExchangeOptions]

  /** The error alone, without the help text that follows it. */
  private def reason(words: String): String =
    words.linesIterator.takeWhile(!_.startsWith("Expected Signature")).mkString("; ")

  def help: String =
    val storages = Storage.values.map: storage =>
      s"  ${storage.name.padTo(16, ' ')}${storage.about} (${storage.layout})"
    s"""${parser.helpText(totalWidth = 100, customDoc = ExchangeOptions.About)}
       |Storages:
       |${storages.mkString("\n")}
       |
       |Exit codes: 0 done, 1 failed, 2 bad input or usage, 130 interrupted.""".stripMargin
end ExchangeOptions
