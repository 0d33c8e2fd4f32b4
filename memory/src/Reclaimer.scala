package undercroft.memory

/** Releases idle memory that is charged to a [[Budget]], before the budget rejects a charge.
  *
  * Thread-safe. It is called by the thread whose charge does not fit, which may hold locks of its
  * own: an implementation must not wait for a lock that some thread holds while it charges a budget
  * or allocates (use `tryLock`, and return if it fails). It must not throw, and a charge that it
  * makes itself to the same budget is rejected without calling reclaimers again.
  */
private[undercroft] trait Reclaimer:

  /** Releases idle memory to the budget, at least `bytes` bytes if available. */
  def reclaim(bytes: Long): Unit

  /** Whether unreachable objects may still hold memory of the budget. Then a garbage collection may
    * free more, and [[reclaim]] is called again after it.
    */
  def awaitsCollection: Boolean
end Reclaimer
