package undercroft.lab

import me.tongfei.progressbar.{ProgressBar, ProgressBarBuilder, ProgressBarStyle}

/** The progress of a run: a bar with the time left in a terminal, and rare plain lines elsewhere.
  */
final class Progress(task: String, steps: Int, out: java.io.PrintStream) extends AutoCloseable:
  private val started = System.nanoTime
  private var (done, skipped) = (0, 0)
  private var reportedNanos = 0L

  private val bar: Option[ProgressBar] =
    Option.when(System.console != null && System.console.nn.isTerminal):
      ProgressBarBuilder()
        .setTaskName(task).nn
        .setInitialMax(steps).nn
        .setStyle(ProgressBarStyle.ASCII).nn
        .build().nn

  /** Shows the name of the current step. */
  def next(what: String): Unit =
    bar match
      case Some(bar) => bar.setExtraMessage(what.take(60))
      case None =>
        val now = System.nanoTime
        if done == 0 || now - reportedNanos > Progress.silenceNanos then
          reportedNanos = now
          out.println(s"$task: step ${skipped + done + 1} of $steps$left: $what")
    ()

  def step(): Unit =
    done += 1
    bar.foreach(_.step())

  /** A step takes no time, because its result exists. */
  def skip(): Unit =
    skipped += 1
    bar.foreach(_.step())

  /** Prints a line beside the bar. */
  def say(line: String): Unit = out.println(if bar.isDefined then s"\r$line\u001b[K" else line)

  private def left: String =
    if done == 0 then ""
    else
      val seconds = (System.nanoTime - started) / 1_000_000_000.0 / done * (steps - skipped - done)
      s", about ${Progress.clock(seconds.toLong)} left"

  def close(): Unit = bar.foreach(_.close())
end Progress

object Progress:
  /** The shortest time between two lines of a log. */
  private val silenceNanos = 10_000_000_000L

  def clock(seconds: Long): String =
    f"${seconds / 3600}%d:${seconds / 60 % 60}%02d:${seconds % 60}%02d"
end Progress
