package undercroft.thrift

import java.lang.foreign.{Arena, FunctionDescriptor, Linker, MemorySegment, ValueLayout}
import java.lang.invoke.{MethodHandle, MethodHandles, MethodType}
import undercroft.buffer.ByteOutput

/** Bytes that C made, read where they lie, and given back to C. */
class NativeBytesTest extends undercroft.house.Suite:
  private val linker = Linker.nativeLinker()
  private def function(name: String, descriptor: FunctionDescriptor) =
    linker.downcallHandle(linker.defaultLookup.findOrThrow(name), descriptor)
  private val size = ValueLayout.JAVA_LONG
  private val pointer = ValueLayout.ADDRESS
  private val malloc = function("malloc", FunctionDescriptor.of(pointer, size))
  private val free = function("free", FunctionDescriptor.ofVoid(pointer))
  private val memcpy =
    function("memcpy", FunctionDescriptor.of(pointer, pointer, pointer, size))

  private val message = Everything.random(java.util.Random(9), 1)

  /** What C's `memcpy` makes of an output's pointer and length, in memory of C's `malloc`. */
  private def copiedByC(out: ByteOutput): MemorySegment =
    val copy = malloc.invokeWithArguments(out.size).asInstanceOf[MemorySegment]
    val pointer = memcpy.invokeWithArguments(copy, out.segment, out.size)
    pointer.asInstanceOf[MemorySegment].reinterpret(out.size)

  test("an output goes to C as a pointer and a length, and C's bytes are read in place"):
    val writer = ThriftSerializer()
    val out = writer.serialize(message)
    var released = 0
    val bytes = NativeBytes(copiedByC(out), out.size): address =>
      released += 1
      free.invokeWithArguments(address): Unit
    writer.close()
    assertEquals(ThriftDeserializer().deserialize(Everything(), bytes.segment), message)
    assert(bytes.segment.isReadOnly)
    assertEquals(released, 0)
    bytes.close()
    assertEquals(released, 1)
    bytes.close()
    assertEquals(released, 1)
    val error = intercept[IllegalStateException]:
      ThriftDeserializer().deserialize(Everything(), bytes.segment)
    assertEquals(error.getMessage, "Already closed")

  test("bytes that native code uses at the moment are not released, and later they are"):
    val writer = ThriftSerializer()
    val out = writer.serialize(message)
    var released = 0
    val bytes = NativeBytes(copiedByC(out), out.size): address =>
      released += 1
      free.invokeWithArguments(address): Unit
    writer.close()
    val closing = ClosingWhileSearched(bytes)
    val arena = Arena.ofConfined()
    try
      val compare = linker.upcallStub(closing.handle, closing.descriptor, arena)
      val bsearch =
        function("bsearch", FunctionDescriptor.of(pointer, pointer, pointer, size, size, pointer))
      bsearch.invokeWithArguments(bytes.segment, bytes.segment, 4L, 1L, compare): Unit
    finally arena.close()
    assert(closing.refused.exists(_.contains("acquired")), closing.refused)
    assertEquals(released, 0)
    bytes.close()
    assertEquals(released, 1)

  test("no address and no size are refused"):
    val none = intercept[IllegalArgumentException](NativeBytes(MemorySegment.NULL, 8)(_ => ()))
    assertEquals(none.getMessage, "8 bytes at no address")
    val less = intercept[IllegalArgumentException](NativeBytes(MemorySegment.NULL, -1)(_ => ()))
    assertEquals(less.getMessage, "native memory of -1 bytes")

  private def refused(address: MemorySegment, bytes: Long): String =
    val error = intercept[IllegalArgumentException]:
      NativeBytes(address, bytes)(_ => fail("nothing was taken over"))
    error.getMessage

  test("more bytes than the caller has answered for are refused"):
    val cure = "address.reinterpret(1048576) makes it longer"
    assertEquals(
      refused(MemorySegment.ofAddress(4096), 1 << 20),
      s"1048576 bytes at 4096, a segment of 0 bytes: $cure"
    )
    val some = Arena.global.allocate(100)
    assertEquals(
      refused(some, 1 << 20),
      s"1048576 bytes at ${some.address}, a segment of 100 bytes: $cure"
    )
    val part = NativeBytes(some, 40)(_ => ())
    assertEquals(part.segment.byteSize, 40L)
    intercept[IndexOutOfBoundsException](part.segment.get(ValueLayout.JAVA_BYTE, 40)): Unit
    part.close()

  test("a segment that could end before its bytes is refused"):
    for arena <- Seq(Arena.ofConfined, Arena.ofShared, Arena.ofAuto) do
      val segment = arena.allocate(8)
      val why = s"8 bytes at ${segment.address}, a segment that others can close"
      assertEquals(refused(segment, 8), why)
      assertEquals(refused(segment.reinterpret(8), 8), why)
    val buffer = MemorySegment.ofBuffer(java.nio.ByteBuffer.allocateDirect(8))
    assert(refused(buffer, 8).endsWith("a segment that others can close"))
    assertEquals(refused(MemorySegment.ofArray(new Array[Byte](8)), 8), "8 bytes on the heap")
end NativeBytesTest

/** What C's `bsearch` calls to compare: tries to close what is searched. */
final class ClosingWhileSearched(bytes: NativeBytes):
  var refused: Option[String] = None

  def compare(key: MemorySegment, found: MemorySegment): Int =
    try bytes.close()
    catch case e: IllegalStateException => refused = Option(e.getMessage)
    0

  private val pointer = classOf[MemorySegment]
  val handle: MethodHandle =
    val kind = MethodType.methodType(classOf[Int], pointer, pointer)
    MethodHandles.lookup().bind(this, "compare", kind)
  val descriptor: FunctionDescriptor =
    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS)
end ClosingWhileSearched
