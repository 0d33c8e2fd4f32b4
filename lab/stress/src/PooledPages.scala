package undercroft.memory

import internal.alloc.PagePool

/** Pages from the pool, for tests in Java. */
object PooledPages:
  private val Owner = 7L

  /** Takes a zeroed page; returns the reference to its start. */
  def page(): Long =
    PagePool.take(1, wantsHuge = false, Owner, zero = true) & ~PagePool.AllZero

  def release(page: Long): Unit = PagePool.release(page, 1, 1, isHuge = false)
