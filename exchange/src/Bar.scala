package undercroft.exchange

import java.io.PrintStream
import java.nio.file.{Files, Path}
import me.tongfei.progressbar.*

/** A progress bar: drawn over itself in a terminal, and as a plain line now and then where standard
  * error is a file, a pipe or a build tool's prompt.
  */
object Bar:

  /** Milliseconds between two lines of a log, and between two drawings on a terminal. */
  private val LogMillis = 5000
  private val DrawMillis = 100

  /** Characters of a line of a log. */
  private val LogWidth = 100

  def apply(err: PrintStream, terminal: Boolean, task: String, max: Long, unit: Scale): ProgressBar =
    val builder = ProgressBarBuilder()
      .setTaskName(task)
      .setInitialMax(max)
      .setUnit(unit.name, unit.size)
    val drawn =
      if terminal then
        builder
          .setStyle(ProgressBarStyle.UNICODE_BLOCK)
          .setUpdateIntervalMillis(DrawMillis)
          .setConsumer(ConsoleProgressBarConsumer(err))
      else
        builder
          .setStyle(ProgressBarStyle.ASCII)
          .setUpdateIntervalMillis(LogMillis)
          .setConsumer(DelegatingProgressBarConsumer(line => err.println(line.strip), LogWidth))
    drawn.build()

  /** What a bar counts in: `Scale(" M", 1000000)` shows 5 000 000 as 5 M. */
  final case class Scale(name: String, size: Long)

  /** Whether what is printed to standard error is seen on a terminal. */
  def onTerminal: Boolean =
    val link = Path.of("/proc/self/fd/2").nn
    if Files.isSymbolicLink(link) then
      val target = Files.readSymbolicLink(link).toString
      target.startsWith("/dev/pts/") || target.startsWith("/dev/tty")
    else Option(System.console).exists(_.isTerminal)
end Bar
