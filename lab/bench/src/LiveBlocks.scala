package undercroft.lab.bench

// How much does a block cost that is allocated among many live ones, freed in random order?

import java.util.SplittableRandom
import org.openjdk.jmh.annotations.*
import undercroft.memory.{Address, Malloc}

/** [[LiveBlocks.live]] blocks are live; a call frees one of them at random and allocates another in
  * its place. Blocks of Malloc are zeroed; of a block of Unsafe the first byte or all bytes are
  * written.
  */
@State(Scope.Thread)
@OperationsPerInvocation(LiveBlocks.count)
class LiveBlocks extends Measured:
  import LiveBlocks.*
  @Param(Array("64", "1000")) var bytes = 0

  private val random = SplittableRandom(1)
  private val order = Array.fill(count)(random.nextInt(live))
  private val blocks = new Array[Long](live)
  private val unsafeBlocks = new Array[Long](live)

  @Setup def allocate(): Unit =
    for i <- 0 until live do
      blocks(i) = ofMalloc(bytes)
      unsafeBlocks(i) = ofUnsafe(bytes)

  @TearDown def free(): Unit =
    for i <- 0 until live do
      Malloc.free(Address.ofBits(blocks(i)))
      Raw.unsafe.freeMemory(unsafeBlocks(i))

  /** The number of blocks that were replaced. */
  @Benchmark def malloc(): Int =
    var i = 0
    while i < count do
      val place = order(i)
      Malloc.free(Address.ofBits(blocks(place)))
      blocks(place) = ofMalloc(bytes)
      i += 1
    i

  @Benchmark def unsafe(): Int =
    var i = 0
    while i < count do
      val place = order(i)
      Raw.unsafe.freeMemory(unsafeBlocks(place))
      unsafeBlocks(place) = ofUnsafe(bytes)
      i += 1
    i

  /** As [[unsafe]], with zeroed blocks. */
  @Benchmark def unsafeZeroed(): Int =
    var i = 0
    while i < count do
      val place = order(i)
      Raw.unsafe.freeMemory(unsafeBlocks(place))
      val block = Raw.unsafe.allocateMemory(bytes)
      Raw.unsafe.setMemory(block, bytes, 0)
      unsafeBlocks(place) = block
      i += 1
    i
end LiveBlocks

object LiveBlocks:
  final val live = 50_000
  final val count = 16_384

  def ofMalloc(bytes: Long): Long = Malloc.allocateBlock(bytes, 8).bits

  def ofUnsafe(bytes: Long): Long =
    val block = Raw.unsafe.allocateMemory(bytes)
    Raw.unsafe.putByte(block, 1)
    block
