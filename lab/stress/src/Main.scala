package undercroft.lab.stress

import java.nio.file.{Files, Path}
import org.openjdk.jcstress.infra.collectors.{DiskReadCollector, InProcessCollector}
import org.openjdk.jcstress.infra.grading.ReportUtils
import org.openjdk.jcstress.{JCStress, Options}
import scala.jdk.CollectionConverters.*

/** Runs jcstress and prints the observed outcomes as text. */
object Main:
  private val usage =
    """./mill lab.stress.run [--quick|--full] [--planted] [NAME]
      |
      |  --quick     a minute or so: one JVM for each test
      |  --full      an hour or more: every JIT compiler and affinity, several forks; else in between
      |  --planted   only the mistakes that were made on purpose: each has to be found
      |  NAME        only tests whose name holds this
      |
      |It ends with 1 if something forbidden was seen, or something planted was not, with 2 if it was
      |called wrongly.""".stripMargin

  private val access = "--enable-native-access=ALL-UNNAMED"
  private val flags = Set("--quick", "--full", "--planted")

  def main(args: Array[String]): Unit =
    val (options, names) = args.toList.partition(_.startsWith("-"))
    val wrong = options.filterNot(flags)
    val conflict = options.contains("--quick") && options.contains("--full")
    if wrong.nonEmpty || conflict || names.size > 1 then
      if !options.contains("--help") then
        println(s"cannot be understood: ${args.mkString(" ")}\n")
      println(usage)
      System.exit(if options.contains("--help") then 0 else 2)
    val planted = options.contains("--planted")
    val name = names.headOption.getOrElse("")
    val outcomes = run(arguments(options.toSet, planted, name))
    if outcomes.isEmpty then
      println(s"no test has `$name` in its name: the tests are the classes of lab/stress/src")
      System.exit(2)
    println(outcomes.map(_.show).mkString("\n\n", "\n\n", "\n"))
    println(TestOutcomes.summary(outcomes, planted))
    System.exit(if TestOutcomes.good(outcomes, planted) then 0 else 1)

  private def arguments(options: Set[String], planted: Boolean, name: String): List[String] =
    val place = if planted then "planted[.]" else "(?!planted)"
    val tests =
      List("-t", s"undercroft[.]lab[.]stress[.]$place.*${java.util.regex.Pattern.quote(name)}.*")
    val memory = List("-hs", "256")
    val effort =
      if options.contains("--quick") then
        List("-m", "sanity", "-f", "1", "-iters", "3", "-time", "500", "-sc", "false") ++
          List("-jvmArgs", access)
      else if options.contains("--full") then List("-m", "default", "-jvmArgsPrepend", access)
      else List("-m", "quick", "-jvmArgs", access)
    tests ++ memory ++ effort

  /** Runs the tests; returns the observed outcomes. jcstress itself prints its progress and tables.
    */
  private def run(arguments: List[String]): List[TestOutcomes] =
    val options = Options(arguments.toArray)
    if !options.parse() then Nil
    else
      try JCStress(options).run()
      catch case e: AssertionError => println(e.getMessage) // a forbidden outcome: reported below
      val file = options.getResultFile
      if Files.exists(Path.of(file)) then outcomesIn(file) else Nil

  /** The outcomes in a result file, which jcstress does not write if no test matched. */
  private def outcomesIn(file: String): List[TestOutcomes] =
    val results = InProcessCollector()
    val collector = DiskReadCollector(file, results)
    try collector.dump()
    finally collector.close()
    ReportUtils.mergedByName(
      results.getTestResults
    ).asScala.toList.map(TestOutcomes.of).sortBy(_.name)
end Main
