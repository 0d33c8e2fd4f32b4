package outside.memory

import undercroft.memory.*
import undercroft.tools.ForkedJvm

/** The alignment of the native addresses of memory. */
class AlignmentTest extends undercroft.tools.Suite:

  test("the address of a segment is a multiple of its alignment"):
    assume(
      Ledger.report().cage.contains("reserved address space"),
      "a file is aligned to pages only"
    )
    for shift <- 0 to 24 do
      val alignment = 1L << shift
      Region.scoped:
        assertEquals(Region.allocate(100, alignment).address % alignment, 0L, s"$alignment")
    for shift <- 0 to 24 do
      val alignment = 1L << shift
      val segment = Malloc.allocate(100, alignment)
      assertEquals(segment.address % alignment, 0L, s"$alignment")
      Malloc.free(segment)

  test("an alignment above 4096 is rejected with the range if native access is denied"):
    val result = ForkedJvm.run(classOf[AlignedInFile.type], ForkedJvm.Denied)
    assertEquals((result.output.trim, result.exit), ("all good", 0))
end AlignmentTest

object AlignedInFile:
  private def messageOf(body: => Any): String =
    try
      val _ = body
      "accepted"
    catch case error: InvalidAlignmentException => error.getMessage

  def main(args: Array[String]): Unit =
    val expected = "alignment 8192 is not a power of two in [1, 4096]"
    Region.scoped:
      for alignment <- Seq(8L, 64L, 4096L) do
        assert(Region.allocate(100, alignment).address % alignment == 0, s"$alignment")
      val messages = Seq(
        messageOf(Region.allocate(100, 8192)),
        messageOf(Region.current.allocateBlock(100, 8192)),
        messageOf(Malloc.allocate(100, 8192)),
        messageOf(Malloc.allocateBlock(100, 8192))
      )
      assert(messages.forall(_ == expected), messages.toString)
    println("all good")
end AlignedInFile
