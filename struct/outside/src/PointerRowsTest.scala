package outside.struct

import java.lang.foreign.*
import java.lang.foreign.ValueLayout.{ADDRESS, JAVA_INT, JAVA_LONG}
import undercroft.memory.*
import undercroft.struct.*
import undercroft.struct.unsafe.*
import undercroft.tools.CLibrary

/** C's `struct sample { long time; float value; int flags; }`. */
case class Sample(time: Long, value: Float, flags: Int) derives Struct, CanEqual

/** Rows at a pointer of C with the lifetime of a region. */
class PointerRowsTest extends undercroft.tools.Suite:

  private val source = """
    |#include <stdlib.h>
    |struct sample { long time; float value; int flags; };
    |static int live, released;
    |struct sample *acquire(int n) {
    |  struct sample *s = calloc(n, sizeof *s);
    |  for (int i = 0; i < n; i++) { s[i].time = i; s[i].value = i * 0.25f; s[i].flags = i % 4; }
    |  live++;
    |  return s;
    |}
    |void release(struct sample *s) { free(s); live--; released++; }
    |int live_count(void) { return live; }
    |int released_count(void) { return released; }
    |long total(const struct sample *s, int n) {
    |  long sum = 0;
    |  for (int i = 0; i < n; i++) sum += s[i].time;
    |  return sum;
    |}
    |""".stripMargin

  private final class Functions(c: CLibrary):
    private val acquireSamples = c.function("acquire", FunctionDescriptor.of(ADDRESS, JAVA_INT))
    private val releaseSamples = c.function("release", FunctionDescriptor.ofVoid(ADDRESS))
    private val liveCount = c.function("live_count", FunctionDescriptor.of(JAVA_INT))
    private val releasedCount = c.function("released_count", FunctionDescriptor.of(JAVA_INT))
    private val totalOf = c.function("total", FunctionDescriptor.of(JAVA_LONG, ADDRESS, JAVA_INT))

    def acquire(n: Int): MemorySegment =
      acquireSamples.invokeWithArguments(n).asInstanceOf[MemorySegment]
    def release(samples: MemorySegment): Unit =
      val _ = releaseSamples.invokeWithArguments(samples)
    def live: Int = liveCount.invokeWithArguments().asInstanceOf[Int]
    def released: Int = releasedCount.invokeWithArguments().asInstanceOf[Int]
    def total(samples: MemorySegment, n: Int): Long =
      totalOf.invokeWithArguments(samples, n).asInstanceOf[Long]
  end Functions

  private def withFunctions(test: Functions => Unit): Unit =
    CLibrary.using(source)(c => test(Functions(c)))

  test("C's memory is released by the end of the region, exactly once, thousands of times"):
    withFunctions: c =>
      for round <- 1 to 3000 do
        Region.scoped:
          val samples = Rows.overPointer[Sample](c.acquire(20), 20, c.release(_))
          assertEquals(samples(7), Sample(7, 1.75f, 3))
          assertEquals(samples.sumOf(_.time), 190L)
          assertEquals(c.live, 1)
        assertEquals((c.live, c.released), (0, round))

  test("rows at a pointer have the operations of other rows, and C sees the stores"):
    withFunctions: c =>
      Region.scoped:
        val pointer = c.acquire(100)
        val samples = Rows.overPointer[Sample](pointer, 100, c.release(_))
        assertEquals(samples.size, 100L)
        assertEquals(samples.count(_.flags == 3), 25L)
        samples.updateAt(7)(_.time)(_ + 1000)
        samples(8) = Sample(2008, 1, 0)
        assertEquals(c.total(pointer, 100), 4950L + 3000)
        assertEquals(c.total(samples.segment, 100), 4950L + 3000)
        samples.sortInPlaceBy(sample => desc(sample.time))
        assertEquals(samples(0).time, 2008L)
        assertEquals(samples.slice(98, 100).sumOf(_.time), 1L)
        assertEquals(Rows.from(samples.filter(_.flags == 0)).size, 25L)

  test("after the region's close every access throws an error that names the region"):
    val region = Region.shared("frames")
    val pointer = Arena.global.allocate(160, 8)
    var released = 0
    val samples =
      Rows.overPointer[Sample](pointer, 10, _ => released += 1)(using region)
    val part = samples.slice(2, 5)
    samples(9) = Sample(1, 2, 3)
    assertEquals(elsewhere(samples(9)), Sample(1, 2, 3))
    assertEquals(samples.parAggregate(0L)(_ + _.time)(_ + _), 1L)
    region.close()
    assertEquals(released, 1)
    def assertClosed(body: => Any): Unit =
      assertEquals(intercept[RegionClosedException](body).getMessage, "region \"frames\" is closed")
    assertClosed(samples(0))
    assertClosed(part(0))
    assertClosed(samples(0) = Sample(1, 2, 3))
    assertClosed(samples.updateAt(0)(_.time)(_ + 1))
    assertClosed(samples.sumOf(_.time))
    assertClosed(samples.toVector)
    intercept[IllegalStateException](samples.segment.get(JAVA_INT, 0)): Unit
    intercept[RegionClosedException](region.close()): Unit
    assertEquals(released, 1)
    val refused = intercept[RegionClosedException]:
      Rows.overPointer[Sample](pointer, 10, _ => released += 1)(using region)
    assertEquals(refused.getMessage, "region \"frames\" is closed")
    assertEquals(released, 1)

  test("rows at a pointer are confined to the thread of a scoped region"):
    Region.scoped:
      val samples = Rows.overPointer[Sample](Arena.global.allocate(160, 8), 10)
      intercept[WrongThreadException](elsewhere(samples(0))): Unit
      val error = intercept[IllegalStateException](samples.parAggregate(0L)(_ + _.time)(_ + _))
      assert(error.getMessage.nn.contains("confined to one thread"), error.getMessage)
      val region = Region.current
      intercept[RegionThreadException](elsewhere:
        Rows.overPointer[Sample](Arena.global.allocate(160, 8), 10)(using region)): Unit

  test("rows at a pointer are bounded by their count"):
    Region.scoped:
      val samples = Rows.overPointer[Sample](Arena.global.allocate(320, 8), 10)
      for index <- List(10L, -1L, Long.MaxValue, Long.MinValue) do
        intercept[IndexOutOfBoundsException](samples(index)): Unit
        intercept[IndexOutOfBoundsException](samples(index) = Sample(0, 0, 0)): Unit
      intercept[IndexOutOfBoundsException](samples.slice(0, 11)): Unit
      assertEquals(samples.segment.byteSize, 160L)
      val error = intercept[UnsupportedOperationException](samples.ref(0))
      assert(error.getMessage.nn.contains("use rows(i), row(i) or updateAt"), error.getMessage)

  test("a pointer and a count that C cannot mean are errors, and nothing is released"):
    var released = 0
    Region.scoped:
      val memory = Arena.global.allocate(160, 8)
      def rejected(pointer: MemorySegment, count: Long): String =
        intercept[IllegalArgumentException](
          Rows.overPointer[Sample](pointer, count, _ => released += 1)
        ).getMessage.nn
      assertEquals(rejected(memory, -1), "count must be at least 0, but is -1")
      assertEquals(rejected(MemorySegment.NULL, 3), "the pointer is null, but count is 3")
      val unsized = MemorySegment.ofAddress(memory.address)
      assertEquals(
        rejected(unsized, Long.MaxValue / 16),
        s"${Long.MaxValue / 16} rows of 16 bytes at address ${memory.address} exceed the address space"
      )
      assertEquals(
        rejected(unsized, 1L << 60), // the product of count and size is 0 in 64 bits
        s"${1L << 60} rows of 16 bytes at address ${memory.address} exceed the address space"
      )
      assertEquals(rejected(memory, 11), "11 rows of 16 bytes exceed the segment of 160 bytes")
      assertEquals(
        rejected(MemorySegment.ofAddress(memory.address + 4), 2),
        s"address ${memory.address + 4} is not a multiple of the alignment of Sample, 8 bytes: " +
          "use PackedRows for a struct without alignment"
      )
      assert(rejected(MemorySegment.ofArray(new Array[Byte](160)), 10).contains("on the heap"))
      assert(rejected(Region.allocate(160), 10).contains("use Rows.over(segment)"))
      val arena = Arena.ofConfined()
      assert(rejected(arena.allocate(160, 8), 10).contains("the lifetime of an arena"))
      arena.close()
      // A packed struct needs no alignment, and no rows need no memory.
      PackedRows.overPointer[Sample](memory.asSlice(1), 9)(8) = Sample(1, 2, 3)
      assertEquals(Rows.overPointer[Sample](MemorySegment.NULL, 0).sumOf(_.time), 0L)
      assertEquals(Rows.overPointer[Sample](MemorySegment.NULL, 0).size, 0L)
    assertEquals(released, 0)

  test("errors of release functions are thrown by the close, after all of the region is freed"):
    val order = StringBuilder()
    val region = Region.shared("frames")
    val bill = Ref((1, 2))(using region)
    def attach(name: String, error: Option[Throwable]): Unit =
      val _ = Rows.overPointer[Sample](
        Arena.global.allocate(160, 8),
        10,
        _ =>
          order ++= name
          error.foreach(throw _)
      )(using region)
    attach("a", None)
    attach("b", Some(ArithmeticException("b")))
    attach("c", Some(Error("c")))
    val error = intercept[Throwable](region.close())
    assertEquals(order.toString.sorted, "abc")
    assertEquals(
      (error.getMessage.nn :: error.getSuppressed.nn.toList.map(_.nn.getMessage.nn)).sorted,
      List("b", "c")
    )
    assert(!region.isOpen)
    intercept[StaleReferenceException](bill()): Unit
    // In a scope, the error of the block has the others suppressed.
    val caught = intercept[IllegalStateException]:
      Region.scoped:
        val _ = Rows.overPointer[Sample](
          Arena.global.allocate(160, 8),
          10,
          _ => throw ArithmeticException("late")
        )
        throw IllegalStateException("early")
    assertEquals(caught.getMessage, "early")
    assertEquals(caught.getSuppressed.nn.map(_.nn.getMessage).toList, List("late"))
    intercept[ArithmeticException](Region.scoped:
      val _ = Rows.overPointer[Sample](
        Arena.global.allocate(160, 8),
        10,
        _ => throw ArithmeticException("late")
      )): Unit
    Region.scoped(assertEquals(Ref((3, 4))(), (3, 4)))

  test("a release function that uses the region that is being closed fails or has no effect"):
    val outcomes = List.newBuilder[String]
    Region.named("day"):
      val region = Region.current
      val pair = Ref((1, 2))
      val attached = Rows.overPointer[Sample](
        Arena.global.allocate(160, 8),
        10,
        _ =>
          try region.close()
          catch case error: RuntimeException => outcomes += error.getClass.getSimpleName.nn
          try Region.allocate(100_000)(using region).set(JAVA_INT, 0, 1)
          catch case error: RuntimeException => outcomes += error.getClass.getSimpleName.nn
          outcomes += pair()._1.toString
      )
      attached(0) = Sample(1, 2, 3)
    assertEquals(outcomes.result().last, "1")
    assertEquals(outcomes.result().length, 3)
    Region.scoped:
      val rows = Rows.tabulate[Sample](10_000)(i => Sample(i, 0, 0))
      assertEquals(rows.sumOf(_.time), 49_995_000L)
end PointerRowsTest
