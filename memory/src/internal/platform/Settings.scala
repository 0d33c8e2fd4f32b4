package undercroft.memory
package internal.platform

import java.util.Locale

/** The system properties of Undercroft, each read once, at first use.
  *
  * Written with Java's strings: this runs before the first region, and the first use of Scala's
  * collections, Options and lambdas takes longer than all the rest of it.
  */
private[undercroft] object Settings:

  /** `undercroft.native=off` disables native calls even if the application allows them. */
  val native: Boolean = isOn("undercroft.native", default = true)

  /** `undercroft.generationBits`: binary logarithm of the number of generations of a page. */
  val generationBits: Int = bounded("undercroft.generationBits", 20, 2, 20)

  /** Smallest useful cage in bytes: 1 GiB. */
  inline val SmallestRange = 0x40000000L

  /** `undercroft.range`: bytes of address space to request first; rounded down to a power of two.
    */
  val rangeBytes: Long =
    val bytes = size("undercroft.range", 1L << 44)
    if bytes >= SmallestRange then java.lang.Long.highestOneBit(bytes)
    else
      val text = System.getProperty("undercroft.range")
      throw IllegalArgumentException(s"undercroft.range=$text is not at least 1g")

  /** `undercroft.limit`: bytes of memory for the whole process, e.g. `512m` or `20g`; negative if
    * it is not set.
    */
  def limitBytes: Long = size("undercroft.limit", -1)

  /** `undercroft.malloc`: limit in bytes of the pages that [[Malloc]] holds. */
  def mallocBytes: Long = size("undercroft.malloc", Long.MaxValue)

  /** `undercroft.idle`: bytes that the page pool keeps for reuse before it returns them; negative
    * if it is not set.
    */
  def idleBytes: Long = size("undercroft.idle", -1)

  /** `undercroft.pages`: `small` or `huge`, the default kind of pages of regions. */
  val pages: String = choice("undercroft.pages", "small", "huge")

  /** `undercroft.leaks=on` records the allocation sites of regions and blocks. */
  val leaks: Boolean = isOn("undercroft.leaks", default = false)

  /** `undercroft.mxbean=on` registers the [[LedgerMXBean]]; ignored in a runtime without JMX. */
  def mxbean: Boolean = isOn("undercroft.mxbean", default = false)

  /** `undercroft.directory`: the folder of the cage's file if native access is denied. */
  val directory: String | Null = System.getProperty("undercroft.directory")

  /** `undercroft.cgroup`: the folder with the container's limit, for tests. */
  val cgroup: String = System.getProperty("undercroft.cgroup", "/sys/fs/cgroup")

  private def bounded(name: String, default: Int, low: Int, high: Int): Int =
    val text = System.getProperty(name)
    if text == null then default
    else
      val value =
        try Integer.parseInt(text)
        catch case _: NumberFormatException => low - 1
      if value >= low && value <= high then value
      else throw IllegalArgumentException(s"$name=$text is not in [$low, $high]")

  /** Reads `on` or `off`. Also used by other modules. */
  private[undercroft] def isOn(name: String, default: Boolean): Boolean =
    if default then choice(name, "on", "off") == "on" else choice(name, "off", "on") == "on"

  private def choice(name: String, default: String, other: String): String =
    val text = System.getProperty(name, default)
    if text != default && text != other then
      throw IllegalArgumentException(s"$name=$text is neither $default nor $other")
    text

  private def size(name: String, default: Long): Long =
    val text = System.getProperty(name)
    if text == null then default
    else
      val bytes = parse(text)
      if bytes < 0 then
        throw IllegalArgumentException(s"$name=$text is not a size such as 4096, 512m or 20g")
      bytes

  /** A number with an optional unit, in bytes; negative if the text is not one. */
  private[memory] def parse(text: String): Long =
    var end = 0
    while end < text.length && Character.isDigit(text.charAt(end)) do end += 1
    val shift = text.substring(end).nn.toLowerCase(Locale.ROOT) match
      case "" | "b" => 0
      case "k"      => 10
      case "m"      => 20
      case "g"      => 30
      case "t"      => 40
      case _        => -1
    try
      val count = java.lang.Long.parseLong(text, 0, end, 10)
      if shift >= 0 && count <= (Long.MaxValue >> shift) then count << shift else -1
    catch case _: NumberFormatException => -1
end Settings
