package undercroft.memory

/** An error of off-heap memory; its message contains every value involved. */
sealed abstract class MemoryException(message: String) extends RuntimeException(message)

/** A reference was used after its memory was freed, or was never valid.
  *
  * @param owner
  *   the owner of the memory in the reference's generation; each page remembers its last four
  *   owners
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

/** An access exceeded the block that its reference points into. */
final class BlockBoundsException(val offset: Long, val width: Long, val size: Long)
    extends MemoryException(s"offset $offset + $width exceeds block of $size bytes")

/** A charge exceeds a budget. All sizes are in bytes. */
final class MemoryLimitException(
    val budget: String,
    val requestedBytes: Long,
    val availableBytes: Long
) extends MemoryException(
      s"asked for $requestedBytes bytes, but only $availableBytes are available in the budget of $budget"
    )

/** A region was used after it was closed. */
final class RegionClosedException(val region: String)
    extends MemoryException(s"$region is closed")

/** A scoped region was used by a thread other than its owner thread. */
final class RegionThreadException(val region: String, val owner: String, val current: String)
    extends MemoryException(s"$region is confined to thread $owner, but thread $current used it")

/** A size in bytes is negative or exceeds the cage. */
final class InvalidSizeException(val size: Long, val limit: Long)
    extends MemoryException(s"size $size is not in [0, $limit]")

/** An alignment in bytes is not a power of two, or too large. */
final class InvalidAlignmentException(val alignment: Long, val limit: Long)
    extends MemoryException(s"alignment $alignment is not a power of two in [1, $limit]")

/** A block was freed twice, with a wrong size, or by an address that is not a block of Malloc. */
final class InvalidFreeException(message: String) extends MemoryException(message)
