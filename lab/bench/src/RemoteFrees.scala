package undercroft.lab.bench

// How much does a block cost that another thread frees?

import java.util.concurrent.atomic.AtomicReference
import org.openjdk.jmh.annotations.*
import undercroft.memory.{Address, Malloc}

/** A thread allocates blocks and hands them over in batches to another one, which frees them. A
  * call is one block; it ends when all its batches are freed.
  */
@State(Scope.Thread)
@OperationsPerInvocation(RemoteFrees.count)
class RemoteFrees extends Measured:
  import RemoteFrees.*
  @Param(Array("64", "1000")) var bytes = 0

  private val toMalloc = AtomicReference[Array[Long]]()
  private val toUnsafe = AtomicReference[Array[Long]]()
  @volatile private var isRunning = true
  private var freeing: Thread = scala.compiletime.uninitialized

  @Setup def start(): Unit =
    freeing = Thread: () =>
      while isRunning do
        val busy = freed(toMalloc)(block => Malloc.free(Address.ofBits(block))) ||
          freed(toUnsafe)(Raw.unsafe.freeMemory(_))
        if !busy then Thread.onSpinWait()
    freeing.setDaemon(true)
    freeing.start()

  @TearDown def stop(): Unit =
    isRunning = false
    freeing.join()

  /** The number of blocks that were allocated and freed. */
  @Benchmark def malloc(): Int = handedOver(toMalloc)(LiveBlocks.ofMalloc(bytes))
  @Benchmark def unsafe(): Int = handedOver(toUnsafe)(LiveBlocks.ofUnsafe(bytes))

  private inline def handedOver(place: AtomicReference[Array[Long]])(inline allocate: Long): Int =
    var batch = new Array[Long](batchSize)
    var freedBatch = new Array[Long](batchSize)
    var allocated = 0
    while allocated < count do
      var i = 0
      while i < batchSize do
        batch(i) = allocate
        i += 1
      allocated += batchSize
      awaitFreed(place)
      place.set(batch)
      val handed = batch
      batch = freedBatch
      freedBatch = handed
    awaitFreed(place)
    allocated

  private def awaitFreed(place: AtomicReference[Array[Long]]): Unit =
    while place.get != null do
      if !freeing.isAlive then throw IllegalStateException("the thread that frees has ended")
      Thread.onSpinWait()

  /** Frees the batch at a place, if there is one. */
  private inline def freed(place: AtomicReference[Array[Long]])(inline free: Long => Unit)
      : Boolean =
    val batch = place.get
    if batch != null then
      var i = 0
      while i < batch.length do
        free(batch(i))
        i += 1
      place.set(null)
    batch != null
end RemoteFrees

object RemoteFrees:
  final val batchSize = 256
  final val count = 64 * batchSize
