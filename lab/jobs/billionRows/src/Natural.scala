package billionRows

// The challenge as the guide writes it: one thread, a buffered source, a map off-heap.

import java.nio.file.{Files, Path}
import scala.collection.immutable.TreeMap
import scala.util.Using
import undercroft.buffer.*
import undercroft.memory.*
import undercroft.struct.*

/** Temperatures in tenths of a degree. */
case class Station(min: Int, max: Int, sum: Long, count: Int) derives Struct:
  override def toString = s"${min / 10.0}/${Math.round(sum.toDouble / count) / 10.0}/${max / 10.0}"

object Natural:
  def main(args: Array[String]): Unit = Region.scoped:
    val stations = StructMap[Text[100], Station](expected = 10_000) // the challenge has no more
    Using.resource(Files.newInputStream(Path.of(args(0))).source().buffered): source =>
      val name = Region.allocate(100)
      while !source.exhausted do
        val size = source.readUntil(';', name)
        val tenths = source.readDecimalLong(scale = 1).toInt
        source.skip(1) // the end of the line
        stations.updateOrElse(Text(name, 0, size), Station(tenths, tenths, 0, 0)): old =>
          Station(old.min.min(tenths), old.max.max(tenths), old.sum + tenths, old.count + 1)
    val sorted = TreeMap.from(stations.iterator.map((name, station) => name.string -> station))
    println(sorted.map((name, station) => s"$name=$station").mkString("{", ", ", "}"))
