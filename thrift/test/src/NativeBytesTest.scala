package undercroft.thrift

import java.lang.foreign.{Arena, FunctionDescriptor, Linker, MemorySegment, ValueLayout}
import java.lang.invoke.{MethodHandle, MethodHandles, MethodType}
import undercroft.buffer.ByteOutput

/** Bytes allocated by C, read in place and freed by C. */
class NativeBytesTest extends undercroft.tools.Suite:
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

  /** A copy of an output, made by C's `memcpy` in memory of C's `malloc`. */
  private def copiedByC(out: ByteOutput): MemorySegment =
    val copy = malloc.invokeWithArguments(out.size).asInstanceOf[MemorySegment]
    val pointer = memcpy.invokeWithArguments(copy, out.segment, out.size)
    pointer.asInstanceOf[MemorySegment].reinterpret(out.size)

  test("C reads an output as a pointer and a length, and NativeBytes reads C's bytes in place"):
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

  test("NativeBytes.close throws while native code uses the bytes and releases them afterwards"):
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

  test("NativeBytes rejects a null address and a negative size"):
    assertEquals(refused(MemorySegment.NULL, 8), "the address of 8 bytes is 0")
    assertEquals(refused(MemorySegment.NULL, -1), "bytes must be at least 0, but is -1")

  private def refused(address: MemorySegment, bytes: Long): String =
    val error = intercept[IllegalArgumentException]:
      NativeBytes(address, bytes)(_ => fail("nothing was taken over"))
    error.getMessage

  test("NativeBytes rejects more bytes than the segment has"):
    val cure = "pass address.reinterpret(1048576)"
    assertEquals(
      refused(MemorySegment.ofAddress(4096), 1 << 20),
      s"1048576 bytes exceed the segment of 0 bytes at 4096: $cure"
    )
    val segment = Arena.global.allocate(100)
    assertEquals(
      refused(segment, 1 << 20),
      s"1048576 bytes exceed the segment of 100 bytes at ${segment.address}: $cure"
    )
    val part = NativeBytes(segment, 40)(_ => ())
    assertEquals(part.segment.byteSize, 40L)
    intercept[IndexOutOfBoundsException](part.segment.get(ValueLayout.JAVA_BYTE, 40)): Unit
    part.close()

  test("NativeBytes rejects a segment outside the global scope or on the heap"):
    for arena <- Seq(Arena.ofConfined, Arena.ofShared, Arena.ofAuto) do
      val segment = arena.allocate(8)
      val why = s"the segment of 8 bytes at ${segment.address} is not in the global scope"
      assertEquals(refused(segment, 8), why)
      assertEquals(refused(segment.reinterpret(8), 8), why)
    val buffer = MemorySegment.ofBuffer(java.nio.ByteBuffer.allocateDirect(8))
    assert(refused(buffer, 8).endsWith("is not in the global scope"))
    assertEquals(
      refused(MemorySegment.ofArray(new Array[Byte](8)), 8),
      "the 8 bytes are on the heap, not in native memory"
    )
end NativeBytesTest

/** A comparison function for C's `bsearch` that tries to close the searched bytes. */
final class ClosingWhileSearched(bytes: NativeBytes):
  var refused: Option[String] = None

  def compare(key: MemorySegment, element: MemorySegment): Int =
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
