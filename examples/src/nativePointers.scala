import java.lang.foreign.{FunctionDescriptor, Linker, MemorySegment}
import java.lang.foreign.ValueLayout.{ADDRESS, JAVA_INT, JAVA_LONG}
import java.lang.invoke.MethodHandle
import undercroft.memory.*
import undercroft.struct.*
import undercroft.struct.unsafe.*

// C's struct tm of Linux
case class CalendarTime(
    second: Int,
    minute: Int,
    hour: Int,
    day: Int,
    month: Int,
    year: Int,
    weekday: Int,
    yearDay: Int,
    summerTime: Int,
    offset: Long,
    zone: Long
) derives Struct

case class Slot(key: Int, value: Double) derives Struct

@main def nativePointers(): Unit =
  val linker = Linker.nativeLinker
  def function(name: String, descriptor: FunctionDescriptor): MethodHandle =
    linker.downcallHandle(linker.defaultLookup.find(name).get, descriptor)
  val gmtime = function("gmtime_r", FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS))
  val timegm = function("timegm", FunctionDescriptor.of(JAVA_LONG, ADDRESS))
  val calloc = function("calloc", FunctionDescriptor.of(ADDRESS, JAVA_LONG, JAVA_LONG))
  val free = function("free", FunctionDescriptor.ofVoid(ADDRESS))

  Region.scoped:
    val seconds = Ref(Tuple1(86_400L * 365))
    val time = Ref.zeroed[CalendarTime]
    seconds.withPointer: from =>
      time.withPointer(to => gmtime.invokeWithArguments(from, to))
    println((time.year + 1900, time.month + 1, time.day))
    time.hour = 12
    println(time.withPointer(pointer => timegm.invokeWithArguments(pointer)))
    val escaped = time.withPointer(pointer => pointer)
    try println(escaped.get(JAVA_INT, 0))
    catch case _: IllegalStateException => println("used after the call")

  def release(block: MemorySegment): Unit =
    free.invokeWithArguments(block)
    println("freed")

  val slots = Region.named("frame"):
    val pointer = calloc.invokeWithArguments(100L, Struct[Slot].size.toLong) match
      case pointer: MemorySegment => pointer // C's memory, of unknown size
    val slots = Rows.overPointer[Slot](pointer, count = 100, release = release(_))
    slots.updateAll(_.value)(_ + 0.5)
    val slot = slots.row(7) // the row's place, in memory of C
    slot.key = 8
    slot.update(_.value)(_ * 2)
    println(slots.sumOf(_.value))
    slots
  try println(slots(7))
  catch case error: RegionClosedException => println(error.getMessage)
end nativePointers

// prints:
// (1971,1,1)
// 31579200
// used after the call
// 50.5
// freed
// region "frame" is closed
