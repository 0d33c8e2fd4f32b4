package billionRows

// The challenge for all processors: blocks of lines, and for each range of the file a table of
// names of up to 31 bytes by hand; longer names are in a map of the guide. Little-endian only.

import java.lang.Long.{numberOfTrailingZeros, rotateLeft}
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED
import java.nio.ByteBuffer
import java.nio.ByteOrder.LITTLE_ENDIAN
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Path
import scala.collection.immutable.TreeMap
import undercroft.file.*
import undercroft.memory.*
import undercroft.struct.*

object Fast:
  def main(args: Array[String]): Unit =
    val stations = parFoldLines(Path.of(args(0)))(Stations())(_.add(_))(_.add(_))
    val sorted = TreeMap.from(stations.all)
    println(sorted.map((name, station) => s"$name=$station").mkString("{", ", ", "}"))
    stations.long.close()
end Fast

/** The stations of a range. The table of short names has open addressing and eight words a slot:
  * the name, filled up with zeros, the sum, the count, the least and the greatest value.
  */
final class Stations:
  private val words = new Array[Long](Stations.Slots * Stations.Width)
  val long = StructMap[Text[100], Station]()(using Malloc)

  /** Adds all lines of a block. */
  def add(lines: LineBlock): Stations =
    import Stations.{markOf, semicolons}
    val memory = lines.memory
    var at = lines.from
    while at < lines.until do
      // A block has two words after each position.
      val (a, b) = (memory.get(JAVA_LONG_UNALIGNED, at), memory.get(JAVA_LONG_UNALIGNED, at + 8))
      val (inA, inB) = (semicolons(a), semicolons(b))
      at =
        if (inA | inB) == 0 then addLong(lines, at, a, b)
        else
          // Without a branch for the name's size, which would often be mispredicted.
          val isA = (inA | -inA) >> 63
          val slot = slotOf(a & markOf(inA) - 1, b & markOf(inB) - 1 & ~isA, 0, 0)
          val bits = numberOfTrailingZeros(inA | inB & ~isA) + (64 & ~isA)
          addNumber(memory, at + (bits >>> 3) + 1, slot)
    this

  /** Adds the line at a position, whose name begins with two words; returns the next line's. */
  private def addLong(lines: LineBlock, at: Long, a: Long, b: Long): Long =
    import Stations.{markOf, semicolons}
    val memory = lines.memory
    val (c, d) =
      (memory.get(JAVA_LONG_UNALIGNED, at + 16), memory.get(JAVA_LONG_UNALIGNED, at + 24))
    val (inC, inD) = (semicolons(c), semicolons(d))
    if (inC | inD) == 0 then addLongest(lines, at)
    else
      val isC = (inC | -inC) >> 63
      val slot = slotOf(a, b, c & markOf(inC) - 1, d & markOf(inD) - 1 & ~isC)
      val bits = numberOfTrailingZeros(inC | inD & ~isC) + (64 & ~isC)
      addNumber(memory, at + 16 + (bits >>> 3) + 1, slot)

  private def addLongest(lines: LineBlock, at: Long): Long =
    val end = lines.indexOf(';', at)
    val word = lines.memory.get(JAVA_LONG_UNALIGNED, end + 1)
    val point = Stations.pointOf(word)
    val tenths = Stations.tenthsOf(word, point).toInt
    long.updateOrElse(Text(lines.memory, at, end), Station(tenths, tenths, 0, 0)): old =>
      Station(old.min.min(tenths), old.max.max(tenths), old.sum + tenths, old.count + 1)
    end + 1 + (point >>> 3) + 3

  /** Adds the number at a position to a slot; returns the position of the next line. */
  private def addNumber(memory: MemorySegment, at: Long, slot: Int): Long =
    val word = memory.get(JAVA_LONG_UNALIGNED, at)
    val point = Stations.pointOf(word)
    val tenths = Stations.tenthsOf(word, point)
    add(slot, tenths, 1, tenths, tenths)
    at + (point >>> 3) + 3 // the point, a digit, the line feed

  /** Adds the stations of a later range, and closes them. */
  def add(other: Stations): Stations =
    import other.words as those
    for i <- other.used do
      val slot = slotOf(those(i), those(i + 1), those(i + 2), those(i + 3))
      add(slot, those(i + 4), those(i + 5), those(i + 6), those(i + 7))
    other.long.foreach: (name, station) =>
      long.updateOrElse(name, Station(station.min, station.max, 0, 0)): old =>
        Station(
          old.min.min(station.min),
          old.max.max(station.max),
          old.sum + station.sum,
          old.count + station.count
        )
    other.long.close()
    this

  /** The stations by name. */
  def all: Iterator[(String, Station)] =
    val short = used.map: i =>
      val (least, most) = (words(i + 6).toInt, words(i + 7).toInt)
      name(i) -> Station(least, most, words(i + 4), words(i + 5).toInt)
    short ++ long.iterator.map((name, station) => name.string -> station)

  private def used: Iterator[Int] =
    words.indices.by(Stations.Width).iterator.filter(i => words(i + 5) != 0)

  private def name(slot: Int): String =
    val bytes = ByteBuffer.allocate(32).order(LITTLE_ENDIAN)
    for i <- 0 until 4 do bytes.putLong(words(slot + i))
    String(bytes.array.takeWhile(_ != 0), UTF_8)

  /** The slot of a name of four words, which is added if it is new. */
  private def slotOf(a: Long, b: Long, c: Long, d: Long): Int =
    val hash = (a ^ rotateLeft(b, 23) ^ rotateLeft(c, 37) ^ rotateLeft(d, 51)) * Stations.Factor
    var i = (hash >>> 49).toInt * Stations.Width // the highest 15 bits
    while words(i) != a || words(i + 1) != b || words(i + 2) != c || words(i + 3) != d do
      if words(i + 5) != 0 then i = i + Stations.Width & words.length - 1
      else
        words(i) = a
        words(i + 1) = b
        words(i + 2) = c
        words(i + 3) = d
        words(i + 6) = Long.MaxValue
        words(i + 7) = Long.MinValue
    i

  private def add(slot: Int, sum: Long, count: Long, least: Long, most: Long): Unit =
    words(slot + 4) += sum
    words(slot + 5) += count
    words(slot + 6) = Math.min(words(slot + 6), least)
    words(slot + 7) = Math.max(words(slot + 7), most)
