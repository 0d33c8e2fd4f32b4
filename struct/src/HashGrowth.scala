package undercroft.struct

/** The move of a table's entries from older slots to larger ones, a few homes at a time. Because
  * slots are in the order of hashes, those that have moved are all those below one hash, and what
  * is moved is read and written from the beginning to the end. Of a table that does not grow both
  * are the same slots, and nothing has moved.
  */
private[struct] final class HashGrowth(val older: HashSlots, larger: HashSlots):

  /** Homes of the older slots from here on are there still. */
  private var boundary = 0L

  /** Whether what has a hash is in the larger slots, if it is anywhere. */
  def hasMoved(hash: Long): Boolean = older.home(hash) < boundary

  /** Whether all have moved. */
  def isOver: Boolean = older.place(boundary) >= older.end

  /** The first place in the older slots that has not moved. */
  def rest: Long = older.place(boundary)

  /** Moves the entries of some homes, up to the end of a run. False if the larger slots ran out,
    * which chance does not do: some entries are in both then, and [[isCopy]] tells of which.
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

  /** Whether a place holds what a move that did not come to its end has left in the older slots. */
  def isCopy(place: Long): Boolean = larger.holds(place) && !hasMoved(larger.hashAt(place))
end HashGrowth

private[struct] object HashGrowth:
  /** Homes that move at each new key: the older slots are gone long before the new ones are full.
    */
  inline val Step = 16L
end HashGrowth
