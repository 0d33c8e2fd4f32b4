package undercroft.memory

/** An error of off-heap memory; its message contains every value involved.
  *
  * {{{
  * try Region.named("import", limitBytes = 1.MiB)(Region.allocate(2.MiB).byteSize)
  * catch case error: MemoryException => println(error.getMessage)
  * }}}
  */
sealed abstract class MemoryException(message: String) extends RuntimeException(message)

/** A reference was used after its memory was freed, or was never valid.
  *
  * {{{
  * import undercroft.struct.*
  * val orders = Region.shared("orders")
  * val order = Ref((1, 250))(using orders)
  * orders.close()
  * try println(order())
  * catch case error: StaleReferenceException => println(error.owner) // Some(region "orders")
  * }}}
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

/** The null reference was used.
  *
  * {{{
  * import undercroft.struct.*
  * try println(Ref.none[(Int, Int)]())
  * catch case error: NullReferenceException => println(error.field) // 0
  * }}}
  */
final class NullReferenceException(val field: Long)
    extends MemoryException(s"null reference used at field offset $field")

/** An access exceeded the block that its reference points into. */
final class BlockBoundsException(val offset: Long, val width: Long, val size: Long)
    extends MemoryException(s"offset $offset + $width exceeds block of $size bytes")

/** A charge exceeds a budget. All sizes are in bytes.
  *
  * {{{
  * val budget = Budget("cache", limitBytes = 1.MiB)
  * try Region.within(budget)(Region.allocate(2.MiB).byteSize)
  * catch case error: MemoryLimitException => println(error.availableBytes < 2.MiB) // true
  * }}}
  */
final class MemoryLimitException(
    val budget: String,
    val requestedBytes: Long,
    val availableBytes: Long
) extends MemoryException(
      s"asked for $requestedBytes bytes, but only $availableBytes are available in the budget of $budget"
    )

/** A region was used after it was closed.
  *
  * {{{
  * val orders = Region.shared("orders")
  * orders.close()
  * try println(orders.allocate(8, 8))
  * catch case error: RegionClosedException => println(error.region) // region "orders"
  * }}}
  */
final class RegionClosedException(val region: String)
    extends MemoryException(s"$region is closed")

/** A scoped region was used by a thread other than its owner thread.
  *
  * {{{
  * Region.named("orders"):
  *   val region = Region.current
  *   val thread = Thread.startVirtualThread: () =>
  *     try println(region.allocate(8, 8))
  *     catch case error: RegionThreadException => println(error.region) // region "orders"
  *   thread.join()
  * }}}
  */
final class RegionThreadException(val region: String, val owner: String, val current: String)
    extends MemoryException(s"$region is confined to thread $owner, but thread $current used it")

/** A size in bytes is negative or exceeds the cage.
  *
  * {{{
  * try Region.scoped(Region.allocate(-1).byteSize)
  * catch case error: InvalidSizeException => println(error.size) // -1
  * }}}
  */
final class InvalidSizeException(val size: Long, val limit: Long)
    extends MemoryException(s"size $size is not in [0, $limit]")

/** An alignment in bytes is not a power of two, or too large.
  *
  * {{{
  * try Region.scoped(Region.allocate(8, byteAlignment = 3).byteSize)
  * catch case error: InvalidAlignmentException => println(error.alignment) // 3
  * }}}
  */
final class InvalidAlignmentException(val alignment: Long, val limit: Long)
    extends MemoryException(s"alignment $alignment is not a power of two in [1, $limit]")

/** A block was freed twice, with a wrong size, or by an address that is not a block of Malloc.
  *
  * {{{
  * val address = Malloc.allocateBlock(64, 8)
  * Malloc.free(address)
  * try Malloc.free(address)
  * catch case error: InvalidFreeException => println("not a block") // not a block
  * }}}
  */
final class InvalidFreeException(message: String) extends MemoryException(message)
