package undercroft.buffer

import java.lang.foreign.{Arena, FunctionDescriptor, Linker, MemorySegment}
import java.lang.foreign.ValueLayout.{ADDRESS, JAVA_BYTE, JAVA_INT, JAVA_LONG}
import java.lang.invoke.{MethodHandles, MethodType}
import java.io.FileInputStream

/** Native code that reads the bytes of an array of `struct iovec`. */
object Iovec:
  private val linker = Linker.nativeLinker
  private def c(name: String, descriptor: FunctionDescriptor) =
    linker.downcallHandle(linker.defaultLookup.find(name).get, descriptor)
  private def int(value: Int): Object = Integer.valueOf(value)
  private def list(arguments: Object*) =
    scala.jdk.CollectionConverters.SeqHasAsJava(arguments).asJava

  private lazy val pipe = c("pipe", FunctionDescriptor.of(JAVA_INT, ADDRESS))
  private lazy val writev =
    c("writev", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT))
  private lazy val bsearch =
    c("bsearch", FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, JAVA_LONG, ADDRESS))
  private lazy val close = c("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT))

  def isLinux: Boolean = System.getProperty("os.name") == "Linux"

  /** The bytes that an array points to, read from their addresses. */
  def bytes(vectors: MemorySegment): Array[Byte] =
    val count = (vectors.byteSize / 16).toInt
    val sizes = (0 until count).map(i => vectors.get(JAVA_LONG, i * 16L + 8))
    val arena = Arena.ofConfined()
    try
      val copy = arena.allocate(sizes.sum.max(1))
      var done = 0L
      for i <- 0 until count do
        val from = vectors.get(ADDRESS, i * 16L).reinterpret(sizes(i))
        MemorySegment.copy(from, 0, copy, done, sizes(i))
        done += sizes(i)
      copy.asSlice(0, done).toArray(JAVA_BYTE)
    finally arena.close()

  /** Runs `body`, which must not fail, while native code uses a segment. */
  def during(segment: MemorySegment)(body: () => Unit): Unit =
    val arena = Arena.ofConfined()
    try
      val int = classOf[Int]
      val address = classOf[MemorySegment]
      val compare = MethodHandles.lookup
        .bind(Iovec.Compares(body), "compare", MethodType.methodType(int, address, address))
      val stub =
        linker.upcallStub(compare, FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS), arena)
      val unit = java.lang.Long.valueOf(1)
      bsearch.invokeWithArguments(list(segment, segment, unit, unit, stub)): Unit
    finally arena.close()

  /** The comparison function of C's `bsearch`. */
  final class Compares(body: () => Unit):
    def compare(left: MemorySegment, right: MemorySegment): Int =
      body()
      0

  /** The bytes read from a system pipe after C's `writev` wrote an array to it. */
  def throughPipe(vectors: MemorySegment): Array[Byte] =
    val arena = Arena.ofConfined()
    try
      val ends = arena.allocate(8, 4)
      assert(pipe.invokeWithArguments(list(ends)).equals(int(0)))
      val (out, in) = (ends.get(JAVA_INT, 0), ends.get(JAVA_INT, 4))
      val read = java.util.concurrent.CompletableFuture[Array[Byte]]()
      Thread.ofPlatform.start: () =>
        try
          val stream = FileInputStream(s"/proc/self/fd/$out")
          try read.complete(stream.readAllBytes()): Unit
          finally stream.close()
        catch case e: Throwable => read.completeExceptionally(e): Unit
      val count = int((vectors.byteSize / 16).toInt)
      val written = writev.invokeWithArguments(list(int(in), vectors, count))
      close.invokeWithArguments(list(int(in))): Unit
      val content = read.get.nn
      close.invokeWithArguments(list(int(out))): Unit
      val length = content.length
      assert(written.equals(java.lang.Long.valueOf(length)), s"$written of $length")
      content
    finally arena.close()
    end try
  end throughPipe
end Iovec
