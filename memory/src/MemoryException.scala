package undercroft.memory

/** An error of memory below the garbage collector; its message holds every value involved. */
sealed abstract class MemoryException(message: String) extends RuntimeException(message)

/** A reference was used after the memory it points to was given back, or never was valid.
  *
  * @param owner
  *   who owned the memory under the reference's generation, where that is still known
  */
final class StaleReferenceException(
    val owner: Option[String],
    val offset: Long,
    val generation: Int,
    val found: String
) extends MemoryException(
      s"stale reference to ${owner.getOrElse("an owner no longer known")}: " +
        s"offset $offset of generation $generation, but $found"
    )

/** The null reference was used. */
final class NullReferenceException(val field: Long)
    extends MemoryException(s"null reference used at field offset $field")

/** An access reached past the end of the block that its reference points into. */
final class BlockBoundsException(val offset: Long, val width: Long, val size: Long)
    extends MemoryException(s"offset $offset + $width exceeds block of $size bytes")

/** A budget does not hold what was asked of it. All sizes are in bytes. */
final class MemoryLimitException(val budget: String, val asked: Long, val available: Long)
    extends MemoryException(
      s"asked for $asked bytes, but only $available are available in the budget of $budget"
    )

/** A region was asked for memory after it was closed. */
final class RegionClosedException(val region: String)
    extends MemoryException(s"$region is closed")

/** A scoped region was used from another thread than the one that opened it. */
final class RegionThreadException(val region: String, val owner: String, val current: String)
    extends MemoryException(s"$region is confined to thread $owner, but thread $current used it")

/** A size in bytes is negative or beyond what the cage holds. */
final class InvalidSizeException(val size: Long, val limit: Long)
    extends MemoryException(s"size $size is not in [0, $limit]")

/** An alignment in bytes is not a power of two, or too large. */
final class InvalidAlignmentException(val alignment: Long, val limit: Long)
    extends MemoryException(s"alignment $alignment is not a power of two in [1, $limit]")

/** A block was freed twice, by a stranger, or with a wrong size. */
final class InvalidFreeException(message: String) extends MemoryException(message)
