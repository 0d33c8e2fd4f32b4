package undercroft.struct

import java.lang.foreign.{MemorySegment, ValueLayout}
import undercroft.testkit.assertAllocates

class SlotAccessTest extends undercroft.tools.Suite:
  import Figure.*
  var sum = 0L
  private val slot = MemorySegment.ofArray(Array.fill[Byte](64)(-1)).nn

  test("every case of an enum is loaded from a slot as it was stored"):
    Slot.store[Figure](slot, 16, Nothing)
    assertEquals(Slot.load[Figure](slot, 16), Nothing)
    Slot.store[Figure](slot, 16, Circle(-0.0))
    assertEquals(Slot.load[Figure](slot, 16), Circle(-0.0))
    Slot.store[Figure](slot, 16, Box(1, -1))
    assertEquals(Slot.load[Figure](slot, 16), Box(1, -1))
    Slot.store[Figure](slot, 16, Named(Text("åßç"), Some(-1)))
    assertEquals(Slot.load[Figure](slot, 16), Named(Text("åßç"), Some(-1)))

  test("the fields start after the owner's bytes, and the case number is the owner's"):
    val bytes = MemorySegment.ofArray(Array.fill[Byte](32)(-1)).nn
    Slot.store[Figure](bytes, 0, Circle(1.5))
    assertEquals(bytes.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, 8), 1.5)
    assertEquals(bytes.get(ValueLayout.JAVA_LONG_UNALIGNED, 16), -1L)

  test("a case matches the value in a slot, and binds the fields that it names"):
    def bound: List[Any] = Slot.matched[Figure](slot, 16):
      case Box(7, high)         => high
      case Box(wide, high)      => (wide, high)
      case Circle(r)            => r
      case Named(text, Some(n)) => (text, n)
      case Named(text, None)    => text
      case whole                => whole
    Slot.store[Figure](slot, 16, Box(7, 8))
    assertEquals(bound, List[Any](8))
    Slot.store[Figure](slot, 16, Box(6, 8))
    assertEquals(bound, List[Any](6, 8))
    Slot.store[Figure](slot, 16, Named(Text("n"), Some(3)))
    assertEquals(bound, List[Any]("n", 3.toByte))
    Slot.store[Figure](slot, 16, Named(Text(""), None))
    assertEquals(bound, List[Any](""))
    Slot.store[Figure](slot, 16, Nothing)
    assertEquals(bound, List[Any]("whole"))

  test("an argument that throws leaves the slot unchanged"):
    Slot.store[Figure](slot, 16, Box(1, 2))
    val error = intercept[IllegalStateException]:
      Slot.store[Figure](slot, 16, Circle(throw IllegalStateException("no radius")))
    assertEquals(error.getMessage, "no radius")
    assertEquals(Slot.load[Figure](slot, 16), Box(1, 2))

  test("a value can be created again from its evaluated parts"):
    var count = 0
    def next(): Int =
      count += 1; count
    Slot.again[Figure](Box(next(), next()))(again => assertEquals(again, Box(1, 2)))
    val tone: Option[Byte] = Some(5)
    Slot.again[Figure](Named(Text("x"), tone)): again =>
      assertEquals(again, Named(Text("x"), Some(5)))
    assertEquals(count, 2)

  test("a value of a subclass is created again with its fields"):
    Slot.again[Extent](new Reversed(1, 2))(again => assertEquals(again, Extent(2, 1)))

  test("an access outside of the segment throws"):
    intercept[IndexOutOfBoundsException](Slot.store[Figure](slot, 56, Box(1, 2))): Unit

  test("stores and matches of constructor calls allocate nothing"):
    assertAllocates(0)(Slot.store[Figure](slot, 32, Box(sum.toInt, 2)))
    assertAllocates(0)(Slot.store[Figure](slot, 32, Named(SlotAccessTest.name, Some(sum.toByte))))
end SlotAccessTest

case class Extent(from: Int, until: Int) derives Struct, CanEqual
class Reversed(last: Int, first: Int) extends Extent(first, last)

object SlotAccessTest:
  private val name: Text[6] = Text("name")
