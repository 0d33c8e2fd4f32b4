package undercroft.exchange
package internal.run

import scala.util.matching.Regex

/** The collector's pauses in one JVM, read from the output of `-Xlog:gc,gc+phases`: every stop of
  * the program; concurrent work is not counted.
  */
final case class Pauses(count: Int, maxMillis: Double, totalMillis: Double, peakHeapBytes: Long):

  /** These pauses and, if `line` reports another one, that one too. */
  def and(line: String): Pauses = line match
    case Pauses.Line(mebibytes, millis) =>
      val used = Option(mebibytes).fold(0L)(_.toLong << 20)
      val pause = millis.nn.toDouble
      Pauses(
        count + 1,
        math.max(maxMillis, pause),
        totalMillis + pause,
        math.max(peakHeapBytes, used)
      )
    case _ => this
end Pauses

object Pauses:
  val empty: Pauses = Pauses(0, 0, 0, 0)

  /** The flag whose output is read here: no decorations, on standard output. */
  val LogFlag = "-Xlog:gc,gc+phases:stdout:none"

  // GC(3) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 2.345ms
  private val Line: Regex = raw"GC\(\d+\).*\bPause .*?(?:(\d+)M->\d+M\(\d+M\) )?([\d.]+)ms".r
