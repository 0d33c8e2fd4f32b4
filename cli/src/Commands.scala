package undercroft.cli

import internal.convert.ConvertCommand
import internal.csv.CsvOptions
import internal.input.StandardInput
import internal.io.{BadInput, Console, FileFormat}
import internal.show.{
  DiffCommand,
  HeadCommand,
  SchemaCommand,
  SqlCommand,
  StatsCommand,
  VerifyCommand
}
import internal.sql.ResultFormat
import mainargs.{Flag, Leftover, ParserForMethods, TokensReader, arg, main}

/** The commands and their options. */
private[cli] object Commands:

  @main(doc = "Prints the class, the layout and the fields of a struct file or Arrow file.")
  def schema(
      @arg(positional = true, doc = "a struct file or Arrow file") file: String,
      @arg(doc = "write JSON") json: Flag
  ): Command = reading(file)(SchemaCommand(_, json.value))

  @main(doc = "Prints the first rows of a file.")
  def head(
      @arg(positional = true, doc = "a file") file: String,
      @arg(doc = "number of rows (default 10)") rows: Long = 10,
      @arg(doc = "columns to print, with commas between them (default all)")
      columns: Option[String] = None,
      @arg(doc = "write JSON") json: Flag,
      @arg(doc = "write CSV") csv: Flag
  ): Command =
    reading(file)(HeadCommand(_, rows, columns, ResultFormat.of(json.value, csv.value)))

  @main(doc = "Prints the size of a file, and the range and the mean of each column.")
  def stats(
      @arg(positional = true, doc = "a file") file: String,
      @arg(doc = "write JSON") json: Flag
  ): Command = reading(file)(StatsCommand(_, json.value))

  @main(doc = "Compares sealed struct files with their checksums.")
  def verify(
      @arg(doc = "write JSON") json: Flag,
      files: Leftover[String]
  ): Command = reading(files.value*)(VerifyCommand(_, json.value))

  @main(doc =
    "Compares two files: their columns, and their rows in order. Exit code 1 if they differ."
  )
  def diff(
      @arg(positional = true, doc = "a file") left: String,
      @arg(positional = true, doc = "another file") right: String,
      @arg(doc = "number of different rows to print (default 10, at most 1000000)") rows: Long = 10,
      @arg(doc = "write JSON") json: Flag
  ): Command =
    reading(left, right)(files => DiffCommand(files(0), files(1), rows, json.value))

  @main(doc =
    "Copies a file to another format, by the names' endings: see Formats. A struct file has dates, " +
      "times, decimals, durations and UUIDs as numbers with these types."
  )
  def convert(
      @arg(positional = true, doc = "the file to read") from: String,
      @arg(positional = true, doc = "the file to write, which must not exist") to: String,
      @arg(doc = "for a struct file: rows, packed or columns (default)")
      layout: Option[String] = None,
      @arg(doc = "for a struct file: the name of the class of its rows (default Row)")
      name: Option[String] = None,
      @arg(doc = "columns to copy, with commas between them (default all)")
      columns: Option[String] = None,
      @arg(doc = "of a CSV file: the character between fields (default found in its first lines)")
      delimiter: Option[String] = None,
      @arg(doc = "of a CSV file: the character around fields (default \")")
      quote: Option[String] = None,
      @arg(doc = "of a CSV file: yes, if its first record has the names; no (default found)")
      header: Option[String] = None,
      @arg(doc = "of a CSV file: number of lines before the first record (default 0)")
      skip: Long = 0,
      @arg(doc = "of a CSV file: SQL types of columns, such as price=DOUBLE,day=VARCHAR")
      types: Option[String] = None,
      @arg(doc = "replace the file if it exists") overwrite: Flag
  ): Command = reading(from): file =>
    val csv = CsvOptions.of(delimiter, quote, header, skip, types)
    ConvertCommand(file, to, layout, name, columns, csv, overwrite.value)

  @main(doc =
    "Runs SQL over files, and folders of struct files: each is a table NAME=FILE, or has the " +
      "file's name without ending."
  )
  def sql(
      @arg(positional = true, doc = "the query") query: String,
      @arg(doc = "write JSON") json: Flag,
      @arg(doc = "write CSV") csv: Flag,
      files: Leftover[String]
  ): Command =
    reading(files.value*)(SqlCommand(query, _, ResultFormat.of(json.value, csv.value)))

  @main(doc = "Prints a completion script for a shell: bash or zsh.")
  def completion(@arg(positional = true, doc = "bash or zsh") shell: String): Command =
    deferred(CompletionCommand(shell))

  /** A command that is created when it runs: mainargs catches the exceptions of the methods above,
    * and prints their stack traces.
    */
  private def deferred(command: => Command): Command = console => command.run(console)

  /** A command over files, in which the name `-` is a copy of standard input. */
  private def reading(files: String*)(command: Seq[String] => Command): Command =
    console => StandardInput.use(files)(command(_).run(console))

  private def reading(file: String)(command: String => Command): Command =
    reading(Seq(file)*)(files => command(files.head))

  private given TokensReader.Simple[Long]:
    def shortName = "number"
    def read(words: Seq[String]) =
      words.last.toLongOption.filter(_ >= 0).toRight("not a whole number from 0 on")

  private lazy val parser = ParserForMethods(this)

  /** Throws [[BadInput]], with the reason, if the arguments are not a command. */
  def parse(args: Seq[String]): Command =
    if args.headOption.exists(Set("version", "--version", "-V")) then Version
    else if args.isEmpty || Set("help", "--help", "-h").contains(args.head) then Help
    else if args.tail.exists(Set("--help", "-h")) then Help
    else
      parser.runEither(flagsFirst(args), autoPrintHelpAndExit = None) match
        case Right(command: Command) => command
        case Right(other)            => throw IllegalStateException(s"$other is not a command")
        case Left(text)              => throw BadInput(s"${reason(text)}; see undercroft --help")

  /** Flags before files: mainargs takes all that follows the first file as further files. */
  private def flagsFirst(args: Seq[String]): Seq[String] =
    val (flags, others) = args.tail.partition(Set("--json", "--csv", "--overwrite"))
    args.head +: (flags ++ others)

  /** The error without the help text that follows it. */
  private def reason(text: String): String =
    text.linesIterator
      .takeWhile(line => !line.startsWith("Expected Signature") && !line.startsWith("Available "))
      .map(_.strip)
      .filter(_.nonEmpty)
      .mkString("; ")

  /** The names of the commands with their options, as the shell completes them. */
  val options: Seq[(String, Seq[String])] = Seq(
    "schema" -> Seq("--json"),
    "head" -> Seq("--rows", "--columns", "--json", "--csv"),
    "stats" -> Seq("--json"),
    "verify" -> Seq("--json"),
    "diff" -> Seq("--rows", "--json"),
    "convert" -> Seq(
      "--layout",
      "--name",
      "--columns",
      "--delimiter",
      "--quote",
      "--header",
      "--skip",
      "--types",
      "--overwrite"
    ),
    "sql" -> Seq("--json", "--csv"),
    "completion" -> Seq("bash", "zsh")
  )

  private object Version extends Command:
    def run(console: Console): Int =
      console.out.println(s"undercroft $buildVersion, struct file format 4")
      0

  private object Help extends Command:
    def run(console: Console): Int =
      console.out.println(
        s"""undercroft COMMAND [OPTION]... [FILE]...
           |
           |${parser.helpText(totalWidth = 100)}
           |
           |Formats, by the endings of names:
           |${FileFormat.values.map(format => s"  ${format.describe}").mkString("\n")}
           |
           |The file - is standard input; its first bytes tell its format. In SQL its table is stdin.
           |
           |Exit codes: 0 done; 1 failed, or different files; 2 bad input or usage.
           |undercroft --version prints the version.
           |Options of the JVM: UNDERCROFT_JAVA_OPTIONS, for example -Xmx8g.""".stripMargin
      )
      0
end Commands
