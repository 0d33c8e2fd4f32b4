package outside.struct

import java.lang.foreign.*
import java.lang.foreign.ValueLayout.{ADDRESS, JAVA_INT, JAVA_LONG}
import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicReference
import undercroft.memory.*
import undercroft.struct.*
import undercroft.tools.CLibrary

/** C's `struct reading { int sensor; double value; long count; }`. */
case class Reading(sensor: Int, value: Double, count: Long) derives Struct, CanEqual

/** C's `struct { char kind; uint32_t size; int16_t port; }`, packed, in the network's byte order.
  */
case class Header(kind: Byte, @bigEndian size: Int, @bigEndian port: Short) derives Struct, CanEqual

case class Gate(state: Int, passed: Long) derives Struct

/** Pointers to structs in Undercroft's memory, passed to C. */
class NativePointerTest extends undercroft.tools.Suite:

  private val source =
    """
    |#include <arpa/inet.h>
    |#include <stdint.h>
    |#include <time.h>
    |struct reading { int sensor; double value; long count; };
    |struct __attribute__((packed)) header { int8_t kind; uint32_t size; int16_t port; };
    |struct gate { int state; long passed; };
    |static struct reading *kept;
    |void fill(struct reading *r, int sensor) {
    |  r->sensor = sensor; r->value = sensor * 0.5; r->count++;
    |}
    |double sum(const struct reading *a, const struct reading *b) { return a->value + b->value; }
    |void keep(struct reading *r) { kept = r; }
    |int is_kept(const struct reading *r) { return kept == r; }
    |long size_of(void) { return sizeof(struct reading); }
    |void send_header(struct header *h) { h->size = htonl(ntohl(h->size) + 1); h->port = htons(8080); h->kind = 7; }
    |/* Opens the gate, and waits until the other side passes, at most 20 seconds. */
    |int pass(volatile struct gate *g) {
    |  time_t end = time(0) + 20;
    |  g->state = 1;
    |  while (__atomic_load_n(&g->state, __ATOMIC_ACQUIRE) != 2 && time(0) < end) { }
    |  g->passed = 77;
    |  return g->state;
    |}
    |""".stripMargin

  private final class Functions(c: CLibrary):
    private val onReading = FunctionDescriptor.ofVoid(ADDRESS)
    private val fillReading = c.function("fill", FunctionDescriptor.ofVoid(ADDRESS, JAVA_INT))
    private val sumOf =
      c.function("sum", FunctionDescriptor.of(ValueLayout.JAVA_DOUBLE, ADDRESS, ADDRESS))
    private val keepReading = c.function("keep", onReading)
    private val isKeptReading = c.function("is_kept", FunctionDescriptor.of(JAVA_INT, ADDRESS))
    private val sendHeader = c.function("send_header", onReading)
    private val passGate = c.function("pass", FunctionDescriptor.of(JAVA_INT, ADDRESS))
    private val sizeOfReading = c.function("size_of", FunctionDescriptor.of(JAVA_LONG))

    def fill(reading: MemorySegment, sensor: Int): Unit =
      val _ = fillReading.invokeWithArguments(reading, sensor)
    def sum(a: MemorySegment, b: MemorySegment): Double =
      sumOf.invokeWithArguments(a, b).asInstanceOf[Double]
    def keep(reading: MemorySegment): Unit =
      val _ = keepReading.invokeWithArguments(reading)
    def isKept(reading: MemorySegment): Boolean =
      isKeptReading.invokeWithArguments(reading).asInstanceOf[Int] == 1
    def send(header: MemorySegment): Unit =
      val _ = sendHeader.invokeWithArguments(header)
    def pass(gate: MemorySegment): Int = passGate.invokeWithArguments(gate).asInstanceOf[Int]
    def size: Long = sizeOfReading.invokeWithArguments().asInstanceOf[Long]
  end Functions

  private def withFunctions(test: Functions => Unit): Unit =
    CLibrary.using(source)(c => test(Functions(c)))

  private val rounds = 5_000

  test("C fills, sums and keeps single structs and rows by pointer, thousands of times"):
    withFunctions: c =>
      assertEquals(Struct[Reading].size.toLong, c.size)
      val shared = Region.shared("shared")
      val block = Ref.zeroed[Reading](using Malloc)
      Region.scoped:
        val rows = Rows[Reading](3000) // a row may be in another page than its neighbour
        val growing = Rows.growing[Reading]
        for i <- 0 until 3000 do growing += Reading(i, 0, 0)
        val references = List(
          Ref.zeroed[Reading],
          Ref.zeroed[Reading](using shared),
          block,
          rows.ref(0),
          rows.ref(2999),
          growing.ref(2729),
          growing.ref(2999)
        )
        for i <- 1 to rounds; reference <- references do
          reference.withPointer(pointer => c.fill(pointer, i))
        for reference <- references do assertEquals(reference.value, rounds * 0.5)
        assertEquals(references.head(), Reading(rounds, rounds * 0.5, rounds))
        assertEquals(block(), Reading(rounds, rounds * 0.5, rounds))
        assertEquals(rows(2999), Reading(rounds, rounds * 0.5, rounds))
        assertEquals(rows(2998), Reading(0, 0, 0))
        assertEquals(growing(2728), Reading(2728, 0, 0))
        val total = references.head.withPointer(a => rows.ref(0).withPointer(b => c.sum(a, b)))
        assertEquals(total, rounds.toDouble)
        rows.ref(7).withPointer(c.keep(_))
        assert(rows.ref(7).withPointer(c.isKept(_)))
        assert(!rows.ref(8).withPointer(c.isKept(_)))
      Malloc.free(Ref.address(block))
      shared.close()

  test("a packed struct in the network's byte order has the bytes that C writes"):
    withFunctions: c =>
      Region.scoped:
        val headers = PackedRows.tabulate[Header](20_000)(i => Header(0, i.toInt, 0))
        for i <- 0 until 20_000 do headers.ref(i).withPointer(c.send(_))
        assertEquals(headers(9), Header(7, 10, 8080))
        assertEquals(headers(19_999), Header(7, 20_000, 8080))
        headers.ref(1).withPointer: pointer =>
          assertEquals(pointer.byteSize, 7L)
          assertEquals(pointer.get(ValueLayout.JAVA_BYTE, 4), 2.toByte) // the last byte of a size

  test("a pointer is bounded, and valid during the call on its thread alone"):
    Region.scoped:
      val reading = Ref(Reading(1, 2, 3))
      val escaped = reading.withPointer: pointer =>
        assertEquals(pointer.byteSize, 24L)
        assertEquals(pointer.get(JAVA_LONG, 16), 3L)
        intercept[IndexOutOfBoundsException](pointer.get(JAVA_LONG, 24)): Unit
        intercept[IndexOutOfBoundsException](pointer.get(JAVA_LONG, -8)): Unit
        intercept[IndexOutOfBoundsException](pointer.asSlice(0, 25)): Unit
        intercept[WrongThreadException](elsewhere(pointer.get(JAVA_INT, 0))): Unit
        pointer
      intercept[IllegalStateException](escaped.get(JAVA_INT, 0)): Unit
      intercept[IllegalStateException](escaped.set(JAVA_INT, 0, 9)): Unit
      val length = StringLength.handle
      intercept[IllegalStateException](length.invokeWithArguments(escaped)): Unit
      assertEquals(reading(), Reading(1, 2, 3))

  test("stale references and the null reference have no pointer"):
    val stale = Region.named("morning")(Ref(Reading(1, 2, 3)))
    val error = intercept[StaleReferenceException](stale.withPointer(_ => fail("was called")))
    assertEquals(error.owner, Some("region \"morning\""))
    intercept[NullReferenceException](Ref.none[Reading].withPointer(_ => fail("was called"))): Unit
    val block = Ref(Reading(1, 2, 3))(using Malloc)
    Malloc.free(Ref.address(block))
    intercept[StaleReferenceException](block.withPointer(_ => fail("was called"))): Unit

  private def message(body: => Any): String =
    intercept[IllegalStateException](body).getMessage.nn

  test("a region with a pointer in use is not closed, and is closed after the call"):
    for region <- List(Region.shared("orders"), Region.shared("orders")) do
      val (reading, rows) = (Ref(Reading(1, 2, 3))(using region), Rows[Reading](10)(using region))
      for reference <- List(reading, rows.ref(9)) do
        reference.withPointer: pointer =>
          val refused = message(region.close())
          assert(
            refused.startsWith(
              "memory of region \"orders\" cannot be freed while a call uses a pointer to it: " +
                "24 bytes at offset "
            ),
            refused
          )
          assertEquals(message(elsewhere(region.close())), refused)
          pointer.set(JAVA_INT, 0, 5)
        assert(region.isOpen)
        assertEquals(reference.sensor, 5)
      assertEquals(Ref(Reading(4, 5, 6))(using region)(), Reading(4, 5, 6))
      region.close()
      intercept[StaleReferenceException](reading.sensor): Unit

  test("a scoped region is not closed inside the call, and is closed at its end"):
    val escaped = Region.named("day"):
      val reading = Ref(Reading(1, 2, 3))
      val region = Region.current
      reading.withPointer: _ =>
        Region.scoped:
          Ref(Reading(7, 8, 9)).withPointer(_ =>
            assert(message(region.close()).contains("\"day\""))
          )
        assert(message(region.close()).contains("24 bytes"))
      assertEquals(reading(), Reading(1, 2, 3))
      reading
    intercept[StaleReferenceException](escaped.sensor): Unit
    // The refused close ends the call and the scope.
    val caught = intercept[IllegalStateException]:
      Region.named("night"):
        val region = Region.current
        Ref(Reading(1, 2, 3)).withPointer(_ => region.close())
    assert(caught.getMessage.nn.contains("\"night\""), caught.getMessage)

  test("many scoped regions of virtual threads have pointers, also without a thread cache"):
    val errors = AtomicReference[Throwable | Null](null)
    val (started, go) = (CountDownLatch(200), CountDownLatch(1))
    val threads = List.tabulate(200): i =>
      Thread.startVirtualThread: () =>
        try
          Region.scoped:
            val reading = Ref(Reading(i, 2, 3))
            val block = Ref(Reading(i, 2, 3))(using Malloc)
            started.countDown()
            go.await()
            reading.withPointer: pointer =>
              block.withPointer: other =>
                assertEquals(pointer.get(JAVA_INT, 0), i)
                assertEquals(other.get(JAVA_INT, 0), i)
                message(Region.current.close()): Unit
                message(Malloc.free(Ref.address(block))): Unit
            Malloc.free(Ref.address(block))
        catch case error: Throwable => errors.set(error)
        finally started.countDown()
    started.await()
    go.countDown()
    threads.foreach(_.join())
    assertEquals(errors.get, null)

  test("a struct of a scoped region has no pointer on another thread"):
    Region.named("day"):
      val reading = Ref(Reading(1, 2, 3))
      val error = intercept[WrongThreadException](elsewhere(reading.withPointer(_.byteSize)))
      assert(error.getMessage.nn.startsWith("region \"day\" is confined to another thread"))
      assertEquals(elsewhere(reading.sensor), 1)
      Region.current.close()

  test("blocks of Malloc are not freed while a pointer to them is in use"):
    val sizes = List(1L, 100L, 1000L, 10_000L) // the last two are larger than a slot
    for size <- sizes do
      val rows = Rows[Reading](size)(using Malloc)
      val reference = rows.ref(size - 1)
      reference.withPointer: outer =>
        reference.withPointer(_ => message(Malloc.free(rows.segment)): Unit)
        assert(message(Malloc.free(rows.segment)).contains("memory of Malloc cannot be freed"))
        assert(message(elsewhere(Malloc.free(rows.segment))).contains("memory of Malloc"))
        outer.set(JAVA_INT, 0, 8)
      assertEquals(rows(size - 1).sensor, 8)
      Malloc.free(rows.segment)
      intercept[StaleReferenceException](reference.withPointer(_.byteSize)): Unit
    val block = Ref(Reading(1, 2, 3))(using Malloc)
    block.withPointer: _ =>
      message(Malloc.free(Ref.address(block))): Unit
      message(Malloc.reallocate(Ref.address(block), 100, 8)): Unit
      message(elsewhere(Malloc.free(Ref.address(block)))): Unit
    assertEquals(block(), Reading(1, 2, 3))
    Malloc.free(Ref.address(block))
    intercept[InvalidFreeException](Malloc.free(Ref.address(block))): Unit

  test("a small block of Malloc has a pointer on the thread that allocated it, while that lives"):
    val block = Ref(Reading(1, 2, 3))(using Malloc)
    val error = intercept[WrongThreadException](elsewhere(block.withPointer(_.byteSize)))
    assert(error.getMessage.nn.startsWith("the block of Malloc is confined to another thread"))
    Malloc.free(Ref.address(block))
    val inherited = elsewhere(Ref(Reading(4, 5, 6))(using Malloc)) // its thread has ended
    inherited.withPointer: pointer =>
      assertEquals(pointer.get(JAVA_INT, 0), 4)
      message(elsewhere(Malloc.free(Ref.address(inherited)))): Unit
    elsewhere(Malloc.free(Ref.address(inherited)))
    intercept[StaleReferenceException](inherited.sensor): Unit

  test("a growing table with a pointer in use is not closed, while others are"):
    val region = Region.shared("rows")
    for memory <- List[Allocator](Malloc, region) do
      val (rows, other) = (Rows.growing[Reading](using memory), Rows.growing[Reading](using memory))
      for i <- 0 until 10 do
        rows += Reading(i, 0, 0)
        other += Reading(i, 0, 0)
      rows.ref(9).withPointer: pointer =>
        message(rows.close()): Unit
        rows += Reading(10, 0, 0)
        other.close()
        pointer.set(JAVA_INT, 0, 99)
      assertEquals((rows(9).sensor, rows(10).sensor), (99, 10))
      rows.close()
    region.close()
    Region.scoped:
      val rows = Rows.growing[Reading]
      for i <- 0 until 10_000 do rows += Reading(i, 0, 0)
      rows.ref(9).withPointer(_ => message(rows.close()): Unit)
      assertEquals(rows(9).sensor, 9)
      rows.close()

  test("an exception inside the call ends the use of the pointer"):
    val region = Region.shared()
    val reading = Ref(Reading(1, 2, 3))(using region)
    for _ <- 1 to 3 do
      intercept[ArithmeticException](reading.withPointer(_ => throw ArithmeticException())): Unit
    region.close()

  test("closing a region on another thread during a long C call is an error that changes nothing"):
    withFunctions: c =>
      val region = Region.shared("gates")
      val gate = Ref.zeroed[Gate](using region)
      val result = AtomicReference[Any](null)
      val thread = Thread(() => result.set(gate.withPointer(c.pass(_))))
      thread.start()
      val end = System.nanoTime + 20_000_000_000L
      while gate.atomic(_.state).getAcquire != 1 && System.nanoTime < end do Thread.onSpinWait()
      val refused = message(region.close())
      assert(refused.contains("region \"gates\""), refused)
      gate.atomic(_.state).setRelease(2)
      thread.join()
      assertEquals(result.get, 2)
      assertEquals(gate.passed, 77L)
      region.close()

  test("under races of calls and closes, a pointer never shows the bytes of another owner"):
    val shared = AtomicReference(Ref.none[Reading])
    val failure = AtomicReference[Throwable | Null](null)
    @volatile var isRunning = true
    var (refused, closed) = (0, 0)
    val callers = List.tabulate(2): i =>
      Thread: () =>
        var calls = 0L
        try
          while isRunning do
            val reading = shared.get
            if !Ref.isNone(reading) then
              try
                reading.withPointer: pointer =>
                  val sensor = pointer.get(JAVA_INT, 0)
                  for k <- 1 to 20 do
                    if pointer.get(JAVA_INT, 0) != sensor then
                      throw AssertionError(s"call $calls of $i: $sensor became another value")
                calls += 1
              catch case _: StaleReferenceException => ()
        catch case error: Throwable => failure.set(error)
    callers.foreach(_.start())
    for round <- 1 to 20_000 do
      val region = Region.shared()
      val reading = Ref(Reading(round, round, round))(using region)
      shared.set(reading)
      var attempts = 0
      while region.isOpen && attempts < 10_000_000 do
        attempts += 1
        try region.close()
        catch case _: IllegalStateException => refused += 1
      closed += 1
      // The next owner of the page, with other bytes.
      Region.scoped:
        val rows = Rows[Reading](100)
        rows.fill(Reading(-round, -round, -round))
    isRunning = false
    callers.foreach(_.join())
    assertEquals(failure.get, null)
    assertEquals(closed, 20_000)
    assert(refused > 0, "no close met a call")

  test("under races of calls and frees by another thread, a block is freed once, after the call"):
    val failure = AtomicReference[Throwable | Null](null)
    val handed = java.util.concurrent.SynchronousQueue[Ref[Reading]]()
    val count = 3_000
    val freer = Thread: () =>
      try
        for _ <- 1 to count do
          val block = handed.take()
          var isFreed = false
          var attempts = 0
          while !isFreed && attempts < 10_000_000 do
            attempts += 1
            try
              Malloc.free(Ref.address(block))
              isFreed = true
            catch case _: IllegalStateException => Thread.onSpinWait()
          if !isFreed then throw AssertionError("never freed")
      catch case error: Throwable => failure.set(error)
    freer.start()
    var (called, stale) = (0, 0)
    for round <- 1 to count do
      val block = Ref(Reading(round, round, round))(using Malloc)
      handed.put(block)
      var isLive = true
      while isLive && failure.get == null do
        try
          block.withPointer: pointer =>
            // Blocks of the same size, which would reuse a freed one.
            val other = Ref(Reading(-1, -1, -1))(using Malloc)
            if pointer.get(JAVA_INT, 0) != round then failure.set(AssertionError(s"round $round"))
            Malloc.free(Ref.address(other))
          called += 1
        catch
          case _: StaleReferenceException =>
            stale += 1
            isLive = false
    freer.join()
    assertEquals(failure.get, null)
    assertEquals(stale, count)
    assert(called > 0, "no call met a free")
end NativePointerTest

/** A function of the C library whose argument is a pointer. */
private object StringLength:
  def handle: java.lang.invoke.MethodHandle =
    Linker.nativeLinker.downcallHandle(
      Linker.nativeLinker.defaultLookup.find("strlen").get,
      FunctionDescriptor.of(JAVA_LONG, ADDRESS)
    )
