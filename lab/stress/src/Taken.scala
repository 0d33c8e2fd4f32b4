package undercroft.memory

/** A page from the pool, for tests in Java. */
object Taken:
  private val Owner = 7L

  /** The reference to a zeroed page's beginning. */
  def page(): Long =
    PagePool.take(1, wantsHuge = false, Owner, zero = true) & ~PagePool.AllZero

  def giveBack(page: Long): Unit = PagePool.give(page, 1, 1, isHuge = false)
