import java.lang.foreign.{Arena, FunctionDescriptor, Linker, MemorySegment}
import java.lang.foreign.MemoryLayout.PathElement
import java.lang.foreign.ValueLayout.{ADDRESS, JAVA_INT, JAVA_LONG}
import java.lang.invoke.{MethodHandle, MethodHandles, MethodType}
import undercroft.memory.*
import undercroft.struct.*

case class TimeOfDay(seconds: Long, micros: Long) derives Struct // C's struct timeval

case class Runner(number: Int, millis: Int) derives Struct

class ByTime:
  private val millis = Struct[Runner].layout.byteOffset(PathElement.groupElement("millis"))
  def compare(a: MemorySegment, b: MemorySegment): Int =
    Integer.compare(a.get(JAVA_INT, millis), b.get(JAVA_INT, millis))

@main def callC(): Unit =
  val linker = Linker.nativeLinker
  def function(name: String, descriptor: FunctionDescriptor): MethodHandle =
    linker.downcallHandle(linker.defaultLookup.find(name).get, descriptor)

  Region.scoped:
    val gettimeofday = function("gettimeofday", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS))
    val time = Rows[TimeOfDay](1)
    println(gettimeofday.invokeWithArguments(time.segment, MemorySegment.NULL))
    println((time(0).seconds - System.currentTimeMillis / 1000).abs < 2)

    val runners = Rows.tabulate[Runner](1000)(i => Runner(i.toInt, (i * 7919 % 1000).toInt))
    val row = ADDRESS.withTargetLayout(Struct[Runner].layout) // its size, for the bounds checks
    val compare = MethodHandles.lookup.bind(
      ByTime(),
      "compare",
      MethodType.methodType(classOf[Int], classOf[MemorySegment], classOf[MemorySegment])
    )
    val arena = Arena.ofConfined()
    val pointer = linker.upcallStub(compare, FunctionDescriptor.of(JAVA_INT, row, row), arena)
    val qsort =
      function("qsort", FunctionDescriptor.ofVoid(ADDRESS, JAVA_LONG, JAVA_LONG, ADDRESS))
    qsort.invokeWithArguments(runners.segment, runners.size, Struct[Runner].size.toLong, pointer)
    arena.close()
    println(runners(0))
    println(runners(999))
end callC

// prints:
// 0
// true
// Runner(0,0)
// Runner(321,999)
