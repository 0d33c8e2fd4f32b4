package outside.arrow

import java.lang.foreign.*
import java.lang.foreign.ValueLayout.{ADDRESS, JAVA_INT, JAVA_LONG}
import scala.util.Random
import undercroft.arrow.*
import undercroft.arrow.unsafe.*
import undercroft.memory.*
import undercroft.struct.*
import undercroft.tools.{CLibrary, ForkedJvm}

case class Cargo(
    id: Long,
    gate: Gate,
    name: Text[12],
    fee: Option[Double],
    weight: Int,
    size: InlineArray[Short, 3]
) derives Struct,
      CanEqual

object Cargo:
  def of(i: Long): Cargo = Cargo(
    i,
    Gate.fromOrdinal((i % 2).toInt),
    Text(s"no. $i"),
    Option.when(i % 3 > 0)(i / 4.0),
    (i * 7 % 1000).toInt,
    InlineArray(i.toShort, (-i).toShort, 5.toShort)
  )

/** Tables to and from libraries of the same process, here one in C. */
class ArrowExchangeTest extends undercroft.tools.RoundsSuite:

  private val Rounds = 1000
  private val ShortRounds = 30

  private val source =
    """
    #include <stdint.h>
    #include <string.h>
    typedef struct Schema { const char *format, *name, *metadata; int64_t flags, count;
      struct Schema **children, *dictionary; void (*release)(struct Schema *); void *data; } Schema;
    typedef struct Array { int64_t length, nulls, offset, buffer_count, count;
      const void **buffers; struct Array **children, *dictionary;
      void (*release)(struct Array *); void *data; } Array;
    typedef struct Stream { int (*get_schema)(struct Stream *, Schema *);
      int (*get_next)(struct Stream *, Array *); const char *(*get_last_error)(struct Stream *);
      void (*release)(struct Stream *); void *data; } Stream;

    /* The sum of the ids, plus the bytes of all names, plus the sum of the weights. */
    int64_t total(Stream *stream) {
      Schema schema; Array array; int64_t sum = 0;
      if (stream->get_schema(stream, &schema)) return -1;
      if (strcmp(schema.format, "+s") || schema.count != 6) return -2;
      if (strcmp(schema.children[0]->format, "l") || strcmp(schema.children[0]->name, "id")) return -3;
      if (strcmp(schema.children[1]->dictionary->format, "u")) return -4;
      if (!(schema.children[3]->flags & 2)) return -5;
      schema.release(&schema);
      if (schema.release) return -6;
      for (;;) {
        if (stream->get_next(stream, &array)) return -7;
        if (!array.release) break;
        const int64_t *ids = array.children[0]->buffers[1];
        const int32_t *ends = array.children[2]->buffers[1];
        const int32_t *weights = array.children[4]->buffers[1];
        for (int64_t i = 0; i < array.length; i++) sum += ids[i] + weights[i];
        sum += ends[array.length];
        array.release(&array);
      }
      stream->release(stream);
      return sum;
    }
    static Array kept;
    /* Fetches an array and keeps it; returns the address of its ids. */
    int64_t keep(Stream *stream) {
      stream->get_next(stream, &kept);
      stream->release(stream);
      return (int64_t) kept.children[0]->buffers[1];
    }
    /* Moves the ids out of the array, releases the array, then sums and releases the ids. */
    int64_t drop(void) {
      Array ids = *kept.children[0]; int64_t sum = 0;
      kept.children[0]->release = 0;
      kept.release(&kept);
      for (int64_t i = 0; i < ids.length; i++) sum += ((const int64_t *) ids.buffers[1])[i];
      ids.release(&ids);
      return sum;
    }
    /* A stream that forwards another one, and stores a number in each array that it returns. */
    static Stream inner; static int place, child, error; static int64_t value;
    typedef struct Forged { Array original; int64_t old; int child, place; } Forged;
    static Forged forged;
    static int64_t *member(Array *array, int child, int place) {
      return (int64_t *) (child < 0 ? array : array->children[child]) + place;
    }
    static void undo(Array *array) {
      *member(&forged.original, forged.child, forged.place) = forged.old;
      forged.original.release(&forged.original);
      array->release = 0;
    }
    static int forward_schema(Stream *s, Schema *target) { return inner.get_schema(&inner, target); }
    static int forward_next(Stream *s, Array *target) {
      if (error) return error;
      int code = inner.get_next(&inner, &forged.original);
      *target = forged.original;
      if (!target->release) return code;
      forged.child = child; forged.place = place;
      forged.old = *member(&forged.original, child, place);
      *member(child < 0 ? target : &forged.original, child, place) = value;
      target->release = undo;
      return code;
    }
    static const char *failure(Stream *s) { return "out of ink"; }
    static int released;
    static void forward_release(Stream *s) { inner.release(&inner); s->release = 0; released++; }
    void forge(Stream *stream, Stream *target, int c, int p, int64_t v, int e) {
      inner = *stream; stream->release = 0; child = c; place = p; value = v; error = e;
      target->get_schema = forward_schema; target->get_next = forward_next;
      target->get_last_error = failure; target->release = forward_release; target->data = 0;
    }
    int releases(void) { return released; }
  """

  private final class Functions(c: CLibrary):
    private val totalling = c.function("total", FunctionDescriptor.of(JAVA_LONG, ADDRESS))
    private val keeping = c.function("keep", FunctionDescriptor.of(JAVA_LONG, ADDRESS))
    private val dropping = c.function("drop", FunctionDescriptor.of(JAVA_LONG))
    private val forging = c.function(
      "forge",
      FunctionDescriptor.ofVoid(ADDRESS, ADDRESS, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT)
    )
    private val releasing = c.function("releases", FunctionDescriptor.of(JAVA_INT))
    def total(stream: MemorySegment): Long = totalling.invokeExact(stream).asInstanceOf[Long]
    def keep(stream: MemorySegment): Long = keeping.invokeExact(stream).asInstanceOf[Long]
    def drop(): Long = dropping.invokeExact().asInstanceOf[Long]
    def releases(): Int = releasing.invokeExact().asInstanceOf[Int]
    def forge(
        stream: MemorySegment,
        target: MemorySegment,
        child: Int,
        place: Int,
        value: Long,
        error: Int = 0
    ): Unit =
      forging.invokeExact(stream, target, child, place, value, error)
  end Functions

  private def using(test: Functions => Unit): Unit = CLibrary.using(source)(c => test(Functions(c)))

  private def expected(rows: Long): Long =
    (0L until rows).map(i => i + Cargo.of(i).weight + s"no. $i".length).sum

  private def withStream[A](f: MemorySegment => A): A =
    val arena = Arena.ofConfined()
    try f(arena.allocate(40, 8))
    finally arena.close()

  testRounds("C reads an exported table after its region is closed")(ShortRounds, Rounds): rounds =>
    using: c =>
      for round <- 0 until rounds do
        val rows = round % 100L
        withStream: stream =>
          Region.scoped:
            if round % 2 == 0 then
              Columns.tabulate[Cargo](rows)(Cargo.of).exportArrowStream(stream, 7)
            else PackedRows.tabulate[Cargo](rows)(Cargo.of).exportArrowStream(stream)
          assertEquals(c.total(stream), expected(rows))
          assertEquals(stream.get(JAVA_LONG, 24), 0L, "the stream is not released")

  testRounds("C reads a lent table in every layout")(ShortRounds, Rounds): rounds =>
    using: c =>
      Region.scoped:
        val columns = Columns.tabulate[Cargo](1000)(Cargo.of)
        val rows = Rows.tabulate[Cargo](1000)(Cargo.of)
        val packed = PackedRows.tabulate[Cargo](1000)(Cargo.of)
        for _ <- 0 until rounds do
          assertEquals(columns.withArrowStream(c.total(_), 300), expected(1000))
          assertEquals(rows.withArrowStream(c.total(_)), expected(1000))
          assertEquals(packed.withArrowStream(c.total(_)), expected(1000))
        val part = columns.slice(500, 600)
        assertEquals(part.withArrowStream(c.total(_)), expected(600) - expected(500))

  test("a lent column of numbers is the table's own memory, and an exported one is a copy"):
    using: c =>
      Region.scoped:
        val cargoes = Columns.tabulate[Cargo](10)(Cargo.of)
        def lent(): Long = cargoes.withArrowStream: stream =>
          val address = c.keep(stream)
          cargoes(0) = Cargo.of(0).copy(id = 100)
          val sum = c.drop()
          cargoes(0) = Cargo.of(0)
          assertEquals(sum, 145L)
          address
        val address = lent()
        withStream: stream =>
          cargoes.exportArrowStream(stream)
          assertNotEquals(c.keep(stream), address)
          cargoes(0) = Cargo.of(0).copy(id = 100)
          assertEquals(c.drop(), 45L)
        cargoes(0) = Cargo.of(0)
        assertEquals(lent(), address)

  test("an array that C keeps after the call is an error with the number of its structs"):
    using: c =>
      Region.scoped:
        val cargoes = Columns.tabulate[Cargo](10)(Cargo.of)
        val error = intercept[IllegalStateException](cargoes.withArrowStream(c.keep(_)))
        assertEquals(
          error.getMessage,
          "the library must release each schema, array and stream before the call ends, but " +
            "1 are not released"
        )
        assertEquals(c.drop(), 45L)
        val own = intercept[IllegalArgumentException]:
          cargoes.withArrowStream: stream =>
            c.keep(stream)
            throw IllegalArgumentException("of the caller")
        assertEquals(own.getMessage, "of the caller")
        assertEquals(own.getSuppressed.length, 1)
        assertEquals(c.drop(), 45L)
        assertEquals(cargoes.withArrowStream(_ => 5), 5) // C reads nothing

  testRounds("arrays are released on other threads")(ShortRounds, Rounds): rounds =>
    using: c =>
      for _ <- 0 until rounds do
        withStreamShared: stream =>
          Region.scoped(Columns.tabulate[Cargo](20)(Cargo.of).exportArrowStream(stream, 6))
          var sum = 0L
          val reader = Thread.ofPlatform.start(() => sum = c.total(stream))
          reader.join()
          assertEquals(sum, expected(20))

  private def withStreamShared(f: MemorySegment => Unit): Unit =
    val arena = Arena.ofShared()
    try f(arena.allocate(40, 8))
    finally arena.close()

  test("an application without native access gets an IllegalCallerException"):
    val result =
      ForkedJvm.run("outside.arrow.exchangeWithoutAccess", flags = ForkedJvm.Denied)
    assertEquals(result.exit, 0, result.output)
    assertEquals(result.last, "rejected: 3", result.output)

  testRounds("a table that is exported and imported has the same rows, in every layout")(
    ShortRounds,
    Rounds
  ): rounds =>
    for round <- 0 until rounds do
      val rows = round % 50L
      withStream: stream =>
        Region.scoped:
          if round % 3 == 0 then
            Columns.tabulate[Cargo](rows)(Cargo.of).exportArrowStream(stream, 7)
            val copy = Rows.importArrowStream[Cargo](stream)
            assertEquals(copy.toVector, Vector.tabulate(rows.toInt)(i => Cargo.of(i)))
          else if round % 3 == 1 then
            Rows.tabulate[Cargo](rows)(Cargo.of).exportArrowStream(stream)
            val copy = Columns.importArrowStream[Cargo](stream)
            assertEquals(copy.toVector, Vector.tabulate(rows.toInt)(i => Cargo.of(i)))
          else
            val source = Columns.tabulate[Cargo](rows)(Cargo.of)
            val copy = source.withArrowStream(PackedRows.importArrowStream[Cargo](_))
            assertEquals(copy.toVector, Vector.tabulate(rows.toInt)(i => Cargo.of(i)))
        assertEquals(stream.get(JAVA_LONG, 24), 0L)

  test("a pointer that is not that of a stream is rejected, and nothing is stored"):
    Region.scoped:
      val cargoes = Columns.tabulate[Cargo](3)(Cargo.of)
      val arena = Arena.ofAuto()
      val stream = arena.allocate(40, 8)
      for bad <- Seq(
          MemorySegment.NULL,
          MemorySegment.ofArray(new Array[Byte](40)),
          arena.allocate(48, 8).asSlice(4),
          stream.asSlice(0, 32)
        )
      do
        intercept[IllegalArgumentException](cargoes.exportArrowStream(bad))
        intercept[IllegalArgumentException](Rows.importArrowStream[Cargo](bad))
      val fault = intercept[IllegalArgumentException](cargoes.exportArrowStream(stream, 0))
      assertEquals(fault.getMessage, "batchRows must be at least 1, but is 0")
      assert(stream.toArray(ValueLayout.JAVA_BYTE).forall(_ == 0))
      val error = intercept[IllegalArgumentException](Rows.importArrowStream[Cargo](stream))
      assertEquals(error.getMessage, "the ArrowArrayStream is released already")
      cargoes.exportArrowStream(stream)
      val wrong = intercept[ArrowException](Rows.importArrowStream[Gone](stream))
      assertEquals(wrong.kind, ArrowErrorKind.WrongSchema)
      assertEquals(stream.get(JAVA_LONG, 24), 0L, "released after a failure")

  test("without a folder for temporary files, an import fails and releases the stream"):
    val result = ForkedJvm.run(
      "outside.arrow.importWithoutFolder",
      flags = ForkedJvm.Granted :+ "-Djava.io.tmpdir=/dev/null/none"
    )
    assertEquals(result.exit, 0, result.output)
    assertEquals(
      result.last,
      "stream: Unreadable, stream: Unreadable, released: true",
      result.output
    )

  test("a table of a closed region is not exported"):
    val cargoes = Region.scoped(Columns.tabulate[Cargo](3)(Cargo.of))
    withStream: stream =>
      intercept[StaleReferenceException](cargoes.exportArrowStream(stream))
      intercept[StaleReferenceException](cargoes.withArrowStream(_ => ()))
      assertEquals(stream.get(JAVA_LONG, 24), 0L)

  test("an error of the library is an error with its number and text"):
    using: c =>
      withStream: stream =>
        withStream: target =>
          Region.scoped:
            Columns.tabulate[Cargo](3)(Cargo.of).exportArrowStream(stream)
            c.forge(stream, target, -1, 0, 0, error = 22)
            val error = intercept[ArrowException](Rows.importArrowStream[Cargo](target))
            assertEquals(
              error.getMessage,
              "stream: offset 0: unreadable: the library has error 22: out of ink"
            )
            assertEquals(c.releases(), 1)

  testRounds("a forged array is read or rejected, and released")(100, 2000): rounds =>
    using: c =>
      val seed = sys.env.get("UNDERCROFT_SEED").fold(System.nanoTime)(_.toLong)
      val random = Random(seed)
      var (read, rejected) = (0, 0)
      // Lengths beyond the buffers cannot be seen: only smaller ones, and impossible ones.
      val values = Seq(0L, 1L, 3L, -1L, -2L, Long.MinValue, Long.MaxValue, Long.MaxValue / 2)
      for round <- 0 until rounds do
        withStream: stream =>
          withStream: target =>
            Region.scoped:
              Columns.tabulate[Cargo](9)(Cargo.of).exportArrowStream(stream)
              val place = Seq(0, 1, 2, 3, 4, 5, 6, 7)(random.nextInt(8))
              val isPointer = place >= 5
              val value =
                if isPointer then 0L
                else if place == 2 then
                  Seq(-1L, -9L, Long.MaxValue, Long.MinValue)(random.nextInt(4))
                else values(random.nextInt(values.size))
              c.forge(stream, target, random.nextInt(7) - 1, place, value)
              try
                Rows.importArrowStream[Cargo](target).size: Unit
                read += 1
              catch
                case error: ArrowException =>
                  assert(error.getMessage.startsWith("stream: offset"), error.getMessage)
                  rejected += 1
                case error: Throwable =>
                  throw AssertionError(s"seed $seed, round $round, place $place, $value", error)
              assertEquals(c.releases(), round + 1)
      end for
      assert(read > 0 && rejected > 0, s"$read read, $rejected rejected, seed $seed")
