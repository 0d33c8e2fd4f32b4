package undercroft.lab.bench

// How fast are comparisons of texts and Options in loops over rows, beside those over objects?

import org.openjdk.jmh.annotations.*
import undercroft.memory.Region
import undercroft.struct.*

final case class Listed(name: Text[16], note: Option[Int], price: Long) derives Struct

final class ListedObject(val name: String, val note: Option[Int], val price: Long)

/** The number of rows whose text equals a key, starts with a prefix or is before a key, or whose
  * Option has a large value. A result is for all rows.
  */
@State(Scope.Thread)
class TextFilters extends Measured:
  @Param(Array("2000000")) var rows = 0

  private var region: Region = scala.compiletime.uninitialized
  private var offHeap: Rows[Listed] = scala.compiletime.uninitialized
  private var objects: Array[ListedObject] = scala.compiletime.uninitialized
  private val key = Text[16](name(5))
  private val prefix = "name-5"
  private val limit = 1000

  private def name(i: Int): String = s"name-${i % 977}${if i % 3 == 0 then "-xyz" else ""}"
  private def note(i: Int): Option[Int] = Option.when(i % 5 != 0)(i % 2000)

  @Setup def fill(): Unit =
    region = Region.shared()
    offHeap = Rows[Listed](rows)(using region)
    objects = Array.tabulate(rows)(i => ListedObject(name(i), note(i), i.toLong))
    for i <- 0 until rows do offHeap(i) = Listed(Text[16](name(i)), note(i), i.toLong)

  @TearDown def free(): Unit = region.close()

  @Benchmark def equalOurs(): Long = offHeap.count(_.name == key)
  @Benchmark def startsOurs(): Long = offHeap.count(_.name.startsWith(prefix))
  @Benchmark def beforeOurs(): Long = offHeap.count(_.name.compare(key.string) < 0)
  @Benchmark def existsOurs(): Long = offHeap.count(_.note.exists(_ > limit))
  @Benchmark def matchOurs(): Long = offHeap.count: row =>
    row.note match
      case Some(value) => value > limit
      case None        => false

  @Benchmark def equalHeap(): Long =
    val string = key.string
    count(_.name == string)
  @Benchmark def startsHeap(): Long = count(_.name.startsWith(prefix))
  @Benchmark def beforeHeap(): Long =
    val string = key.string
    count(_.name.compareTo(string) < 0)
  @Benchmark def existsHeap(): Long = count(_.note.exists(_ > limit))

  private inline def count(inline p: ListedObject => Boolean): Long =
    var (found, i) = (0L, 0)
    while i < objects.length do
      if p(objects(i)) then found += 1
      i += 1
    found
end TextFilters
