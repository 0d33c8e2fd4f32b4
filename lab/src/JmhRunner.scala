package undercroft.lab

import java.io.{ByteArrayOutputStream, PrintStream}
import org.openjdk.jmh.profile.{GCProfiler, StackProfiler}
import org.openjdk.jmh.results.RunResult
import org.openjdk.jmh.results.format.{ResultFormatFactory, ResultFormatType}
import org.openjdk.jmh.runner.Runner
import org.openjdk.jmh.runner.options.{OptionsBuilder, TimeValue, VerboseMode}
import scala.jdk.CollectionConverters.*
import scala.util.{Failure, Success, Try}

/** Runs steps by JMH, each in one fork, and collects its JSON. */
final class JmhRunner(effort: Effort, log: os.Path):

  /** JMH's JSON entries of a step, or the reason why it has none. The entries of a sampled step
    * also have `frames`.
    */
  def run(step: Step): Either[String, Seq[ujson.Value]] =
    os.write.over(log, "")
    val output = os.temp(prefix = "lab-said-")
    try
      val ran = Try(JmhRunner.aside(output)(onItsClassPath(step)(Runner(options(step)).run().nn)))
      read(step, ran, os.read.lines(output) ++ os.read.lines(log))
    finally os.remove(output): Unit

  private def read(step: Step, ran: Try[java.util.Collection[RunResult]], said: Seq[String]) =
    def why = JmhRunner.error(said).fold("")(line => s": $line")
    ran match
      case Failure(error)                      => Left(s"${error.getMessage}$why")
      case Success(results) if results.isEmpty => Left(s"it failed$why")
      case Success(results) =>
        val json = ByteArrayOutputStream()
        val out = PrintStream(json, true)
        ResultFormatFactory.getInstance(ResultFormatType.JSON, out).nn.writeOut(results)
        out.flush()
        val entries = ujson.read(json.toByteArray.nn).arr.toSeq
        if step.sampled then
          for (entry, result) <- entries.zip(results.asScala) do
            entry("frames") = upickle.default.writeJs(frames(result))
        Right(entries)

  private def frames(result: RunResult): Seq[Frame] =
    val printed = result.getSecondaryResults.nn.values.nn.asScala.map(_.extendedInfo)
    Frame.parse(printed.flatMap(Option(_)).mkString("\n"))

  /** A fork takes its class path from the property; benchmarks on Scala 2.13 have a path of their
    * own.
    */
  private def onItsClassPath[A](step: Step)(run: => A): A =
    JmhRunner.elsewhere.find((pack, _) => step.benchmark.startsWith(pack)) match
      case None => run
      case Some((_, variable)) =>
        val classPath = System.getProperty("java.class.path")
        System.setProperty("java.class.path", JmhRunner.classPath(variable))
        try run
        finally System.setProperty("java.class.path", classPath): Unit

  private def options(step: Step) =
    val builder = OptionsBuilder()
      .include(s"^${java.util.regex.Pattern.quote(step.benchmark)}$$")
      .nn
      .forks(1)
      .nn
      .shouldFailOnError(false)
      .nn
      .addProfiler(classOf[GCProfiler])
      .nn
      .verbosity(VerboseMode.NORMAL)
      .nn
      .output(log.toString)
      .nn
    if step.sampled then builder.addProfiler(classOf[StackProfiler]): Unit
    for (name, value) <- step.params do builder.param(name, value): Unit
    if step.singleShot then
      // A first day is one call in a fresh JVM: only benchmarks with warm-ups have several days.
      if step.key.hasDays then builder.measurementIterations(effort.days): Unit
    else
      val time = TimeValue.milliseconds(effort.millis)
      builder.warmupIterations(effort.warmupsOf(step)).nn.warmupTime(time): Unit
      builder.measurementIterations(effort.iterationsOf(step)).nn.measurementTime(time): Unit
    builder.build()
  end options
end JmhRunner

object JmhRunner:
  /** The variables with the class paths of benchmark packages that have their own. */
  private val elsewhere = Seq(
    "undercroft.lab.arrays213." -> "UNDERCROFT_LAB_SCALA213",
    "undercroft.lab.spark." -> "UNDERCROFT_LAB_SPARK",
    "undercroft.lab.cluster." -> "UNDERCROFT_LAB_CLUSTER"
  )

  /** A class path that the build sets. */
  def classPath(variable: String): String =
    Option(System.getenv(variable)).getOrElse(
      throw IllegalStateException(s"$variable is not set: the build sets it")
    )

  /** Runs with standard output redirected to a file: JMH forwards the output of its forks, which
    * would appear between the lines of progress.
    */
  def aside[A](file: os.Path)(run: => A): A =
    val (out, errors) = (System.out, System.err)
    val stream = PrintStream(file.toIO)
    System.setOut(stream)
    System.setErr(stream)
    try run
    finally
      System.setOut(out)
      System.setErr(errors)
      stream.close()

  /** The last line that reports an error; without such a line, the exit code of the JVM. */
  def error(log: Seq[String]): Option[String] =
    val reasons =
      log.filter(line => line.matches(".*(Exception|Error)(: .*)?") && !line.contains("at "))
    val failures = log.filter(_.contains("forked VM failed")).map(_.replaceAll("[<>]", "").nn)
    reasons.lastOption.orElse(failures.lastOption).map(_.trim.nn)
end JmhRunner
