package undercroft.lab

import undercroft.report.FigureText
import upickle.default.ReadWriter

/** A method on top of the stack, and its share of the samples of threads that run Java code, from 0
  * to 1.
  */
final case class Frame(method: String, share: Double) derives ReadWriter, CanEqual

object Frame:

  /** The frames that JMH's stack profiler prints of running threads, the most frequent first. */
  def parse(text: String): Seq[Frame] =
    val running = text.linesIterator
      .dropWhile(!_.contains("[Thread state: RUNNABLE]"))
      .drop(1)
      .takeWhile(!_.contains("[Thread state:"))
    val frames = running
      .map(_.trim)
      .collect { case s"$_%$share% $method" => share.trim.nn.toDoubleOption.map((method, _)) }
      .flatten
      // Threads of the JVM run without a frame.
      .filterNot((method, _) => method.contains("stack is empty"))
      .toSeq
    val total = frames.map(_._2).sum
    frames.map((method, share) => Frame(method.trim.nn, FigureText.rounded(share / total)))

  /** The mean of several rounds; a round that did not see a method counts as none of it. */
  def mean(rounds: Seq[Seq[Frame]]): Seq[Frame] =
    val methods = rounds.flatten.groupBy(_.method).toSeq
    val frames = methods.map((method, parts) => Frame(method, parts.map(_.share).sum / rounds.size))
    frames.sortBy(frame => (-frame.share, frame.method))

  /** The frames worth reporting: the first few that have a share of at least a hundredth. */
  def top(frames: Seq[Frame]): Seq[Frame] = frames.take(maxFrames).filter(_.share >= 0.01)

  private val maxFrames = 3
end Frame
