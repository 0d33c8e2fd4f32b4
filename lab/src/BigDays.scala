package undercroft.lab

import mainargs.{ParserForMethods, arg, main}
import scala.util.{Failure, Success, Try}
import undercroft.report.{Curve, FigureText, Block, CurvePoint, Report, Section, Value}

/** The limits of one machine: the balance of ever more trades, in memory, in a mapped file, in
  * DuckDB and in Spark, each in its own JVM. A size that does not fit this machine is skipped, and
  * the reason is printed.
  *
  * `./mill lab.runMain undercroft.lab.BigDays --help`
  */
object BigDays:

  /** The times of one system for a day; `lack` is the reason why it was skipped. */
  final case class Result(
      system: String,
      trades: Long,
      time: Either[String, (first: Long, best: Long)]
  ):
    /** A line of the table. */
    def words: String = time match
      case Left(lack) => f"$trades%,15d  $system%-26s $lack"
      case Right(nanos) =>
        f"$trades%,15d  $system%-26s first ${nanos.first / 1e6}%,9.0f ms, then " +
          f"${nanos.best / 1e6}%,9.0f ms, ${nanos.best.toDouble / trades}%.2f ns a trade"

  private val bytesOfTrade = 16L

  /** A file, the one it is sealed into, and Parquet beside. */
  private val diskBytesOfTrade = 40L

  @main(doc = "The balance of ever more trades, in memory, mapped, in DuckDB and in Spark.")
  def measure(
      @arg(doc = "trades of each day, with commas")
      trades: String = "10000000,100000000,1000000000",
      @arg(doc = "where the days are written, and deleted; the folder for temporary files")
      folder: Option[String] = None,
      @arg(doc = "the folder for the page") report: String = "report"
  ): Unit =
    val sizes = trades.split(',').toSeq.map(_.trim.nn.toLong)
    val results = sizes.flatMap: size =>
      val home = folder.fold(os.temp.dir(prefix = "undercroft-days-"))(at =>
        os.temp.dir(os.Path(at, os.pwd), "undercroft-days-")
      )
      try of(size, home)
      finally os.remove.all(home)
    val page = os.Path(report, os.pwd) / "days.html"
    os.write.over(page, this.report(results).html, createFolders = true)
    println(s"the chart is $page")
  end measure

  def main(args: Array[String]): Unit =
    ParserForMethods(this).runEither(args.toSeq, totalWidth = 100) match
      case Left(message) =>
        System.err.println(message)
        sys.exit(2)
      case Right(_) => ()

  private val systems = Seq(
    "rows in memory, 1 thread" -> Rival.Heap,
    "mapped file, 1 thread" -> Rival.Undercroft,
    "Spark over the file" -> Rival.Undercroft,
    "Spark over Parquet" -> Rival.Spark,
    "DuckDB over the file" -> Rival.Undercroft,
    "DuckDB over Parquet" -> Rival.DuckDb
  )

  /** Runs a day of `trades` trades in every system; prints a line for each system when it is done.
    */
  def of(trades: Long, home: os.Path): Seq[Result] =
    val disk = home.toNIO.toFile.nn.getUsableSpace
    val file = (home / "day.rows").toString
    val parquet = (home / "day.parquet").toString
    if disk < trades * diskBytesOfTrade then
      told(Seq(Result("all", trades, Left(lack("disk", disk, trades * diskBytesOfTrade)))))
    else
      val written = spark("write", file, trades.toString)
      val balance = written.map(_.head)
      val converted = spark("parquet", file, parquet)
      for Seq(_, wrote, _) <- written; Seq(_, made, _) <- converted do
        println(
          f"$trades%,15d  ${"written"}%-26s in ${wrote / 1e6}%,.0f ms, as Parquet in ${made / 1e6}%,.0f ms"
        )
      def result(system: String, needed: Long = 0)(run: => Try[Seq[Long]]) =
        val free = memory
        val time =
          if needed > free then Left(lack("memory", free, needed))
          else
            (balance, converted, run) match
              case (Success(right), Success(_), Success(Seq(sum, first, best))) =>
                if right != sum then Left(s"failed: $sum is not the balance $right")
                else Right((first = first, best = best))
              case (failed, conversion, run) =>
                val why = Seq(failed, conversion, run).collectFirst { case Failure(error) => error }
                Left(s"failed: ${why.fold("no numbers")(_.getMessage)}")
        told(Seq(Result(system, trades, time))).head
      val names = systems.map(_._1).iterator
      val room = trades * bytesOfTrade + (1L << 30)
      Seq(
        result(names.next(), room)(bench("rows", file)),
        result(names.next())(bench("mapped", file)),
        result(names.next())(spark("balance", "undercroft", file)),
        result(names.next())(spark("balance", "parquet", parquet)),
        result(names.next())(bench("sql", file)),
        result(names.next())(bench("duckdb", parquet))
      )
    end if
  end of

  private def told(results: Seq[Result]): Seq[Result] =
    results.foreach(result => println(result.words))
    results

  private def lack(what: String, there: Long, needed: Long): String =
    val (has, wants) = (FigureText(there / 1e9), FigureText(needed / 1e9))
    s"left out: it needs $wants GB of $what, and $has are free"

  /** Bytes of memory that are free, or can be made so, of the machine or of our container. */
  private def memory: Long =
    val info = os.root / "proc" / "meminfo"
    val line =
      if os.exists(info) then os.read.lines(info).find(_.startsWith("MemAvailable")) else None
    val available = line.fold(Long.MaxValue)(_.filter(_.isDigit).toLong * 1024)
    available.min(undercroft.memory.internal.platform.Limits.systemBytes)

  private def bench(words: String*): Try[Seq[Long]] =
    child("undercroft.lab.bench.BigDay", System.getProperty("java.class.path").nn, "1g", words)

  private def spark(words: String*): Try[Seq[Long]] =
    val path = JmhRunner.classPath("UNDERCROFT_LAB_SPARK")
    child("undercroft.lab.spark.BigDay", path, "2g", words)

  /** The numbers in the last line that a JVM prints. */
  private def child(main: String, path: String, heap: String, words: Seq[String]): Try[Seq[Long]] =
    val java = (os.Path(System.getProperty("java.home").nn) / "bin" / "java").toString
    val flags = Seq(s"-Xmx$heap", "--enable-native-access=ALL-UNNAMED") :+
      "--sun-misc-unsafe-memory-access=allow"
    Try:
      val called = os.call(
        Seq(java) ++ flags ++ Seq("-cp", path, main) ++ words,
        stderr = os.Pipe,
        check = false
      )
      val line = called.out.lines().lastOption.getOrElse("")
      if called.exitCode != 0 then
        val error = JmhRunner.error(called.err.lines()).getOrElse(s"exit code ${called.exitCode}")
        throw IllegalStateException(s"$main ${words.head}: $error")
      line.split(' ').toSeq.map(_.toLong)

  /** A page with a line for each system. */
  def report(results: Seq[Result]): Report =
    val curves =
      for
        (system, rival) <- systems
        points = results.collect { case Result(`system`, trades, Right(nanos)) =>
          CurvePoint(trades.toDouble, Value.alone(nanos.best / 1e6))
        }
        if points.nonEmpty
      yield Curve(system, rival.owner, points)
    val chart =
      undercroft.report.Chart.Growth(curves, "trades", millis => s"${FigureText(millis)} ms")
    Report(
      "Where one machine ends",
      Seq("The balance of ever more trades, the best of three calls after the first."),
      Seq(
        Section(
          "days",
          "by the number of trades",
          Option.when(curves.nonEmpty)(Block.Picture("The balance of a day", chart)).toSeq :+
            Block.Points(results.map(_.words))
        )
      )
    )
  end report
end BigDays
