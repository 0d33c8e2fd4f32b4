package undercroft.lab.bench

import java.lang.foreign.{FunctionDescriptor, Linker, MemorySegment, ValueLayout}
import java.lang.invoke.MethodHandle

/** The C library's calls that rivals need, with Linux's constants; rivals' memory never comes from
  * our allocators.
  */
object LibC:
  private val pointer = ValueLayout.JAVA_LONG.nn
  private val int = ValueLayout.JAVA_INT.nn
  private val linker = Linker.nativeLinker().nn

  private def function(name: String, descriptor: FunctionDescriptor | Null): MethodHandle =
    linker.downcallHandle(symbol(name), descriptor, Linker.Option.critical(false)).nn
  private def symbol(name: String): MemorySegment =
    linker.defaultLookup().nn.find(name).nn.orElseThrow().nn

  private val mallocHandle = function("malloc", FunctionDescriptor.of(pointer, pointer))
  private val freeHandle = function("free", FunctionDescriptor.ofVoid(pointer))
  private val mmapHandle =
    function("mmap", FunctionDescriptor.of(pointer, pointer, pointer, int, int, int, pointer))
  private val munmapHandle = function("munmap", FunctionDescriptor.of(int, pointer, pointer))
  private val madviseHandle =
    function("madvise", FunctionDescriptor.of(int, pointer, pointer, int))
  private val cpuHandle = function("sched_getcpu", FunctionDescriptor.of(int))
  private val plainCpuHandle =
    linker.downcallHandle(symbol("sched_getcpu"), FunctionDescriptor.of(int)).nn

  // One call in each method, directly followed by its cast: Scala needs both to compile an exact invocation.
  private def mapped(at: Long, bytes: Long, access: Int, kind: Int, file: Int, from: Long): Long =
    mmapHandle.invokeExact(at, bytes, access, kind, file, from).asInstanceOf[Long]
  private def unmapResult(address: Long, bytes: Long): Int =
    munmapHandle.invokeExact(address, bytes).asInstanceOf[Int]
  private def adviseResult(address: Long, bytes: Long, advice: Int): Int =
    madviseHandle.invokeExact(address, bytes, advice).asInstanceOf[Int]

  /** The address of `bytes` uninitialised bytes. */
  def malloc(bytes: Long): Long = mallocHandle.invokeExact(bytes).asInstanceOf[Long]

  def free(address: Long): Unit = freeHandle.invokeExact(address).asInstanceOf[Unit]

  /** Fresh anonymous memory, advised to come in huge pages (or not to) before its first touch. */
  def map(bytes: Long, huge: Boolean): Long =
    val readWrite = 3
    val privateAnonymousNoReserve = 0x4022
    val address = mapped(0L, bytes, readWrite, privateAnonymousNoReserve, -1, 0L)
    if address == -1L then throw OutOfMemoryError(s"mmap refused $bytes bytes")
    val (adviseHuge, adviseSmall) = (14, 15)
    val advised = adviseResult(address, bytes, if huge then adviseHuge else adviseSmall)
    if advised != 0 then throw IllegalStateException(s"madvise refused $bytes bytes")
    address

  def unmap(address: Long, bytes: Long): Unit =
    val unmapped = unmapResult(address, bytes)
    if unmapped != 0 then throw IllegalStateException(s"munmap refused $bytes bytes")

  /** The processor that runs the caller, by a critical call and by a plain one. */
  def cpu(): Int = cpuHandle.invokeExact().asInstanceOf[Int]
  def cpuByPlainCall(): Int = plainCpuHandle.invokeExact().asInstanceOf[Int]

  /** A segment over memory that the caller owns. */
  def segment(address: Long, bytes: Long): MemorySegment =
    MemorySegment.ofAddress(address).nn.reinterpret(bytes).nn
end LibC
