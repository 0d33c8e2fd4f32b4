package undercroft.lab

import upickle.default.ReadWriter

/** Metadata beside JMH's JSON: where, when and how a run was measured.
  *
  * @param chosen
  *   the part of the experiment that was run
  * @param repeats
  *   number of repeats of steps that other processes disturbed
  * @param disturbed
  *   number of results that remained disturbed, of `steps` results
  */
final case class RunMetadata(
    experiment: String,
    mode: String,
    started: String,
    seconds: Long,
    commit: String,
    machine: Machine,
    jdk: String,
    gcc: Option[String],
    rounds: Int,
    order: String,
    flags: Map[String, Seq[String]],
    loadBefore: Double,
    loadAfter: Double,
    skipped: Seq[Skipped],
    chosen: String = RunMetadata.everything,
    repeats: Int = 0,
    disturbed: Int = 0,
    steps: Int = 0
) derives ReadWriter, CanEqual:

  /** The metadata of both runs, if this one adds to the results of an earlier one. */
  def after(earlier: RunMetadata): RunMetadata =
    copy(
      seconds = earlier.seconds + seconds,
      flags = earlier.flags ++ flags,
      skipped = (earlier.skipped ++ skipped).distinct,
      chosen = s"${earlier.chosen}, then $chosen",
      repeats = earlier.repeats + repeats,
      disturbed = earlier.disturbed + disturbed
    )

  /** The outcome of steps that other processes disturbed, as text; None if there were no such
    * steps.
    */
  def unquiet: Option[String] =
    Option.when(repeats + disturbed > 0):
      s"the machine was not quiet: $repeats repeats, and $disturbed of $steps results are of " +
        "steps that were disturbed to the end"
end RunMetadata

object RunMetadata:
  /** The value of `chosen` for a run of the whole experiment. */
  val everything = "all"

/** A part that was skipped in a run, and the reason. */
final case class Skipped(what: String, reason: String) derives ReadWriter, CanEqual

/** The machine that measured. */
final case class Machine(
    system: String,
    processor: String,
    cores: Int,
    memoryBytes: Long,
    hugePages: String
) derives ReadWriter, CanEqual

object Machine:
  private def property(name: String): String = Option(System.getProperty(name)).fold("")(_.nn)

  /** The first line of a file with a given start; absent if the system has no such file. */
  private def line(path: String, start: String): Option[String] =
    val file = os.Path(path)
    if os.exists(file) then os.read.lines(file).find(_.startsWith(start)) else None

  /** The memory of the machine, if the system reports it. */
  def memoryBytes: Option[Long] =
    line("/proc/meminfo", "MemTotal").map(_.filter(_.isDigit).toLong * 1024)

  def here(): Machine =
    val processor = line("/proc/cpuinfo", "model name").map(_.dropWhile(_ != ':').drop(1).trim)
    Machine(
      s"${property("os.name")} ${property("os.version")} ${property("os.arch")}",
      processor.getOrElse("unknown"),
      Runtime.getRuntime.availableProcessors,
      memoryBytes.getOrElse(0L),
      hugePages
    )

  /** The system's mode of transparent huge pages: `always`, `madvise` or `never`. */
  def hugePages: String =
    line("/sys/kernel/mm/transparent_hugepage/enabled", "") match
      case Some(s"$_[$mode]$_") => mode
      case _                    => "unknown"

  def jdk: String = s"${property("java.vendor.version")} ${property("java.vm.name")}".trim

  /** The mean number of running processes over the last minute; negative if it is not reported. */
  def load: Double =
    java.lang.management.ManagementFactory.getOperatingSystemMXBean.nn.getSystemLoadAverage

  def gcc: Option[String] = said("gcc", "--version")

  /** The commit that is checked out, with a mark if the tree differs from it. */
  def commit(folder: os.Path): String =
    val changed = said(folder, "git", "status", "--porcelain", "--untracked-files=no").isDefined
    said(folder, "git", "rev-parse", "HEAD").fold("unknown")(_ + (if changed then "+" else ""))

  private def said(command: String*): Option[String] = said(os.pwd, command*)

  private def said(folder: os.Path, command: String*): Option[String] =
    scala.util
      .Try(os.call(command, cwd = folder, stderr = os.Pipe, check = false))
      .toOption
      .filter(_.exitCode == 0)
      .flatMap(_.out.lines().headOption)
end Machine
