package undercroft.struct
package internal.hash

/** Incremental resize: moves the entries of a table from older slots to larger ones, a few homes at
  * a time. Slots are in hash order, so the moved entries are exactly the entries below one hash,
  * and both slot arrays are accessed sequentially. For a table that is not growing, both are the
  * same slots, and nothing has moved.
  */
private[struct] final class IncrementalResize(val older: HashSlots, larger: HashSlots):

  /** Homes of the older slots from this one on have not moved. */
  private var boundary = 0L

  /** Whether an entry with this hash is in the larger slots, if it exists. */
  def hasMoved(hash: Long): Boolean = older.home(hash) < boundary

  /** Whether all entries have moved. */
  def isOver: Boolean = older.place(boundary) >= older.end

  /** The first place in the older slots that has not moved. */
  def rest: Long = older.place(boundary)

  /** Moves the entries of some homes, up to the end of a run. Returns false if the larger slots ran
    * out, which does not happen by chance: some entries are then in both, and [[isCopy]] identifies
    * them.
    */
  def move(homes: Long): Boolean =
    var until = boundary + homes
    while older.place(until) < older.end && !older.isFree(older.place(until)) do until += 1
    val last = older.place(until).min(older.end)
    larger.ensure(larger.place(larger.homeOf(until, older) + 2 * (until - boundary)))
    var at = older.place(boundary)
    var hasRoom = true
    while at < last && hasRoom do
      if !older.isFree(at) then
        val target = larger.free(older.hashAt(at))
        hasRoom = target < larger.end
        if hasRoom then
          larger.ensure(target + older.stride)
          larger.copy(at, target)
      at += older.stride
    if hasRoom then boundary = until
    hasRoom
  end move

  /** Whether a place holds a copy of an entry that an incomplete move has left in the older slots.
    */
  def isCopy(place: Long): Boolean = larger.holds(place) && !hasMoved(larger.hashAt(place))
end IncrementalResize

private[struct] object IncrementalResize:
  /** Homes that move at each new key: the older slots are empty long before the new ones are full.
    */
  inline val Step = 16L
end IncrementalResize
