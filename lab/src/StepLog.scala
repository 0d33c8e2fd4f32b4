package undercroft.lab

import upickle.default.{ReadWriter, read, write}

/** The finished steps of a run in progress, one line of JSON each, so that a killed run loses the
  * running step only: `--resume` reads the lines. The first line identifies the run. Not
  * thread-safe.
  */
final class StepLog(val file: os.Path, val run: StepLog.Run, before: Seq[StepLog.Line]):
  private val finished = before.map(line => (line.round, line.key) -> line).toMap
  private var count = before.size

  // A line that a kill has cut is not written again.
  os.write.over(
    file,
    (write(run) +: before.map(write(_))).mkString("", "\n", "\n"),
    createFolders = true
  )

  /** The number of steps that are stored. */
  def size: Int = count

  /** The seconds of all stored steps. */
  val secondsBefore: Double = before.map(_.seconds).sum

  def get(round: Int, key: Key): Option[Seq[ujson.Value]] =
    finished.get((round, key.show)).map(_.entries)

  def add(round: Int, key: Key, seconds: Double, entries: Seq[ujson.Value]): Unit =
    os.write.append(file, write(StepLog.Line(round, key.show, seconds, entries)) + "\n")
    count += 1

  /** Deletes the file: the results are stored elsewhere. */
  def remove(): Unit = os.remove(file): Unit
end StepLog

object StepLog:
  /** A run: the same part of an experiment, with the same effort, of the same commit and JDK. */
  final case class Run(started: String, commit: String, mode: String, chosen: String, jdk: String)
      derives ReadWriter, CanEqual:
    def isLike(other: Run): Boolean = copy(started = other.started) == other

  final case class Line(round: Int, key: String, seconds: Double, entries: Seq[ujson.Value])
      derives ReadWriter

  /** A log of a run. If the run `resumes`, it has the steps of a killed run that is like it. */
  def open(file: os.Path, run: Run, resumes: Boolean): StepLog =
    val lines = if resumes && os.exists(file) then os.read.lines(file) else Seq()
    lines.headOption.flatMap(line => scala.util.Try(read[Run](line)).toOption) match
      case Some(earlier) if earlier.isLike(run) =>
        StepLog(
          file,
          earlier,
          lines.tail.flatMap(line => scala.util.Try(read[Line](line)).toOption)
        )
      case _ => StepLog(file, run, Seq())
end StepLog
