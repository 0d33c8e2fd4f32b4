package undercroft.lab

import java.io.{ByteArrayOutputStream, PrintStream}
import org.openjdk.jmh.profile.GCProfiler
import org.openjdk.jmh.results.format.{ResultFormatFactory, ResultFormatType}
import org.openjdk.jmh.runner.Runner
import org.openjdk.jmh.runner.options.{OptionsBuilder, TimeValue, VerboseMode}
import scala.util.{Failure, Success, Try}

/** Runs steps by JMH, each in one fork, and collects its JSON. */
final class Conduct(effort: Effort, log: os.Path):

  /** JMH's JSON entries of a step, or why there are none, in words. */
  def run(step: Step): Either[String, Seq[ujson.Value]] =
    os.write.over(log, "")
    Try(Runner(options(step)).run().nn) match
      case Failure(error)                      => Left(s"${error.getMessage}${lastError}")
      case Success(results) if results.isEmpty => Left(s"it failed$lastError")
      case Success(results) =>
        val json = ByteArrayOutputStream()
        val out = PrintStream(json, true)
        ResultFormatFactory.getInstance(ResultFormatType.JSON, out).nn.writeOut(results)
        out.flush()
        Right(ujson.read(json.toByteArray.nn).arr.toSeq)

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
    for (name, value) <- step.params do builder.param(name, value): Unit
    if step.singleShot then
      // A first day is one call in a fresh JVM: only what has warm-ups has days to count.
      if step.benchmark.contains("SecondDay") then
        builder.measurementIterations(effort.days): Unit
    else
      val time = TimeValue.milliseconds(effort.millis)
      builder.warmupIterations(effort.warmups).nn.warmupTime(time): Unit
      builder.measurementIterations(effort.iterations).nn.measurementTime(time): Unit
    builder.build()
  end options

  /** The last line of JMH's log that tells of an error. */
  private def lastError: String =
    val lines = os.read.lines(log)
    val told =
      lines.filter(line => line.matches(".*(Exception|Error)(: .*)?") && !line.contains("at "))
    told.lastOption.fold("")(line => s": ${line.trim}")
end Conduct
