package undercroft.memory
package internal.platform

/** The system properties of Undercroft, each read once, at first use. */
private[memory] object Settings:

  /** `undercroft.native=off` disables native calls even if the application allows them. */
  val native: Boolean = System.getProperty("undercroft.native", "on") != "off"

  /** `undercroft.generationBits`: binary logarithm of the number of generations of a page. */
  val generationBits: Int = bounded("undercroft.generationBits", 20, 2, 20)

  /** `undercroft.range`: bytes of address space to request first; rounded down to a power of two.
    */
  val rangeBytes: Long =
    java.lang.Long.highestOneBit(size("undercroft.range").filter(_ > 0).getOrElse(1L << 44))

  /** `undercroft.limit`: bytes of memory for the whole process, e.g. `512m` or `20g`. */
  def limitBytes: Option[Long] = size("undercroft.limit")

  /** `undercroft.malloc`: limit in bytes of the pages that [[Malloc]] holds. */
  def mallocBytes: Long = size("undercroft.malloc").getOrElse(Long.MaxValue)

  /** `undercroft.idle`: bytes that the page pool keeps for reuse before it returns them. */
  def idleBytes: Option[Long] = size("undercroft.idle")

  /** `undercroft.pages`: `small` or `huge`, the default kind of pages of regions. */
  val pages: String = System.getProperty("undercroft.pages", "small")

  /** `undercroft.leaks=on` records the allocation sites of regions and blocks. */
  val leaks: Boolean = System.getProperty("undercroft.leaks", "off") == "on"

  /** `undercroft.mxbean=on` registers the [[LedgerMXBean]]; ignored in a runtime without JMX. */
  def mxbean: Boolean = System.getProperty("undercroft.mxbean", "off") == "on"

  /** `undercroft.directory`: the folder of the cage's file if native access is denied. */
  val directory: Option[String] = Option(System.getProperty("undercroft.directory"))

  /** `undercroft.cgroup`: the folder with the container's limit, for tests. */
  val cgroup: String = System.getProperty("undercroft.cgroup", "/sys/fs/cgroup")

  private def bounded(name: String, default: Int, low: Int, high: Int): Int =
    Option(System.getProperty(name)).flatMap(_.toIntOption) match
      case Some(value) if value < low || value > high =>
        throw IllegalArgumentException(s"$name=$value is not in [$low, $high]")
      case Some(value) => value
      case None        => default

  private def size(name: String): Option[Long] =
    Option(System.getProperty(name)).map: text =>
      parse(text).getOrElse:
        throw IllegalArgumentException(s"$name=$text is not a size such as 4096, 512m or 20g")

  private[memory] def parse(text: String): Option[Long] =
    val digits = text.takeWhile(_.isDigit)
    val shift = text.drop(digits.length).toLowerCase match
      case "" | "b" => 0
      case "k"      => 10
      case "m"      => 20
      case "g"      => 30
      case "t"      => 40
      case _        => -1
    val fits = (count: Long) => shift >= 0 && count <= (Long.MaxValue >> shift)
    digits.toLongOption.filter(fits).map(_ << shift)
end Settings
