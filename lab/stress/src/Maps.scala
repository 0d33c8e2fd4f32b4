package undercroft.lab.stress

import java.util.ConcurrentModificationException
import undercroft.memory.{Malloc, Region}
import undercroft.struct.{Rows, Struct, StructMap}

/** Maps of a shared region between rows that no operation of a map may change. */
object Maps:
  import Tables.Tick

  final case class Pair(first: Long, second: Long) derives Struct

  /** Entries before the test: the next ones begin a resize. */
  private val Before = 2040
  private val Puts = 24
  private val Canary = 0x5ca1ab1eL

  final class SharedMap:
    private val region = Region.shared()
    private def canaries() =
      Rows.tabulate[Tick](64)(_ => Tick(Canary))(using region)
    private val below = canaries()
    private val map = StructMap[Long, Long]()(using region)
    private val above = canaries()
    for key <- 1 to Before do map(key.toLong) = -key.toLong

    /** Puts entries whose keys begin at `from`. */
    def put(from: Long): String =
      var rejected = false
      for key <- from until from + Puts do
        try map(key) = -key
        catch case _: ConcurrentModificationException => rejected = true
      if rejected then "rejected" else "put"

    def remove(): String =
      try
        for key <- 1 to Puts do map.remove(key.toLong): Unit
        "removed"
      catch case _: ConcurrentModificationException => "rejected"

    /** Looks up a key that was present before the test. */
    def look(): String =
      try if map(Before) == -Before then "right" else "wrong"
      catch
        case _: ConcurrentModificationException => "rejected"
        case _: NoSuchElementException          => "missing"

    /** Whether the canaries are unchanged and every entry has its own value; frees the map. */
    def end(): String =
      val unchanged = below.forall(_.value == Canary) && above.forall(_.value == Canary)
      var entries = true
      map.foreach((key, value) => if value != -key then entries = false)
      region.close()
      if unchanged && entries then "intact" else "overwritten"
  end SharedMap

  /** A map with keys of 16 bytes that does not change. */
  private val pairs = StructMap[Pair, Long]()(using Malloc)
  for key <- 1 to 100 do pairs(Pair(key, key)) = key.toLong

  def lookUp(key: Long): Long = pairs.getOrElse(Pair(key, key), -1L)
end Maps
