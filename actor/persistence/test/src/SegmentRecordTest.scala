package undercroft.actor
package persistence

import internal.log.SegmentRecord
import scala.collection.immutable.SortedSet
import scala.util.Random
import undercroft.tools.Suite

/** The record of the segments of a folder. */
class SegmentRecordTest extends Suite:
  private def encoded(numbers: SortedSet[Int]): Array[Byte] =
    val bytes = SegmentRecord.encode(numbers)
    bytes.array.take(bytes.limit)

  private def recordOf(bytes: Array[Byte]): SegmentRecord.Decoded =
    val buffer = SegmentRecord.buffer(bytes.length)
    SegmentRecord.decode(buffer.put(bytes))

  private def decoded(bytes: Array[Byte]): SortedSet[Int] = recordOf(bytes).numbers

  test("a record has the numbers that were encoded, and bytes after it are ignored"):
    val random = Random(1)
    val sets = List.fill(50)(SortedSet.from(List.fill(random.nextInt(30))(1 + random.nextInt(40))))
    for numbers <- sets :+ SortedSet(Int.MaxValue - 1, Int.MaxValue) do
      assertEquals(decoded(encoded(numbers)), numbers)
      assertEquals(decoded(encoded(numbers) ++ Array[Byte](1, 2, 3)), numbers)

  test("of a record without ranges only segments beyond all that are present are missing"):
    val whole = recordOf(encoded(SortedSet(3, 4, 5)))
    assertEquals(whole.missing(SortedSet(3, 5, 6)), SortedSet(4))
    val newestOnly = recordOf(encoded(SortedSet(3, 4, 5)).take(12))
    assertEquals(newestOnly.missing(SortedSet(6, 7)), SortedSet.empty[Int])
    assertEquals(newestOnly.missing(SortedSet(3, 4)), SortedSet(5))
    assertEquals(newestOnly.missing(SortedSet.empty), SortedSet(5))

  test("a record that is cut or changed has its newest number or none"):
    val numbers = SortedSet(2, 3, 7)
    val bytes = encoded(numbers)
    def expected(size: Int) = if size < 12 then SortedSet.empty[Int] else SortedSet(7)
    for size <- bytes.indices do assertEquals(decoded(bytes.take(size)), expected(size))
    for index <- bytes.indices do
      val changed = bytes.updated(index, (bytes(index) ^ 4).toByte)
      assertEquals(decoded(changed), expected(index))
end SegmentRecordTest
