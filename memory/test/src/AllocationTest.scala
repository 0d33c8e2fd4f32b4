package undercroft.memory

import internal.cage.{Cage, CagePacked}
import undercroft.testkit.{assertAllocates, bytesPerCall}

class AllocationTest extends undercroft.tools.Suite:

  test("the allocation canary detects one small object"):
    val bytes = bytesPerCall { AllocationTest.sink = new Array[Byte](1) }
    assert(bytes >= 16, s"$bytes bytes a call")

  test("allocating a block in a region creates no heap object"):
    Region.scoped:
      val region = Region.current
      assertAllocates(0):
        AllocationTest.sum += region.allocateBlock(64, 8).offset

  test("allocating and freeing a block of Malloc creates no heap object"):
    assertAllocates(0):
      val block = Malloc.allocateBlock(64, 8)
      Cage.setLong(block.bits, 0, 1)
      AllocationTest.sum += Cage.getLong(block.bits, 0)
      Malloc.free(block)

  test("a scoped region that allocates a block creates at most one small heap object"):
    // Allocates nothing if escape analysis sees all uses of the region, which the JIT decides.
    for i <- 1 to 20_000 do
      Region.scoped(AllocationTest.sum += i)
      if Region.scoped(Region.current.isOpen) then AllocationTest.sum += 1
      try Region.scoped(if i % 100 == 0 then throw AllocationTest.failure)
      catch case e: RuntimeException => AllocationTest.sum += e.hashCode
    val ofUnit = bytesPerCall:
      Region.scoped:
        AllocationTest.sum += Region.current.allocateBlock(64, 8).offset
    val ofValue = bytesPerCall(Region.scoped(Region.current.allocateBlock(64, 8).offset))
    assert(ofUnit <= 48, s"$ofUnit bytes a call")
    assert(ofValue <= 72, s"$ofValue bytes a call, of them 24 of its box")

  test("reading and writing through addresses creates no heap object"):
    val region = Region.shared()
    val bits = region.allocateBlock(64, 8).bits
    assertAllocates(0):
      Cage.setInt(bits, 4, 5)
      Cage.setDouble(bits, 8, 2.5)
      AllocationTest.sum += Cage.getInt(bits, 4) + Cage.getDouble(bits, 8).toLong
      CagePacked.setLong(bits, 17, 5)
      AllocationTest.sum += CagePacked.getLong(bits, 17)
    region.close()
end AllocationTest

object AllocationTest:
  val failure: RuntimeException = RuntimeException("from a scope")
  @volatile var sink: Array[Byte] = new Array[Byte](0)
  @volatile var sum = 0L
