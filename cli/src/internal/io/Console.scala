package undercroft.cli
package internal.io

import java.io.PrintStream
import me.tongfei.progressbar.{ProgressBarBuilder, ProgressBarStyle}

/** The streams of a command: results go to `out`, progress and errors to `err`. */
private[cli] final class Console(val out: PrintStream, val err: PrintStream):

  /** Runs `body` with a function to which it reports each completed step of `steps`. Shows a
    * progress bar if a person watches, that is, if the process has a terminal.
    */
  def progress[A](task: String, steps: Long)(body: (Long => Unit) => A): A =
    val terminal = System.console()
    if terminal == null || !terminal.isTerminal || (err ne System.err) then body(_ => ())
    else
      val bar = ProgressBarBuilder()
        .setTaskName(task)
        .setInitialMax(steps)
        .setStyle(ProgressBarStyle.ASCII)
        .setUpdateIntervalMillis(200)
        .build()
      try body(bar.stepBy(_): Unit)
      finally bar.close()
end Console
