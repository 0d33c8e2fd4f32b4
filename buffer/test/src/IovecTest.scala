package undercroft.buffer

import java.lang.foreign.{Arena, FunctionDescriptor, Linker, MemorySegment}
import java.lang.foreign.ValueLayout.{ADDRESS, JAVA_INT, JAVA_LONG}
import java.nio.file.Files

/** Native code gets an output's bytes without a copy, and no operation moves them meanwhile. */
class IovecTest extends undercroft.tools.Suite:
  /** The bytes that C's `writev` writes to a file, given an array of `struct iovec`. */
  private def written(vectors: MemorySegment): Array[Byte] =
    val linker = Linker.nativeLinker
    def c(name: String, descriptor: FunctionDescriptor) =
      linker.downcallHandle(linker.defaultLookup.find(name).get, descriptor)
    def int(value: Int): Object = Integer.valueOf(value)
    val creat = c("creat", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT))
    val writev = c("writev", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT))
    val closeFile = c("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT))
    val path = Files.createTempFile("undercroft", ".bytes")
    val arena = Arena.ofConfined()
    try
      val name = arena.allocateFrom(path.toString)
      val file = creat.invokeWithArguments(java.util.List.of[Object](name, int(0x180)))
      val count = int((vectors.byteSize / 16).toInt)
      val bytes = writev.invokeWithArguments(java.util.List.of[Object](file, vectors, count))
      closeFile.invokeWithArguments(java.util.List.of[Object](file)): Unit
      val content = Files.readAllBytes(path)
      assertEquals(bytes: Any, content.length.toLong: Any)
      content
    finally
      arena.close()
      Files.delete(path)
    end try
  end written

  test("writev writes all bytes of a byte output without a copy"):
    undercroft.tools.Requirement.LINUX.require() // for writev
    val out = ByteOutput()
    try
      for i <- 0 until 100_000 do out.writeInt(i): Unit
      val arena = Arena.ofConfined()
      try
        val vectors = out.iovecs(arena)
        assertEquals(vectors.byteSize, 16L)
        assertEquals(ByteString(written(vectors)), ByteString(out.toByteArray()))
      finally arena.close()
      assertEquals(ByteString(out.withIovecs(written)), ByteString(out.toByteArray()))
    finally out.close()

  test("writev writes the bytes of a buffer that were copied once to a byte output"):
    undercroft.tools.Requirement.LINUX.require() // for writev
    val buffer = Buffer()
    for i <- 0 until 30_000 do buffer.writeUtf8("line ").writeDecimalLong(i).writeByte('\n')
    val expected = buffer.snapshot()
    val out = ByteOutput()
    try
      buffer.writeTo(out, buffer.size)
      assertEquals(ByteString(out.withIovecs(written)), expected)
    finally out.close()

  test("a byte output throws while native code reads it and is usable afterwards"):
    for bytes <- Seq(100, 100_000, 3 << 20) do
      val out = ByteOutput()
      try
        val content = Array.tabulate(bytes)(i => (i * 31 + (i >> 8)).toByte)
        out.write(content)
        val uses = Seq[ByteOutput => Any](
          _.writeInt(1),
          _.write(1),
          _.write(new Array[Byte](10)),
          _.write(MemorySegment.ofArray(content)),
          _.writeUtf8("text"),
          _.patchInt(0, 1),
          _.batch(1)(_.writeByte(1)),
          _.withIovecs(_.byteSize),
          _.segment,
          _.toByteArray(),
          _.reset(),
          _.close()
        )
        val address = out.withIovecs: vectors =>
          for (use, i) <- uses.zipWithIndex do
            val e = intercept[IllegalStateException](use(out))
            val expected = s"native code reads the byte output, after $bytes bytes"
            assertEquals(e.getMessage, expected, s"use $i")
          assertEquals(out.toString, s"a byte output of $bytes bytes, which native code reads")
          assertEquals(vectors.get(JAVA_LONG, 8), bytes.toLong)
          vectors.get(JAVA_LONG, 0)
        assertEquals(address, out.segment.address)
        out.writeInt(0x01020304): Unit
        assertEquals(
          ByteString(out.toByteArray()),
          ByteString(content ++ Array[Byte](1, 2, 3, 4))
        )
        // An error ends the loan as well, and the loan's end frees the array.
        var loan = MemorySegment.NULL
        intercept[ArithmeticException](out.withIovecs { vectors =>
          loan = vectors
          throw ArithmeticException()
        }): Unit
        intercept[IllegalStateException](loan.get(JAVA_LONG, 0)): Unit
        assertEquals(out.size, bytes + 4L)
      finally out.close()
      end try
      intercept[ClosedException](out.withIovecs(_.byteSize)): Unit
end IovecTest
