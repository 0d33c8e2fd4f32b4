package outside.arrow

import java.lang.foreign.ValueLayout.{ADDRESS, JAVA_INT, JAVA_LONG}
import java.lang.foreign.{Arena, FunctionDescriptor, Linker, MemorySegment}
import java.lang.invoke.{MethodHandle, MethodHandles, MethodType}
import undercroft.arrow.*
import undercroft.arrow.unsafe.*
import undercroft.memory.*
import undercroft.struct.*

final case class Ledge(id: Int, text: TextRef, bytes: BytesRef, marks: RowsRef[Int]) derives Struct

/** A stream of one array, taken from another stream, in which a test changes an offset. */
final class ForgedStream(inner: MemorySegment, arena: Arena):
  private val linker = Linker.nativeLinker
  private val pull = FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS)
  private val end = FunctionDescriptor.ofVoid(ADDRESS)
  private val innerNext =
    linker.downcallHandle(MemorySegment.ofAddress(inner.get(JAVA_LONG, 8)), pull)
  private val innerSchema =
    linker.downcallHandle(MemorySegment.ofAddress(inner.get(JAVA_LONG, 0)), pull)
  private val innerRelease =
    linker.downcallHandle(MemorySegment.ofAddress(inner.get(JAVA_LONG, 24)), end)

  /** The array that the stream returns first. */
  val array: MemorySegment = arena.allocate(80, 8)
  innerNext.invokeWithArguments(inner, array): Unit

  var releases = 0
  private var isFirst = true

  /** The offsets of a field, its second buffer. */
  def offsets(field: Int): MemorySegment =
    val children = MemorySegment.ofAddress(array.get(JAVA_LONG, 48)).reinterpret(8L * (field + 1))
    val child = MemorySegment.ofAddress(children.getAtIndex(JAVA_LONG, field)).reinterpret(80)
    val buffers = MemorySegment.ofAddress(child.get(JAVA_LONG, 40)).reinterpret(16)
    MemorySegment.ofAddress(buffers.getAtIndex(JAVA_LONG, 1)).reinterpret(1024)

  def schema(stream: MemorySegment, target: MemorySegment): Int =
    innerSchema.invokeWithArguments(inner, target).asInstanceOf[Int]

  def next(stream: MemorySegment, target: MemorySegment): Int =
    if isFirst then MemorySegment.copy(array, 0, target.reinterpret(80), 0, 80)
    else target.reinterpret(80).fill(0): Unit
    isFirst = false
    0

  def release(stream: MemorySegment): Unit =
    innerRelease.invokeWithArguments(inner): Unit
    stream.reinterpret(40).set(JAVA_LONG, 24, 0)
    releases += 1

  private def stub(name: String, tpe: MethodType, descriptor: FunctionDescriptor): Long =
    val handle: MethodHandle =
      MethodHandles.lookup.findVirtual(classOf[ForgedStream], name, tpe).bindTo(this)
    linker.upcallStub(handle, descriptor, arena).address

  /** The stream to import. */
  val stream: MemorySegment =
    val segment = classOf[MemorySegment]
    val pulling = MethodType.methodType(classOf[Int], segment, segment)
    val target = arena.allocate(40, 8)
    target.set(JAVA_LONG, 0, stub("schema", pulling, pull))
    target.set(JAVA_LONG, 8, stub("next", pulling, pull))
    target.set(JAVA_LONG, 24, stub("release", MethodType.methodType(classOf[Unit], segment), end))
    target
end ForgedStream

/** Offsets of another library that are outside of their buffers. */
class ForgedListExchangeTest extends undercroft.tools.Suite:

  private def ledges(using Allocator) = Rows.from(Vector(
    Ledge(1, TextRef("ab"), BytesRef(Array[Byte](1)), RowsRef(1, 2, 3)),
    Ledge(2, TextRef("cde"), BytesRef(Array[Byte](2, 3)), RowsRef(4)),
    Ledge(3, TextRef("f"), BytesRef(Array[Byte](4)), RowsRef(5, 6))
  ))

  private def imported(change: ForgedStream => Unit): Vector[Ledge] =
    val arena = Arena.ofConfined()
    try
      Region.scoped:
        val inner = arena.allocate(40, 8)
        ledges.exportArrowStream(inner)
        val forged = ForgedStream(inner, arena)
        change(forged)
        try
          val rows = Columns.importArrowStream[Ledge](forged.stream)
          assertEquals(rows(1).text.string, "cde")
          assertEquals(rows(2).marks.toVector, Vector(5, 6))
          rows.toVector
        finally assertEquals(forged.releases, 1)
    finally arena.close()

  test("an array whose offsets are unchanged is imported"):
    assertEquals(imported(_ => ()).map(_.id), Vector(1, 2, 3))

  for
    (field, index, value, words) <- Seq(
      (1, 0, -1, "the strings of `text` are at [-1, 6)"),
      (1, 3, -2, "the strings of `text` are at [0, -2)"),
      (1, 1, -1, "a value of `text` at [0, -1) is outside its 6 bytes"),
      (1, 1, 7, "a value of `text` at [0, 7) is outside its 6 bytes"),
      (2, 2, 0, "a value of `bytes` at [1, 0) is outside its 4 bytes"),
      (3, 0, -1, "the lists of `marks` are at [-1, 6)"),
      (3, 3, -3, "the lists of `marks` are at [0, -3)"),
      (3, 3, 1000, "`item` must have 1000 rows, but has 6"),
      (3, 1, -1, "a list of `marks` at [0, -1) is outside its 6 elements"),
      (3, 1, 5, "a list of `marks` at [5, 4) is outside its 6 elements"),
      (3, 2, 7, "a list of `marks` at [3, 7) is outside its 6 elements")
    )
  do
    test(s"offset $index of field $field with the value $value is an error with the range"):
      val error =
        intercept[ArrowException](imported(_.offsets(field).setAtIndex(JAVA_INT, index, value)))
      assertEquals(error.kind, ArrowErrorKind.Corrupt)
      assertEquals(error.getMessage.split(": ").last, words)
  end for
end ForgedListExchangeTest
