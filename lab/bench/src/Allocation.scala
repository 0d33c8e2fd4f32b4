package undercroft.lab.bench

// How much does a block of 64 B, 4 KiB or 1 MiB cost, allocated and freed?

import java.lang.foreign.{Arena, MemorySegment}
import org.openjdk.jmh.annotations.*

/** One block a call, allocated and freed (or left to the collector); the first byte is written. */
@State(Scope.Thread)
class Allocation extends Measured:
  @Param(Array("64", "4096", "1048576")) var bytes = 0

  @Benchmark def heap(): Array[Byte] =
    val block = new Array[Byte](bytes)
    block(0) = 1
    block

  @Benchmark def unsafe(): Long =
    val block = Raw.unsafe.allocateMemory(bytes)
    Raw.unsafe.putByte(block, 1)
    Raw.unsafe.freeMemory(block)
    block

  @Benchmark def mallocDowncall(): Long =
    val block = LibC.malloc(bytes)
    Raw.unsafe.putByte(block, 1)
    LibC.free(block)
    block

  @Benchmark def confinedArena(): MemorySegment =
    val arena = Arena.ofConfined().nn
    val block = arena.allocate(bytes).nn
    block.set(Raw.byte, 0, 1.toByte)
    arena.close()
    block

  @Benchmark def sharedArena(): MemorySegment =
    val arena = Arena.ofShared().nn
    val block = arena.allocate(bytes).nn
    block.set(Raw.byte, 0, 1.toByte)
    arena.close()
    block
end Allocation
