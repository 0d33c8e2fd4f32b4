package outside.struct

import java.lang.foreign.*
import java.lang.foreign.ValueLayout.{ADDRESS, JAVA_INT, JAVA_LONG}
import undercroft.memory.*
import undercroft.struct.*
import undercroft.tools.CLibrary

/** C's `struct quote { int id; double bid; char name[6]; short size; }`. */
case class Quote(id: Int, bid: Double, name: Text[6], size: Short) derives Struct, CanEqual

/** Rows over memory that a C function allocated. */
class ForeignRowsTest extends undercroft.tools.Suite:

  private val source = """
    |#include <stddef.h>
    |#include <stdlib.h>
    |#include <string.h>
    |struct quote { int id; double bid; char name[6]; short size; };
    |struct quote *make(int n) {
    |  struct quote *q = calloc(n, sizeof *q);
    |  for (int i = 0; i < n; i++) {
    |    q[i].id = i; q[i].bid = i * 0.5; memcpy(q[i].name, "abc", 3); q[i].size = (short) -i;
    |  }
    |  return q;
    |}
    |long total(const struct quote *q, int n) {
    |  long sum = 0;
    |  for (int i = 0; i < n; i++) sum += q[i].id;
    |  return sum;
    |}
    |long offset(int k) {
    |  switch (k) {
    |    case 0: return offsetof(struct quote, id);
    |    case 1: return offsetof(struct quote, bid);
    |    case 2: return offsetof(struct quote, name);
    |    case 3: return offsetof(struct quote, size);
    |    default: return sizeof(struct quote);
    |  }
    |}
    |""".stripMargin

  private final class Library(c: CLibrary):
    private val makeQuotes = c.function("make", FunctionDescriptor.of(ADDRESS, JAVA_INT))
    private val totalOf = c.function("total", FunctionDescriptor.of(JAVA_LONG, ADDRESS, JAVA_INT))
    private val offsetIn = c.function("offset", FunctionDescriptor.of(JAVA_LONG, JAVA_INT))
    private val freeBlock = c.standard("free", FunctionDescriptor.ofVoid(ADDRESS))
    def make(n: Int): MemorySegment =
      makeQuotes.invokeWithArguments(n).asInstanceOf[MemorySegment]
    def total(quotes: MemorySegment, n: Int): Long =
      totalOf.invokeWithArguments(quotes, n).asInstanceOf[Long]
    def offset(k: Int): Long = offsetIn.invokeWithArguments(k).asInstanceOf[Long]
    def free(block: MemorySegment): Unit =
      val _ = freeBlock.invokeWithArguments(block)
  end Library

  private def withLibrary(test: Library => Unit): Unit =
    CLibrary.using(source)(c => test(Library(c)))

  private val bytes = Struct[Quote].size

  test("rows over C's memory have all operations, and C sees the stores"):
    withLibrary: c =>
      Region.scoped:
        val arena = Arena.ofConfined()
        val pointer = c.make(100)
        val quotes = Rows.over[Quote](pointer.reinterpret(100L * bytes, arena, c.free(_)))
        assertEquals(quotes.size, 100L)
        assertEquals(quotes(7), Quote(7, 3.5, Text[6]("abc"), -7))
        assertEquals(quotes.sumOf(_.id), c.total(pointer, 100))
        assertEquals(quotes.filter(_.bid > 40).count(_.name.startsWith("ab")), 19L)
        quotes.updateAt(7)(_.id)(_ + 1000)
        quotes(8) = Quote(2008, 1.5, Text[6]("xyz"), 3)
        assertEquals(c.total(pointer, 100), 4950L + 1000 + 2000)
        quotes.slice(90, 100).transform(q => q.copy(id = 0))
        assertEquals(c.total(pointer, 100), 4950L + 3000 - (90 to 99).sum)
        assertEquals(quotes.sortBy(q => desc(q.id))(0).id, 2008)
        assertEquals(quotes.groupBy(_.id % 2)(0).size + quotes.groupBy(_.id % 2)(1).size, 100L)
        assertEquals(Columns.from(quotes.iterator).sumOf(_.id), quotes.sumOf(_.id))
        quotes.sortInPlaceBy(_.bid)
        arena.close()
        intercept[IllegalStateException](quotes(0)): Unit
        intercept[IllegalStateException](quotes.sumOf(_.id)): Unit
        intercept[IllegalStateException](quotes(0) = Quote(1, 1, Text[6](""), 1)): Unit

  test("offsetOf is C's offsetof"):
    withLibrary: c =>
      assertEquals(
        List(
          Struct.offsetOf[Quote](_.id),
          Struct.offsetOf[Quote](_.bid),
          Struct.offsetOf[Quote](_.name),
          Struct.offsetOf[Quote](_.size)
        ),
        List(0, 1, 2, 3).map(c.offset)
      )
      assertEquals(bytes.toLong, c.offset(4))

  test("rows over C's memory are bounded, and have no references"):
    val arena = Arena.ofConfined()
    try
      val segment = arena.allocate(3L * bytes, 8)
      val rows = Rows.over[Quote](segment)
      intercept[IndexOutOfBoundsException](rows(3)): Unit
      val error = intercept[UnsupportedOperationException](rows.ref(0))
      assert(error.getMessage.nn.contains("use rows(i), row(i) or updateAt"), error.getMessage)
      assertEquals(rows(2), Quote(0, 0, Text[6](""), 0))
      val short = intercept[IllegalArgumentException](
        Rows.over[Quote](segment.asSlice(0, 3L * bytes - 1))
      )
      assertEquals(
        short.getMessage,
        s"${3 * bytes - 1} bytes are not a multiple of the row size, $bytes bytes"
      )
      val unsized = intercept[IllegalArgumentException](
        Rows.over[Quote](MemorySegment.ofAddress(segment.address))
      )
      assert(unsized.getMessage.nn.contains("reinterpret"), unsized.getMessage)
      intercept[IllegalArgumentException](
        Rows.over[Quote](MemorySegment.ofArray(new Array[Byte](3 * bytes)))
      ): Unit
      val numbers = Rows.over[Int](segment)
      assertEquals(numbers.sum, 0L)
      val readOnly = intercept[IllegalArgumentException](
        Rows.over[Quote](segment.asReadOnly)(0) = Quote(1, 1, Text[6](""), 1)
      )
      assert(readOnly.getMessage.nn.contains("read-only"), readOnly.getMessage)
      assertEquals(rows(0), Quote(0, 0, Text[6](""), 0))
    finally arena.close()
    end try

  test("parallel operations need memory that every thread may use"):
    Region.scoped:
      val (confined, shared) = (Arena.ofConfined(), Arena.ofShared())
      try
        val local = Rows.over[Int](confined.allocate(400_000, 4))
        val error = intercept[IllegalStateException](local.parAggregate(0L)(_ + _)(_ + _))
        assert(error.getMessage.nn.contains("Arena.ofShared"), error.getMessage)
        val rows = Rows.over[Int](shared.allocate(400_000, 4))
        rows.fill(1)
        assertEquals(rows.parAggregate(0L)(_ + _)(_ + _), 100_000L)
        assertEquals(rows.parFilter(_ == 1).size, 100_000L)
      finally
        confined.close()
        shared.close()
      end try
end ForeignRowsTest
