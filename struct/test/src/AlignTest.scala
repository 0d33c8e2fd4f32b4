package undercroft.struct

import scala.compiletime.testing.typeCheckErrors
import undercroft.memory.{Malloc, Region}

@align(64) case class Counter(reads: Long, @align(32) writes: Long, open: Boolean)
    derives Struct,
      CanEqual

case class Plain(reads: Long, writes: Long, open: Boolean) derives Struct

class AlignTest extends undercroft.tools.Suite:
  private val counters = Vector.tabulate(5)(i => Counter(i, -i, i % 2 == 0))

  test("align sets the alignment of fields and structs"):
    assertEquals(
      Struct[Counter].layout.show,
      """Counter: 64 bytes, aligned to 64
        |       0    8  reads                Long
        |       8   24  (padding)
        |      32    8  writes               Long
        |      40    1  open                 Boolean
        |      41   23  (padding)""".stripMargin
    )
    assertEquals(Struct[Counter].packedSize, 17)

  test("offset sets the offset of a field"):
    assertEquals(
      Struct[Page].layout.show,
      """Page: 24 bytes, aligned to 4
        |       0    1  kind                 Byte
        |       1    5  (padding)
        |       6    2  size                 Short
        |       8    8  (padding)
        |      16    4  sum                  Int
        |      20    1  last                 Byte
        |      21    3  (padding)""".stripMargin
    )

  test("structs with align and offset are stored and loaded in every layout"):
    Region.scoped:
      val (rows, packed, columns) =
        (Rows.from(counters), PackedRows.from(counters), Columns.from(counters))
      assertEquals((rows.toVector, packed.toVector), (counters, counters))
      assertEquals(columns.toVector, counters)
      for i <- counters.indices do
        rows(i) = counters(4 - i)
        assertEquals((rows(i), rows.ref(i)()), (counters(4 - i), counters(4 - i)))
        assertEquals(rows.ref(i).writes, i - 4L)
      val growing = Rows.growing[Page]
      for i <- 0 until 100 do growing += Page(1, 2, i, 3)
      assertEquals(growing.sumOf(_.sum), 4950L)
      assertEquals(Ref.hash(growing.ref(1)), Ref.hash(Ref(Page(1, 2, 1, 3))))
    val ref = Ref(counters(1))(using Malloc)
    assertEquals(Ref.address(ref).offset % 64, 0L)
    Malloc.free(Ref.address(ref))

  test("tabulate clears the padding in reused memory"):
    for _ <- 1 to 2 do
      Region.scoped(Rows.tabulate[Plain](20_000)(i => Plain(-1, -i, true))): Unit
    Region.scoped:
      val tabulated = Rows.tabulate[Counter](5000)(i => Counter(i, i, true))
      val zeroed = Rows[Counter](5000)
      for i <- 0 until 5000 do zeroed(i) = Counter(i, i, true)
      assertEquals(tabulated.segment.mismatch(zeroed.segment), -1L)

  test("the diff of two layouts shows the members that differ"):
    assertEquals(Struct[Plain].layout.diff(Struct[Plain].layout), "")
    assertEquals(
      Struct[Plain].layout.diff(Struct[Counter].layout),
      """- Plain: 24 bytes, aligned to 8
        |-        8    8  writes               Long
        |-       16    1  open                 Boolean
        |-       17    7  (padding)
        |+ Counter: 64 bytes, aligned to 64
        |+        8   24  (padding)
        |+       32    8  writes               Long
        |+       40    1  open                 Boolean
        |+       41   23  (padding)""".stripMargin
    )

  test("an invalid align or offset does not compile, and the error names the reason"):
    inline def says(inline code: String, words: String): Unit =
      val errors = typeCheckErrors(code).map(_.message).mkString("\n")
      assert(errors.contains(words), errors)
    says(
      "case class A(@align(3) a: Int) derives Struct",
      "field `a` must be aligned to a power of two of at most 64 bytes, not to 3"
    )
    says(
      "case class A(a: Long, @offset(4) b: Int) derives Struct",
      "field `b` cannot be at offset 4: the fields before end at 8, and it is aligned to 4 bytes"
    )
    says(
      "case class A(a: Byte, @offset(6) b: Int) derives Struct",
      "field `b` cannot be at offset 6: the fields before end at 1, and it is aligned to 4 bytes"
    )
    says(
      "case class A(@offset(8) a: Int) derives Struct",
      "field `a` is the first: its offset is 0"
    )

  test("the packed layout of an array of structs with gaps has no gaps"):
    assertEquals((Struct[Ruled].size, Struct[Ruled].layout.byteSize), (10, 10L))
    assertEquals((Struct[Ruled].packedSize, Struct[Ruled].packedLayout.byteSize), (4, 4L))
end AlignTest

case class Ruling(from: Byte, @offset(4) until: Byte) derives Struct
case class Ruled(lines: InlineArray[Ruling, 2]) derives Struct

case class Page(kind: Byte, @offset(6) size: Short, @offset(16) sum: Int, last: Byte)
    derives Struct,
      CanEqual
