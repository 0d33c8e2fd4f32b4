package undercroft.tools

/** The seconds of test suites, and why tests were skipped, from the files that a run leaves. */
final case class TestSummary(suites: Seq[TestSummary.Suite], skipped: Seq[String]):

  /** The suites that take longer than `seconds`, the slowest first. */
  def slowerThan(seconds: Double): Seq[TestSummary.Suite] =
    suites.filter(_.seconds > seconds).sortBy(-_.seconds)

  /** The slowest suites, the seconds of each module, and the reasons of skipped tests. */
  def text: String =
    val slowest = suites.sortBy(-_.seconds).take(TestSummary.Slowest)
      .map(suite => (suite.seconds, s"${suite.module} ${suite.name}"))
    val modules = suites.groupMapReduce(_.module)(_.seconds)(_ + _).toSeq
      .sortBy((_, seconds) => -seconds).map((module, seconds) => (seconds, module))
    val reasons = skipped.groupMapReduce(identity)(_ => 1)(_ + _).toSeq
      .sortBy((reason, count) => (-count, reason)).map((reason, count) => f"$count%8d  $reason")
    def lines(rows: Seq[(Double, String)]) = rows.map((seconds, name) => f"$seconds%8.1f  $name")
    val sum = f"${suites.map(_.seconds).sum}%.1f seconds in ${suites.size} suites"
    (Seq("The slowest suites, seconds:") ++ lines(slowest) ++ Seq("The modules, seconds:") ++
      lines(modules) ++ Seq(sum) ++ Seq(s"Tests that were skipped: ${skipped.size}") ++ reasons)
      .mkString("\n")
end TestSummary

object TestSummary:
  /** The number of suites that [[TestSummary.text]] lists. */
  private val Slowest = 20

  /** How many times as long as on a quiet machine tests took: the mean number of running threads
    * for each processor in the last five minutes, by the text of `/proc/loadavg`, but at least 1.
    */
  def slowdown(averages: String, processors: Int): Double =
    (averages.split(' ')(1).toDouble / processors).max(1)

  /** A test class: its tests' seconds in one run. */
  final case class Suite(module: String, name: String, seconds: Double)

  private val Case = """<testcase classname="((?:[a-z]\w*\.)*[A-Z]\w*).*? time="([0-9.]+)"""".r

  /** Reads the reports and the `skipped.txt` below the folder of outputs that are not older than
    * `since`, in milliseconds of the epoch.
    */
  def of(out: os.Path, since: Long): TestSummary =
    val files = os.walk(out, skip = path => isOther(path.last) && os.isDir(path))
      .filter(file => os.isFile(file) && os.mtime(file) >= since)
    val suites = files.filter(_.last == "test-report.xml").flatMap { file =>
      val module = file.relativeTo(out).segments.dropRight(2).mkString(".")
      val cases = Case.findAllMatchIn(os.read(file))
        .map(found => (found.group(1).nn, found.group(2).nn.toDouble)).toSeq
      cases.groupMapReduce(_._1)(_._2)(_ + _).map((name, sum) => Suite(module, name, sum))
    }
    TestSummary(suites, files.filter(_.last == "skipped.txt").flatMap(os.read.lines(_)))

  /** Whether a folder of outputs is that of another task than of tests. */
  private def isOther(name: String): Boolean =
    name.endsWith(".dest") && !name.startsWith("test") || name.startsWith("mill-") ||
      name == "python"
end TestSummary
