package undercroft.lab

/** The work of the machine's processors since it started, sampled at one moment; all in seconds.
  *
  * @param at
  *   the moment
  * @param busy
  *   busy time of all processors, time taken by the machine's host included
  * @param own
  *   the part of `busy` used by this process and the child processes that it waited for
  */
final case class CpuSample(at: Double, busy: Double, own: Double) derives CanEqual:

  /** How many processors others kept busy from `start` to this moment, on average. */
  def others(start: CpuSample): Double =
    val elapsed = at - start.at
    if elapsed <= 0 then 0
    else math.max(0, (busy - start.busy) - (own - start.own)) / elapsed
end CpuSample

object CpuSample:
  /** The unit of Linux's tables for programs, whatever the kernel counts in. */
  private val ticksPerSecond = 100.0

  /** The current sample; absent if the system has no such tables. */
  def now(): Option[CpuSample] =
    for
      machine <- text("/proc/stat")
      self <- text("/proc/self/stat")
      moment <- parse(System.nanoTime / 1e9, machine, self)
    yield moment

  /** Parses the content of `/proc/stat` and `/proc/self/stat`. */
  def parse(at: Double, machine: String, self: String): Option[CpuSample] =
    val processors =
      machine.linesIterator.nextOption().map(_.trim.nn.split(" +").nn.toSeq.map(_.nn))
    // The name, in parentheses, may hold blanks; the state follows it.
    val fields = self.drop(self.lastIndexOf(')') + 1).trim.nn.split(" +").nn.toSeq.map(_.nn)
    processors match
      case Some("cpu" +: numbers) if numbers.sizeIs >= 8 && fields.sizeIs >= 15 =>
        val ticks = numbers.map(_.toDouble)
        val (idle, waiting) = (ticks(3), ticks(4))
        // User, nice, system, idle, waiting, two kinds of interrupt and stolen; guests come twice.
        val busy = ticks.take(8).sum - idle - waiting
        // Of the process and of its children that ended: user and system time of each.
        Some(CpuSample(
          at,
          busy / ticksPerSecond,
          fields.slice(11, 15).map(_.toDouble).sum / ticksPerSecond
        ))
      case _ => None
  end parse

  private def text(path: String): Option[String] =
    scala.util.Try(os.read(os.Path(path))).toOption
end CpuSample
