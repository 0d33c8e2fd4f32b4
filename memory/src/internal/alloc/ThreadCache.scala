package undercroft.memory
package internal.alloc

import internal.cage.{Cage, OwnerNames, PageTable}

/** A thread cache: the idle pages, bump allocators and counters of one thread.
  *
  * A cache belongs to one live thread at a time, so it needs no lock. After the thread has died,
  * the next thread that needs the cache takes it over. A thread without a cache (there are more
  * live threads than caches) uses the page pool directly, at the cost of its lock.
  */
private[memory] final class ThreadCache(val index: Int):
  // Read without a fence: only the current thread can have stored itself here.
  private var owner: Thread | Null = null
  private val pages = new Array[Long](ThreadCache.PagesKept)
  private var pageCount = 0
  private val allocators = new Array[BumpAllocator | Null](ThreadCache.AllocatorsKept)
  private var allocatorCount = 0
  private var ownerCount = 0L

  /** Bytes in scoped regions without a name or budget, their peak, and the number of regions. */
  var scopedBytes = 0L
  var scopedPeak = 0L
  var scopedLive = 0L
  var scopedTotal = 0L

  /** The open pins of bytes that only this thread frees. */
  var pins: Pin | Null = null

  /** Whether the slice of [[KeyScratch]] is committed. */
  var hasScratch = false

  /** The heap of [[Malloc]] blocks allocated through this cache. */
  val heap = MallocHeap(index, this)

  def isOwnedBy(thread: Thread): Boolean = owner eq thread

  /** Whether no live thread owns the cache. */
  def isFree: Boolean =
    val thread = owner
    thread == null || !thread.isAlive

  /** Takes the cache for a thread, if no live thread owns it. */
  def claim(thread: Thread): Boolean = synchronized:
    val free = isFree
    if free then owner = thread
    free

  /** The same as [[claim]], but cheaper if a live thread owns the cache. */
  def claimFree(thread: Thread): Boolean = isFree && claim(thread)

  /** A unique number for an owner of memory. */
  def nextOwner(): Long =
    ownerCount += 1
    ThreadCache.ownerNumber(index, ownerCount)

  /** A free page from this cache or else from the pool. It is not live yet. */
  def takePage(): Long =
    if pageCount == 0 then refill()
    pageCount -= 1
    pages(pageCount)

  def releasePage(page: Long): Unit =
    if pageCount == pages.length then spill()
    pages(pageCount) = page
    pageCount += 1

  def takeAllocator(thread: Thread): BumpAllocator =
    if allocatorCount == 0 then BumpAllocator(thread, this)
    else
      allocatorCount -= 1
      val allocator = allocators(allocatorCount).nn
      allocator.thread = thread
      allocator

  def returnAllocator(allocator: BumpAllocator): Unit =
    if allocatorCount < allocators.length then
      allocators(allocatorCount) = allocator
      allocatorCount += 1

  /** Bytes of its pages that are charged to the process; other threads may see them late. */
  def cachedBytes: Long =
    val cached = pages.take(pageCount)
    cached.count(page => PageTable.isWritten(PageTable.entry(page))) * Cage.PageBytes

  def raiseScopedPeak(): Unit = if scopedBytes > scopedPeak then scopedPeak = scopedBytes

  /** Returns all idle pages to the pool. */
  def spillAll(): Unit = spillDownTo(0)

  /** Returns idle pages to the pool until `keptPages` remain. */
  private def spillDownTo(keptPages: Int): Unit =
    while pageCount > keptPages do
      // Counted first: after an error in the pool, a page must not be in both.
      pageCount -= 1
      PagePool.unreserve(pages(pageCount), 1, isHuge = false)

  /** If the cache belongs to the current thread or no live thread, releases its heap's idle pages
    * to the budget of Malloc, and all idle pages to the pool.
    */
  private def trim(thread: Thread): Unit =
    if isOwnedBy(thread) then trimOwn()
    else if claimFree(thread) then
      try
        heap.collect()
        trimOwn()
      finally release()

  // Does not collect remote frees: the current thread may be in the middle of an allocation.
  private def trimOwn(): Unit =
    heap.trim()
    spillAll()

  /** Ends a claim: the next thread that needs the cache takes it. */
  def release(): Unit = synchronized:
    owner = null

  private def refill(): Unit =
    val first = PagePool.page(PagePool.claim(ThreadCache.PagesRefilled, wantsHuge = false))
    // Lowest page first, so that the pages of a chunk use up their generations together.
    var i = ThreadCache.PagesRefilled - 1
    while i >= 0 do
      pages(pageCount) = first + i
      pageCount += 1
      i -= 1

  /** Returns the older half to the pool; the newer half is more likely in the CPU caches. */
  private def spill(): Unit =
    val half = pages.length / 2
    var i = 0
    while i < half do
      val older = pages(i)
      pages(i) = pages(half + i)
      pages(half + i) = older
      i += 1
    spillDownTo(half)
