package undercroft.memory
package internal.alloc

import internal.cage.Cage
import internal.platform.LoaderLifetime

/** Memory of the cage that only one thread writes: a key is built in it before it is compared, so
  * that a lookup in a shared structure writes no memory that another thread reads.
  *
  * Each thread cache has a slice of the first chunk, which belongs to no allocator. A thread
  * without a cache, or with a key larger than a slice, has a block of [[Malloc]] until the thread
  * is garbage collected.
  */
private[undercroft] object KeyScratch:
  private val SliceBytes: Long = (Cage.ChunkBytes - Cage.PageBytes) / ThreadCache.count & -64L

  // The offset and the size of the block of a thread that has no thread cache at its own index. An
  // array, because a thread that lives on would keep the loader of any class of ours.
  private val blocks = ThreadLocal[Array[Long]]()

  /** The place in [[Cage.open]] of `bytes` bytes of any content. They belong to the current thread
    * until its next call.
    */
  def place(bytes: Int): Long = Cage.placeOf(Cage.bitsOf(offset(bytes), 0))

  /** Provides memory for the current thread, so that [[place]] allocates nothing. */
  def prepare(bytes: Int): Unit = offset(bytes): Unit

  private def offset(bytes: Int): Long =
    val cache = ThreadCache.first(Thread.currentThread)
    if cache != null && bytes <= SliceBytes then slice(cache) else blockOf(bytes)

  private def slice(cache: ThreadCache): Long =
    val offset = Cage.PageBytes + cache.index * SliceBytes
    if !cache.hasScratch then
      Cage.space.commit(offset, SliceBytes)
      cache.hasScratch = true
    offset

  /** The offset of the thread's block; allocates a larger one if it is too small. */
  private def blockOf(bytes: Int): Long =
    val current = blocks.get
    if current != null && current(1) >= bytes then current(0)
    else
      val cache = ThreadCache.mine(Thread.currentThread)
      val block =
        if cache != null && bytes <= SliceBytes then Array(slice(cache), SliceBytes)
        else allocated(bytes)
      blocks.set(block)
      block(0)

  private def allocated(bytes: Int): Array[Long] =
    val address = Malloc.allocateBlock(bytes, 8)
    val block = Array(address.offset, bytes.toLong)
    LoaderLifetime.onUnreachable(block, () => Malloc.free(address)): Unit
    block
end KeyScratch
