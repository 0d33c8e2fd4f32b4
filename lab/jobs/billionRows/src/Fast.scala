package billionRows

// The challenge as the guide writes it for all processors: blocks of lines, a map for each range.

import java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED
import java.nio.file.Path
import scala.collection.immutable.TreeMap
import undercroft.file.*
import undercroft.memory.*
import undercroft.struct.*

object Fast:
  private type Stations = StructMap[Text[100], Station]

  def main(args: Array[String]): Unit =
    val stations = parFoldLines(Path.of(args(0)))(StructMap[Text[100], Station]()(using Malloc))(
      (stations, lines) =>
        add(stations, lines); stations
    )(merge)
    val sorted = TreeMap.from(stations.iterator.map((name, station) => name.string -> station))
    println(sorted.map((name, station) => s"$name=$station").mkString("{", ", ", "}"))
    stations.close()

  private def add(stations: Stations, lines: LineBlock): Unit =
    val memory = lines.memory
    var at = lines.from
    while at < lines.until do
      val end = lines.indexOf(';', at)
      val word = memory.get(JAVA_LONG_UNALIGNED, end + 1) // a block has a word after each position
      val point = java.lang.Long.numberOfTrailingZeros(~word & 0x10101000L) // its fourth bit is 0
      val tenths = tenthsOf(word, point)
      stations.updateOrElse(Text(memory, at, end), Station(tenths, tenths, 0, 0)): old =>
        Station(old.min.min(tenths), old.max.max(tenths), old.sum + tenths, old.count + 1)
      at = end + 1 + (point >>> 3) + 3 // the point, a digit, the line feed

  /** The number in the first bytes of a word, `-?[0-9]?[0-9][.][0-9]`, in tenths, without a branch:
    * its digits are moved to fixed places and multiplied (Quan Anh Mai, the challenge's
    * "merykitty").
    */
  private def tenthsOf(word: Long, point: Int): Int =
    val sign = ~word << 59 >> 63 // -1 for a minus
    val digits = (word & ~(sign & 0xff)) << 28 - point & 0x0f000f0f00L
    val magnitude = digits * 0x640a0001L >>> 32 & 0x3ff
    ((magnitude ^ sign) - sign).toInt

  private def merge(all: Stations, part: Stations): Stations =
    part.foreach: (name, station) =>
      all.updateOrElse(name, Station(station.min, station.max, 0, 0)): old =>
        Station(
          old.min.min(station.min),
          old.max.max(station.max),
          old.sum + station.sum,
          old.count + station.count
        )
    part.close()
    all
end Fast
