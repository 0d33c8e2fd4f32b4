package undercroft.memory

import java.lang.foreign.{Arena, FunctionDescriptor, Linker, MemorySegment, ValueLayout}
import java.lang.invoke.MethodHandle

/** Every call of native code and every restricted method that this module uses.
  *
  * Nothing here prints a warning in an application that is started with
  * `--enable-native-access=ALL-UNNAMED`. Where native access is denied, [[available]] is false and
  * no other member may be called.
  */
private[memory] object Native:
  private val Nothing = 0
  private val ReadOnly = 1
  private val ReadWrite = 3
  private val PrivateAnonymousNoReserve = 0x4022 // MAP_PRIVATE, MAP_ANONYMOUS, MAP_NORESERVE

  private val AdviseReturn = 4 // MADV_DONTNEED
  private val AdviseNoFork = 10 // MADV_DONTFORK
  private val AdviseHuge = 14 // MADV_HUGEPAGE
  private val AdviseNoDump = 16 // MADV_DONTDUMP
  private val AdvisePopulate = 23 // MADV_POPULATE_WRITE

  private final class Calls(
      val mmap: MethodHandle,
      val mprotect: MethodHandle,
      val madvise: MethodHandle,
      val munlock: MethodHandle
  )

  private val calls: Calls | Null =
    if !Settings.native then null
    else
      try link()
      catch case _: IllegalCallerException | _: UnsupportedOperationException => null

  /** Whether the system is one whose calls are known here, and the application allows them. */
  def available: Boolean = calls != null

  private def link(): Calls | Null =
    val system = System.getProperty("os.name", "")
    val machine = System.getProperty("os.arch", "")
    if system != "Linux" || !Set("amd64", "aarch64").contains(machine) then null
    else
      val linker = Linker.nativeLinker()
      val lookup = linker.defaultLookup()
      val word = ValueLayout.JAVA_LONG
      val int = ValueLayout.JAVA_INT
      def call(name: String, descriptor: FunctionDescriptor): MethodHandle =
        linker.downcallHandle(lookup.findOrThrow(name), descriptor)
      Calls(
        call("mmap", FunctionDescriptor.of(word, word, word, int, int, int, word)),
        call("mprotect", FunctionDescriptor.of(int, word, word, int)),
        call("madvise", FunctionDescriptor.of(int, word, word, int)),
        call("munlock", FunctionDescriptor.of(int, word, word))
      )
    end if
  end link

  /** All addresses. */
  def everything: MemorySegment = MemorySegment.NULL.nn.reinterpret(Long.MaxValue).nn

  /** `sched_getcpu`, which is short and calls nothing back; null where no call can be made. */
  def processor(): MethodHandle | Null =
    if !available then null
    else
      val linker = Linker.nativeLinker()
      val found = linker.defaultLookup().find("sched_getcpu")
      val critical = Linker.Option.critical(false)
      if found.isEmpty then null
      else
        linker.downcallHandle(found.get, FunctionDescriptor.of(ValueLayout.JAVA_INT), critical)

  /** Reserves address space that is left out of core dumps and forks; 0 where the system refuses.
    */
  // Mapped without access first: where mlockall locks all that is mapped from now on, the system
  // would make memory, or page tables at least, of whatever can be accessed.
  def reserve(bytes: Long, writable: Boolean): Long =
    val address =
      calls.nn.mmap.invoke(0L, bytes, Nothing, PrivateAnonymousNoReserve, -1, 0L)
        .asInstanceOf[Long]
    if address == -1L then 0L
    else
      val _ = calls.nn.munlock.invoke(address, bytes).asInstanceOf[Int]
      val _ = advise(address, bytes, AdviseNoDump)
      val _ = advise(address, bytes, AdviseNoFork)
      if protect(address, bytes, if writable then ReadWrite else ReadOnly) then address else 0L

  /** Opens reserved pages for writing; false where the system refuses. */
  def open(address: Long, bytes: Long): Boolean = protect(address, bytes, ReadWrite)

  private def protect(address: Long, bytes: Long, protection: Int): Boolean =
    val failed = calls.nn.mprotect.invoke(address, bytes, protection).asInstanceOf[Int]
    failed == 0

  /** Gives the memory of pages back to the system; they stay reserved and read as zero. */
  def giveBack(address: Long, bytes: Long): Boolean = advise(address, bytes, AdviseReturn)

  /** Asks for huge pages, which matters only before the first touch. */
  def adviseHuge(address: Long, bytes: Long): Boolean = advise(address, bytes, AdviseHuge)

  /** Makes pages memory in one call, for less than their first touches cost; it may be refused. */
  def populate(address: Long, bytes: Long): Boolean = advise(address, bytes, AdvisePopulate)

  private def advise(address: Long, bytes: Long, advice: Int): Boolean =
    val failed = calls.nn.madvise.invoke(address, bytes, advice).asInstanceOf[Int]
    failed == 0

  /** A segment over memory that is never unmapped. */
  def segment(address: Long, bytes: Long): MemorySegment =
    MemorySegment.ofAddress(address).reinterpret(bytes)

  /** The same bytes, alive as long as `arena`. */
  def bounded(segment: MemorySegment, arena: Arena): MemorySegment =
    segment.reinterpret(arena, null)
end Native

/** Which processor a thread runs on, as far as the system tells. */
private[undercroft] object Processor:
  // Final and by itself, so that the JIT makes the call without looking for it.
  private val call: MethodHandle | Null = Native.processor()

  def isKnown: Boolean = call != null

  /** The number of the processor that this thread runs on just now, for about 3 ns. Only where
    * [[isKnown]].
    */
  def current: Int = call.nn.invokeExact().asInstanceOf[Int]
end Processor
