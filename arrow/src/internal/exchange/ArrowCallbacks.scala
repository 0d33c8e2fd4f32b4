package undercroft.arrow
package internal.exchange

import java.lang.foreign.{Arena, FunctionDescriptor, Linker, ValueLayout}
import java.lang.invoke.{MethodHandles, MethodType}
import scala.annotation.unused

/** The functions that a consumer of exported structs calls, on any thread. They exist as long as
  * the JVM. An exception that left one would end the JVM, so none does.
  *
  * ```text
  * memory                         owner                                freed by
  * the consumer's struct          consumer                             consumer
  * ArrowSchema of get_schema      consumer, from success on            release of each of its structs
  * ArrowArray of get_next         consumer, from success on            release of each of its structs
  * an array that is not fetched   the stream                           release of the stream
  * get_last_error's text          none: it is always null              -
  * ```
  */
private[arrow] object ArrowCallbacks:
  import CStructs.*

  /** The error number of a call that failed: EIO. */
  private inline val Failed = 5

  val releaseSchema: Long = stub("releasedSchema", classOf[Unit], 1)
  val releaseArray: Long = stub("releasedArray", classOf[Unit], 1)
  val releaseStream: Long = stub("releasedStream", classOf[Unit], 1)
  val getSchema: Long = stub("gotSchema", classOf[Int], 2)
  val getNext: Long = stub("gotNext", classOf[Int], 2)
  val getLastError: Long = stub("gotLastError", classOf[Long], 1)

  def releasedSchema(address: Long): Unit = guarded:
    if long(address + Schema.Release) != 0 then
      val memory = ExportedMemory.get(long(address + Schema.PrivateData))
      val pointers = long(address + Schema.Children + 8)
      for i <- 0L until long(address + Schema.Children) do releasedSchema(long(pointers + 8 * i))
      val dictionary = long(address + Schema.Dictionary)
      if dictionary != 0 then releasedSchema(dictionary)
      setLong(address + Schema.Release, 0)
      memory.foreach(_.releaseStruct())

  def releasedArray(address: Long): Unit = guarded:
    if long(address + Array.Release) != 0 then
      val memory = ExportedMemory.get(long(address + Array.PrivateData))
      val pointers = long(address + Array.ChildPointers)
      for i <- 0L until long(address + Array.Children) do releasedArray(long(pointers + 8 * i))
      val dictionary = long(address + Array.Dictionary)
      if dictionary != 0 then releasedArray(dictionary)
      setLong(address + Array.Release, 0)
      memory.foreach(_.releaseStruct())

  def releasedStream(address: Long): Unit = guarded:
    if long(address + Stream.Release) != 0 then
      setLong(address + Stream.Release, 0)
      ExportedStream.release(long(address + Stream.PrivateData))

  def gotSchema(stream: Long, target: Long): Int = answered:
    ExportedStream.get(long(stream + Stream.PrivateData)).putSchema(target)

  def gotNext(stream: Long, target: Long): Int = answered:
    ExportedStream.get(long(stream + Stream.PrivateData)).putNext(target)

  /** A failure has no text: the only ones are a lack of memory, and misuse. */
  def gotLastError(@unused stream: Long): Long = 0

  private inline def guarded(inline body: Unit): Unit =
    try body
    catch case _: Throwable => ()

  private inline def answered(inline body: Unit): Int =
    try
      body
      0
    catch case _: Throwable => Failed

  private def stub(name: String, result: Class[?], count: Int): Long =
    val parameters = scala.Array.fill[Class[?]](count)(classOf[Long])
    val method = MethodHandles.lookup.nn
      .findVirtual(getClass, name, MethodType.methodType(result, parameters))
      .nn
      .bindTo(this)
      .nn
    val pointers = scala.Array.fill[ValueLayout](count)(ValueLayout.JAVA_LONG)
    val descriptor =
      if result eq classOf[Unit] then FunctionDescriptor.ofVoid(pointers*)
      else
        val layout =
          if result eq classOf[Int] then ValueLayout.JAVA_INT else ValueLayout.JAVA_LONG
        FunctionDescriptor.of(layout, pointers*)
    Linker.nativeLinker.upcallStub(method, descriptor, Arena.global).nn.address
end ArrowCallbacks