end ThreadCache

private[memory] object ThreadCache:
  /** Idle pages of each thread: 32 pages, 2 MiB. */
  private val PagesKept = 32
  private val PagesRefilled = 8

  /** Bump allocators kept for reuse; nested regions use one each. */
  private val AllocatorsKept = 8

  /** Number of caches tried, from the index of the thread on. */
  private val Probed = 4

  /** Number of caches: four for each processor, to avoid contention. */
  val count: Int =
    Integer.highestOneBit(Math.max(Runtime.getRuntime.availableProcessors, 8) * 4 - 1) << 1

  private val caches = createCaches()

  private def createCaches(): Array[ThreadCache] =
    val caches = new Array[ThreadCache](count)
    var i = 0
    while i < count do
      caches(i) = new ThreadCache(i)
      i += 1
    caches

  private val mask = count - 1
  private val foreignCount = java.util.concurrent.atomic.AtomicLong()

  def at(index: Int): ThreadCache = caches(index)
  def all: Iterator[ThreadCache] = caches.iterator

  /** The cache of the current thread; null if no cache is free. */
  def mine(thread: Thread): ThreadCache | Null =
    val cache = caches(thread.threadId.toInt & mask)
    if cache.isOwnedBy(thread) then cache else search(thread)

  /** Returns the idle pages of all caches that no other live thread owns. */
  def trimIdle(): Unit =
    val thread = Thread.currentThread
    var i = 0
    while i < count do
      caches(i).trim(thread)
      i += 1

  /** The cache at the thread's own index; null if another thread owns it. */
  def first(thread: Thread): ThreadCache | Null =
    val cache = caches(thread.threadId.toInt & mask)
    if cache.isOwnedBy(thread) || cache.claimFree(thread) then cache else null

  private def search(thread: Thread): ThreadCache | Null =
    var result: ThreadCache | Null = null
    var i = 0
    while result == null && i < Probed do
      val cache = caches((thread.threadId.toInt + i) & mask)
      if cache.isOwnedBy(thread) || cache.claim(thread) then result = cache
      i += 1
    result

  /** A unique number for an owner without a cache. */
  def nextOwner(): Long = ownerNumber(count, foreignCount.incrementAndGet())

  // The threads of scoped regions without a cache.
  private val confined = java.util.concurrent.ConcurrentHashMap[Long, Thread]()

  /** A unique number for a scoped region without a cache; [[forget]] ends its use. */
  def nextConfined(thread: Thread): Long =
    val owner = nextOwner()
    confined.put(owner, thread): Unit
    owner

  def forget(owner: Long): Unit = confined.remove(owner): Unit

  /** The thread that a region without a cache is confined to; null if it is shared. */
  def confinedTo(owner: Long): Thread | Null = confined.get(owner)

  /** The index of the cache that numbered an owner; [[count]] if there is none. */
  def indexOf(owner: Long): Int =
    if owner < OwnerNames.FirstOfRegions then count
    else ((owner - OwnerNames.FirstOfRegions) % (count + 1)).toInt

  /** The cache whose thread alone uses the memory of an owner; null if there is none. */
  def ofOwner(owner: Long): ThreadCache | Null =
    val index = indexOf(owner)
    if index < count then caches(index) else null

  // A page's history has this many bits for the number of an owner.
  private val OwnerBits = 64 - Cage.GenerationBits

  /** The largest counts, a power of two minus one, with which the numbers fit: after that many
    * owners, numbers are used again.
    */
  private val CountMask =
    java.lang.Long.highestOneBit(
      ((1L << OwnerBits) - OwnerNames.FirstOfRegions) / (count + 1)
    ) - 1

  private[memory] def ownerNumber(index: Int, counted: Long): Long =
    OwnerNames.FirstOfRegions + (counted & CountMask) * (count + 1) + index
end ThreadCache
