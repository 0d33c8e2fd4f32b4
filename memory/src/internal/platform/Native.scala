package undercroft.memory
package internal.platform

import java.lang.foreign.{Arena, FunctionDescriptor, Linker, MemorySegment, ValueLayout}
import java.lang.invoke.{MethodHandle, MethodHandles}
import java.util.concurrent.atomic.AtomicBoolean
import java.util.function.Consumer

/** All native calls and restricted methods of this module.
  *
  * Nothing here prints a warning in an application started with
  * `--enable-native-access=ALL-UNNAMED`. If native access is denied, [[available]] is false and no
  * other member may be called.
  */
private[memory] object Native:
  private val Nothing = 0
  private val ReadOnly = 1
  private val ReadWrite = 3
  private val PrivateAnonymousNoReserve = 0x4022 // MAP_PRIVATE, MAP_ANONYMOUS, MAP_NORESERVE

  private val AdviseRandom = 1 // MADV_RANDOM
  private val AdviseReturn = 4 // MADV_DONTNEED
  private val AdviseNoFork = 10 // MADV_DONTFORK
  private val AdviseHuge = 14 // MADV_HUGEPAGE
  private val AdviseNoDump = 16 // MADV_DONTDUMP
  private val AdvisePopulate = 23 // MADV_POPULATE_WRITE

  private final class Calls(
      val mmap: MethodHandle,
      val mprotect: MethodHandle,
      val madvise: MethodHandle,
      val munlock: MethodHandle,
      val munmap: MethodHandle
  )

  private val calls: Calls | Null =
    if !Settings.native then null
    else
      try link()
      catch case _: IllegalCallerException | _: UnsupportedOperationException => null

  /** Whether this module knows the system's calls and the application allows native access. */
  def available: Boolean = calls != null

  private def link(): Calls | Null =
    val system = System.getProperty("os.name", "")
    val machine = System.getProperty("os.arch", "")
    if system != "Linux" || (machine != "amd64" && machine != "aarch64") then null
    else
      val linker = Linker.nativeLinker()
      val lookup = linker.defaultLookup()
      val word = ValueLayout.JAVA_LONG
      val int = ValueLayout.JAVA_INT
      // The calls with fewer arguments ignore the registers of the others, so one descriptor fits
      // all of them, and the JDK generates a single stub.
      val shape = FunctionDescriptor.of(word, word, word, int, int, int, word)
      def call(name: String): MethodHandle =
        linker.downcallHandle(lookup.findOrThrow(name), shape)
      Calls(call("mmap"), call("mprotect"), call("madvise"), call("munlock"), call("munmap"))
    end if
  end link

  /** All addresses. */
  def everything: MemorySegment = MemorySegment.NULL.nn.reinterpret(Long.MaxValue).nn

  /** `sched_getcpu` as a critical downcall, because it is short and makes no upcall; null if
    * unavailable.
    */
  def processor(): MethodHandle | Null =
    if !available then null
    else
      val linker = Linker.nativeLinker()
      val symbol = linker.defaultLookup().find("sched_getcpu")
      val critical = Linker.Option.critical(false)
      if symbol.isEmpty then null
      else
        linker.downcallHandle(symbol.get, FunctionDescriptor.of(ValueLayout.JAVA_INT), critical)

  /** Reserves readable address space that is excluded from core dumps and forks; 0 if the system
    * rejects it.
    */
  // Mapped without access first: if mlockall locks all future mappings, the system would commit
  // memory, or at least page tables, for all accessible pages.
  def reserve(bytes: Long): Long =
    val address: Long =
      calls.nn.mmap.invokeExact(0L, bytes, Nothing, PrivateAnonymousNoReserve, -1, 0L)
        .asInstanceOf[Long]
    if address == -1L then 0L
    else
      val _: Long =
        calls.nn.munlock.invokeExact(address, bytes, 0, 0, 0, 0L).asInstanceOf[Long]
      val _ = advise(address, bytes, AdviseNoDump)
      val _ = advise(address, bytes, AdviseNoFork)
      if protect(address, bytes, ReadOnly) then address else 0L

  /** Makes reserved pages writable; false if the system rejects it. */
  def open(address: Long, bytes: Long): Boolean = protect(address, bytes, ReadWrite)

  private def protect(address: Long, bytes: Long, protection: Int): Boolean =
    val result: Long =
      calls.nn.mprotect.invokeExact(address, bytes, protection, 0, 0, 0L).asInstanceOf[Long]
    isDone(result)

  /** Returns the memory of pages to the system; they stay reserved and read as zero. */
  def decommit(address: Long, bytes: Long): Boolean = advise(address, bytes, AdviseReturn)

  /** Requests huge pages; effective only before the first touch. */
  def adviseHuge(address: Long, bytes: Long): Boolean = advise(address, bytes, AdviseHuge)

  /** Commits pages in one call, cheaper than their page faults; the system may reject it. */
  def populate(address: Long, bytes: Long): Boolean = advise(address, bytes, AdvisePopulate)

  /** Makes a fault in a mapped file read the missing page, and none around it. */
  def adviseRandom(address: Long, bytes: Long): Boolean = advise(address, bytes, AdviseRandom)

  private def advise(address: Long, bytes: Long, advice: Int): Boolean =
    val result: Long =
      calls.nn.madvise.invokeExact(address, bytes, advice, 0, 0, 0L).asInstanceOf[Long]
    isDone(result)

  /** Whether a call returned the int 0; the upper half of its register has no meaning. */
  private def isDone(result: Long): Boolean = result.toInt == 0

  /** A segment over memory that is never unmapped. */
  def segment(address: Long, bytes: Long): MemorySegment =
    MemorySegment.ofAddress(address).reinterpret(bytes)

  /** Unmaps address space once this library's class loader is unreachable. */
  def unmapAfterUnload(address: Long, bytes: Long): Unit =
    LoaderLifetime.afterUnload:
      MethodHandles.insertArguments(calls.nn.munmap, 0, address, bytes, 0, 0, 0, 0L)

  // An open arena refers to it: a segment that outlives its region keeps the loader, and the memory.
  private val keepLoader: Consumer[MemorySegment] | Null =
    if LoaderLifetime.isPermanent then null else _ => ()

  /** The same bytes with the lifetime of `arena`. While the arena is open, they stay mapped. */
  def bounded(segment: MemorySegment, arena: Arena): MemorySegment =
    segment.reinterpret(arena, keepLoader)

  /** `bytes` bytes from the start of a segment with the lifetime of `arena`, whose close calls
    * `release` once.
    */
  def attached(
      segment: MemorySegment,
      bytes: Long,
      arena: Arena,
      release: MemorySegment => Unit
  ): MemorySegment = segment.reinterpret(bytes, arena, memory => release(memory.nn))
