package undercroft.file

import java.lang.foreign.MemorySegment
import scala.util.Random

class StridedCopyTest extends undercroft.tools.Suite:
  private val bytes = Random(1).nextBytes(4096)
  private val source = MemorySegment.ofArray(bytes).nn

  /** The values of `size` bytes at the given positions, contiguously. */
  private def expected(places: Seq[Int], size: Int): Seq[Byte] =
    places.flatMap(at => bytes.slice(at, at + size).toSeq)

  test("StridedCopy.copy copies values of every size and stride"):
    for size <- Seq(1, 2, 3, 4, 8, 13); step <- Seq(size, size + 1, 16); next <- Seq(size, 17) do
      val target = new Array[Byte](4096)
      StridedCopy.copy(source, 5, step, MemorySegment.ofArray(target).nn, 3, next, size, 100)
      val result = (0 until 100).flatMap(i => target.slice(3 + i * next, 3 + i * next + size).toSeq)
      assertEquals(result, expected((0 until 100).map(i => 5 + i * step), size))

  test("StridedCopy.copyChosen copies selected values of every size"):
    val rows = Array(0, 3, 4, 99, 100)
    for size <- Seq(1, 2, 3, 4, 8, 13) do
      val target = new Array[Byte](100)
      StridedCopy.copyChosen(source, 7, 16, MemorySegment.ofArray(target).nn, 2, size, rows, 5)
      val result = target.slice(2, 2 + 5 * size).toSeq
      assertEquals(result, expected(rows.map(7 + _ * 16).toSeq, size))

  test("StridedCopy throws IndexOutOfBoundsException beyond source or target"):
    val target = MemorySegment.ofArray(new Array[Byte](100)).nn
    for (start, count) <- Seq((4090L, 2), (-1L, 1), (0L, 26)) do
      intercept[IndexOutOfBoundsException](StridedCopy.copy(
        source,
        start,
        8,
        target,
        0,
        4,
        4,
        count
      ))
    intercept[IndexOutOfBoundsException]:
      StridedCopy.copyChosen(source, 0, 8, target, 0, 4, Array(0, 600), 2)
    StridedCopy.copy(source, -1, 8, target, 0, 4, 4, 0)
end StridedCopyTest
