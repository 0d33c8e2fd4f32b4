package undercroft.exchange
package internal.report

import java.io.PrintStream
import java.nio.file.{Files, Path}
import java.util.function.Consumer
import me.tongfei.progressbar.*

/** Progress bars on standard error: drawn over themselves in a terminal and erased at the end, and
  * as a plain line now and then where it is a file, a pipe or a build tool's prompt.
  */
final class Bar(err: PrintStream, val isTerminal: Boolean = Bar.onTerminal):

  /** A bar from 0 to `max`, counted in the largest of `units` that `max` reaches. */
  def of(task: String, max: Long, units: (String, Long)*): ProgressBar =
    val (unit, size) = units.findLast((_, size) => max >= size).getOrElse(("", 1L))
    val builder = ProgressBarBuilder().setTaskName(task).setInitialMax(max).setUnit(unit, size)
    val styledBuilder =
      if isTerminal then
        builder
          .setStyle(ProgressBarStyle.UNICODE_BLOCK)
          .setUpdateIntervalMillis(Bar.DrawMillis)
          .setConsumer(ConsoleProgressBarConsumer(err))
          .clearDisplayOnFinish()
      else
        builder
          .setStyle(ProgressBarStyle.ASCII)
          .setUpdateIntervalMillis(Bar.LogMillis)
          .setConsumer(DelegatingProgressBarConsumer(eachOnce, Bar.LogWidth))
    styledBuilder.build()
  end of

  /** Prints lines, each once. */
  private def eachOnce: Consumer[String] =
    var last = ""
    line =>
      if line != last then err.println(line.stripTrailing)
      last = line
end Bar

object Bar:

  /** Milliseconds between two lines of a log, and between two drawings on a terminal. */
  private val LogMillis = 5000
  private val DrawMillis = 100

  /** Characters of a line of a log. */
  private val LogWidth = 100

  /** Whether standard error is a terminal. */
  private def onTerminal: Boolean =
    val link = Path.of("/proc/self/fd/2").nn
    if Files.isSymbolicLink(link) then
      val target = Files.readSymbolicLink(link).toString
      target.startsWith("/dev/pts/") || target.startsWith("/dev/tty")
    else Option(System.console).exists(_.isTerminal)
end Bar
