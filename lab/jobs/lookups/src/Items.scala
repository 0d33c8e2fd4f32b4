package lookups

/** The items of all programs: a number, and a vector that follows from it, one KiB together. */
object Items:
  /** The elements of a vector. */
  final val Length = 254

  /** An element of an item's vector, at most 65535, so that sums of elements are exact. */
  def element(id: Long, index: Int): Float =
    ((id * 31 + index) * 0x9e3779b97f4a7c15L >>> 48).toFloat

  /** The items to look up one after another: the id at a position of a random sequence. */
  def wanted(position: Long, items: Long): Long =
    val mixed = (position + 1) * 0xd6e8feb86659fd93L
    ((mixed ^ mixed >>> 32) * 0x9e3779b97f4a7c15L >>> 1) % items
end Items