end ArrowExchangeTest

/** Exchanges a table in an application that has no native access. */
@main def exchangeWithoutAccess(): Unit =
  val stream = Arena.global.allocate(40, 8)
  val calls = Region.scoped:
    val cargoes = Rows.tabulate[Cargo](3)(Cargo.of)
    Seq[() => Any](
      () => cargoes.exportArrowStream(stream),
      () => cargoes.withArrowStream(_ => ()),
      () => Rows.importArrowStream[Cargo](stream).size
    ).count: call =>
      try
        call(): Unit
        false
      catch case _: IllegalCallerException => true
  println(s"rejected: $calls")

/** Imports and reads streams in an application whose folder for temporary files is missing. */
@main def importWithoutFolder(): Unit =
  val stream = Arena.global.allocate(40, 8)
  val bytes = java.io.ByteArrayOutputStream()
  def failure(read: => Long): String =
    try s"$read rows"
    catch case error: ArrowException => s"${error.file}: ${error.kind}"
  val failures = Region.scoped:
    val cargoes = Rows.tabulate[Cargo](3)(Cargo.of)
    cargoes.exportArrowStream(stream)
    cargoes.writeArrowStream(bytes)
    def input = java.io.ByteArrayInputStream(bytes.toByteArray)
    Seq(
      failure(Rows.importArrowStream[Cargo](stream).size),
      failure(Columns.readArrowStream[Cargo](input).size)
    )
  val isReleased = stream.get(JAVA_LONG, 24) == 0
  println(s"${failures.mkString(", ")}, released: $isReleased")