end Native

/** The processor that the current thread runs on, if the system reports it. */
private[undercroft] object CurrentCpu:
  private val isRequested = AtomicBoolean()
  @volatile private var isKnown = false

  /** Whether [[current]] may be called. The first request links the native call, on a thread of its
    * own because the first one of a JVM takes some 0.1 s; requests are false until it is linked.
    */
  def request(): Boolean =
    if !isKnown && isRequested.compareAndSet(false, true) then
      val link: Runnable = () => isKnown = CurrentCpuCall.handle != null
      try Thread.ofPlatform.daemon.name("undercroft-link").start(link): Unit
      catch case _: OutOfMemoryError => isRequested.set(false) // no thread: a later request
    isKnown

  /** The number of the processor that the thread runs on at this moment; costs about 3 ns. Requires
    * that a [[request]] has returned true.
    */
  def current: Int = CurrentCpuCall.handle.nn.invokeExact().asInstanceOf[Int]
end CurrentCpu

/** What the system reads of a mapped file beyond the pages that are accessed. */
private[undercroft] object ReadAhead:
  /** The largest page of the platforms that this module knows. */
  private val LargestPage = 1L << 16

  /** Disables it for the pages that begin in a part of a mapped file; without native access, and if
    * the system rejects it, nothing changes.
    */
  def disable(mapped: MemorySegment): Unit =
    val start = (mapped.address + LargestPage - 1) & -LargestPage
    val bytes = mapped.address + mapped.byteSize - start
    if Native.available && bytes > 0 then
      val _ = Native.adviseRandom(start, bytes)

// Final and in its own object, so that the JIT treats it as a constant and makes a direct call.
private object CurrentCpuCall:
  val handle: MethodHandle | Null = Native.processor()
