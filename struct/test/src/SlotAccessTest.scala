package undercroft.struct

import undercroft.testkit.assertAllocates

class SlotAccessTest extends undercroft.tools.Suite:
  import Figure.*
  var sum = 0L

  test("SlotAccess lets macros of other modules store and match structs in their own memory"):
    val slot = java.lang.foreign.MemorySegment.ofArray(Array.fill[Byte](64)(-1)).nn
    def told(at: Long): String = Slot.read[Figure, String](slot, at):
      case Circle(radius)  => radius.toString
      case Box(wide, high) => s"$wide $high"
      case other           => other.toString
    val figures = List(Nothing, Circle(-0.0), Box(1, -1), Named(Text("åßç"), Some(-1)))
    for figure <- figures do
      Slot.store(slot, 16, figure)
      assertEquals(Slot.read[Figure, Figure](slot, 16)(identity), figure)
    Slot.store(slot, 16, Circle(2.5))
    Slot.store(slot, 32, Box(1, sum.toInt - 1))
    assertEquals((told(16), told(32)), ("2.5", "1 -1"))
    intercept[IndexOutOfBoundsException](told(64))
    assertAllocates(0) { Slot.store(slot, 32, Box(sum.toInt, 2)) }
    assertAllocates(0) {
      sum += Slot.read[Figure, Int](slot, 32):
        case Box(wide, high) => wide + high
        case _               => 0
    }
end SlotAccessTest
