package undercroft.memory

/** What one thread keeps for itself: its last pages, its regions' state, its numbers.
  *
  * A lane belongs to one live thread at a time, so that nothing in it needs a lock. When the thread
  * has died, the next that wants the lane takes it over. Threads for which there is no lane (more
  * threads alive than lanes) work the same by way of the page pool, at the cost of its lock.
  */
private[memory] final class Lane(val index: Int):
  // Read without a fence: only the thread itself can make it equal to itself.
  private var owner: Thread | Null = null
  private val pages = new Array[Long](Lane.PagesKept)
  private var pageCount = 0
  private val bumps = new Array[Bump | Null](Lane.BumpsKept)
  private var bumpCount = 0
  private var ownerCount = 0L

  /** Bytes in scoped regions without a name or budget of their own, and the most at one time. */
  var scopedBytes = 0L
  var scopedPeak = 0L
  var scopedLive = 0L
  var scopedTotal = 0L

  /** What [[Malloc]] gives out on this lane. */
  val heap = MallocHeap(index, this)

  def isOwnedBy(thread: Thread): Boolean = owner eq thread

  /** Whether nobody alive has the lane. */
  def isFree: Boolean =
    val thread = owner
    thread == null || !thread.isAlive

  /** Takes the lane for a thread, if nobody alive has it. */
  def claim(thread: Thread): Boolean = synchronized:
    val free = isFree
    if free then owner = thread
    free

  /** Takes the lane if nobody alive has it; cheaper than [[claim]] where somebody has. */
  def claimFree(thread: Thread): Boolean = isFree && claim(thread)

  /** A number for an owner of memory, never given twice. */
  def nextOwner(): Long =
    ownerCount += 1
    Lane.ownerNumber(index, ownerCount)

  /** A free page of this thread's own, or one of the pool's. It is not live yet. */
  def takePage(): Long =
    if pageCount == 0 then refill()
    pageCount -= 1
    pages(pageCount)

  def givePage(page: Long): Unit =
    if pageCount == pages.length then spill()
    pages(pageCount) = page
    pageCount += 1

  def takeBump(thread: Thread): Bump =
    if bumpCount == 0 then Bump(thread, this)
    else
      bumpCount -= 1
      val bump = bumps(bumpCount).nn
      bump.thread = thread
      bump

  def giveBump(bump: Bump): Unit =
    if bumpCount < bumps.length then
      bumps(bumpCount) = bump
      bumpCount += 1

  def addScoped(bytes: Long): Unit =
    scopedBytes += bytes
    if scopedBytes > scopedPeak then scopedPeak = scopedBytes

  /** Hands all idle pages back to the pool. */
  def spillAll(): Unit =
    while pageCount > 0 do
      pageCount -= 1
      PagePool.unreserve(pages(pageCount), 1, isHuge = false)

  private def refill(): Unit =
    val first = PagePool.page(PagePool.reserve(Lane.PagesRefilled, wantsHuge = false))
    // The lowest page is taken first, so that the pages of a chunk wear out together.
    var i = Lane.PagesRefilled - 1
    while i >= 0 do
      pages(pageCount) = first + i
      pageCount += 1
      i -= 1

  /** Gives the older half back: the younger is what the caches hold. */
  private def spill(): Unit =
    val half = pages.length / 2
    var i = 0
    while i < half do
      PagePool.unreserve(pages(i), 1, isHuge = false)
      i += 1
    System.arraycopy(pages, half, pages, 0, pages.length - half)
    pageCount -= half
end Lane

private[memory] object Lane:
  /** 32 pages, 2 MiB, for each thread. */
  private val PagesKept = 32
  private val PagesRefilled = 8

  /** Regions open inside each other whose state is kept. */
  private val BumpsKept = 8

  /** Lanes tried from a thread's own place onwards. */
  private val Probed = 4

  /** Four for each processor, so that threads seldom meet. */
  val count: Int =
    Integer.highestOneBit(Runtime.getRuntime.availableProcessors.max(8) * 4 - 1) << 1

  private val lanes = Array.tabulate(count)(i => new Lane(i))
  private val mask = count - 1
  private val others = java.util.concurrent.atomic.AtomicLong()

  def at(index: Int): Lane = lanes(index)
  def all: Iterator[Lane] = lanes.iterator

  /** The lane of the current thread; null where none is free. */
  def mine(thread: Thread): Lane | Null =
    val lane = lanes(thread.threadId.toInt & mask)
    if lane.isOwnedBy(thread) then lane else search(thread)

  private def search(thread: Thread): Lane | Null =
    var found: Lane | Null = null
    var i = 0
    while found == null && i < Probed do
      val lane = lanes((thread.threadId.toInt + i) & mask)
      if lane.isOwnedBy(thread) || lane.claim(thread) then found = lane
      i += 1
    found

  /** A number for an owner without a lane. */
  def nextOwner(): Long = ownerNumber(count, others.incrementAndGet())

  private def ownerNumber(index: Int, counted: Long): Long =
    Owners.FirstOfRegions + counted * (count + 1) + index
end Lane