end Stations

object Stations:
  private inline val Slots = 1 << 15
  private inline val Width = 8
  private inline val Factor = 0x9e3779b97f4a7c15L // 2^64 by the golden ratio
  private inline val Ones = 0x0101010101010101L

  /** The highest bit of the first byte that is a semicolon, and perhaps of later bytes. */
  private def semicolons(word: Long): Long =
    val difference = word ^ ';' * Ones
    (difference - Ones) & ~difference & Ones << 7

  /** The lowest bit of the byte whose highest one is the first that is set. */
  private def markOf(found: Long): Long = (found & -found) >>> 7

  /** The bits before the point of a number, whose fourth bit is 0, and that of digits is 1. */
  private def pointOf(word: Long): Int = numberOfTrailingZeros(~word & 0x10101000L)

  /** The number in the first bytes of a word, `-?[0-9]?[0-9][.][0-9]`, in tenths, without a branch:
    * its digits are moved to fixed places and multiplied (Quan Anh Mai, the challenge's
    * "merykitty").
    */
  private def tenthsOf(word: Long, point: Int): Long =
    val sign = ~word << 59 >> 63 // -1 for a minus
    val digits = (word & ~(sign & 0xff)) << 28 - point & 0x0f000f0f00L
    val magnitude = digits * 0x640a0001L >>> 32 & 0x3ff
    (magnitude ^ sign) - sign
end Stations
