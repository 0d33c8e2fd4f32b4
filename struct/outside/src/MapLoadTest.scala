package outside.struct

import java.util.ConcurrentModificationException
import undercroft.memory.*
import undercroft.struct.*

/** A type whose decoding runs an action of the test. */
final class Decoded(val number: Long)
object Decoded:
  var action: () => Unit = () => ()
  given Struct.StoredAs[Decoded, Long] = Struct.storedAs[Decoded, Long](_.number): number =>
    action()
    Decoded(number)

case class LoadedEntry(decoded: Decoded, rest: Long) derives Struct

class MapLoadTest extends undercroft.tools.Suite:

  private def during[A](action: () => Unit)(body: => A): A =
    Decoded.action = action
    try body
    finally Decoded.action = () => ()

  test("a map lookup throws if decoding the value closes the map"):
    Region.scoped:
      val map = StructMap[Int, LoadedEntry]()
      map(1) = LoadedEntry(Decoded(1), 7)
      during(() => map.close())(intercept[MemoryException](map(1))): Unit

  test("a map lookup throws if decoding the value closes the map's shared region"):
    val region = Region.shared("entries")
    val map = StructMap[Int, LoadedEntry]()(using region)
    map(1) = LoadedEntry(Decoded(1), 7)
    during(() => if region.isOpen then region.close())(intercept[MemoryException](map(1))): Unit

  test("a map lookup is correct or throws if decoding the value grows the map"):
    Region.scoped:
      val map = StructMap[Int, LoadedEntry]()
      map(1) = LoadedEntry(Decoded(1), 7)
      var next = 2
      val value =
        during(() =>
          while next < 10_000 do
            map(next) = LoadedEntry(Decoded(0), 0); next += 1
        ):
          try map(1).rest
          catch case _: ConcurrentModificationException => 7L
      assertEquals(value, 7L)
      assertEquals(map(1).rest, 7L)
      assertEquals(map.size, 9999L)

  test("foreach of a set throws ConcurrentModificationException if decoding a key clears the set"):
    Region.scoped:
      val set = StructSet[LoadedEntry]()
      for i <- 1 to 100 do set.add(LoadedEntry(Decoded(i), i)): Unit
      var rests = List[Long]()
      during(() => set.clear())(
        intercept[ConcurrentModificationException](set.foreach(entry => rests ::= entry.rest))
      ): Unit
      assertEquals(rests, Nil)
end MapLoadTest
