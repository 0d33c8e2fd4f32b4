package undercroft.lab

import upickle.default.ReadWriter

/** What stands beside JMH's JSON: where, when and how a run was measured.
  *
  * @param chosen
  *   which part of the experiment was run
  * @param repeats
  *   of steps that others on the machine disturbed
  * @param disturbed
  *   results that were disturbed all the same, of `steps` results in all
  */
final case class Envelope(
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
    chosen: String = Envelope.everything,
    repeats: Int = 0,
    disturbed: Int = 0,
    steps: Int = 0
) derives ReadWriter, CanEqual:

  /** The envelope of both runs, where this one adds to what an earlier one found. */
  def after(earlier: Envelope): Envelope =
    copy(
      seconds = earlier.seconds + seconds,
      flags = earlier.flags ++ flags,
      skipped = (earlier.skipped ++ skipped).distinct,
      chosen = s"${earlier.chosen}, then $chosen",
      repeats = earlier.repeats + repeats,
      disturbed = earlier.disturbed + disturbed
    )

  /** What became of steps that others disturbed, in words; nothing where there was none. */
  def unquiet: Option[String] =
    Option.when(repeats + disturbed > 0):
      s"the machine was not quiet: $repeats repeats, and $disturbed of $steps results are of " +
        "steps that were disturbed to the end"
end Envelope

object Envelope:
  /** What a run has chosen that leaves nothing out. */
  val everything = "all"

/** What took no part in a run, and why, in words. */
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

  /** The first line of a file with a given start, or nothing where the system has no such file. */
  private def line(path: String, start: String): Option[String] =
    val file = os.Path(path)
    if os.exists(file) then os.read.lines(file).find(_.startsWith(start)) else None

  /** The memory of the machine, where the system tells it. */
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

  /** The mean number of running processes over the last minute; negative where it is not told. */
  def load: Double =
    java.lang.management.ManagementFactory.getOperatingSystemMXBean.nn.getSystemLoadAverage

  def gcc: Option[String] = said("gcc", "--version")

  /** The commit that is checked out, with a mark where the tree differs from it. */
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
