import java.lang.foreign.*
import java.lang.foreign.ValueLayout.{ADDRESS, JAVA_LONG}
import undercroft.struct.*

case class Pixel(red: Short, green: Short, blue: Short, alpha: Float) derives Struct

@main def foreignRows(): Unit =
  val linker = Linker.nativeLinker
  val calloc = linker.downcallHandle(
    linker.defaultLookup.find("calloc").get,
    FunctionDescriptor.of(ADDRESS, JAVA_LONG, JAVA_LONG)
  )
  val free = linker.downcallHandle(
    linker.defaultLookup.find("free").get,
    FunctionDescriptor.ofVoid(ADDRESS)
  )
  val arena = Arena.ofConfined()
  val bytes = 100L * Struct[Pixel].size
  val pointer = calloc.invokeWithArguments(100L, Struct[Pixel].size.toLong) match
    case pointer: MemorySegment => pointer // C's memory, of unknown size
  def release(block: MemorySegment): Unit =
    free.invokeWithArguments(block)
    println("freed")

  val pixels = Rows.over[Pixel](pointer.reinterpret(bytes, arena, release(_)))
  pixels.updateAll(_.alpha)(_ + 0.5f)
  println(pixels.sumOf(_.alpha))
  println(Struct.offsetOf[Pixel](_.alpha)) // C's offsetof
  arena.close()
  try println(pixels(0))
  catch case _: IllegalStateException => println("closed")
end foreignRows

// prints:
// 50.0
// 8
// freed
// closed
