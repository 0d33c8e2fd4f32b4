package undercroft.struct
package internal.bytes

import undercroft.memory.internal.cage.Cage
import scala.annotation.publicInBinary

/** Loops over references in blocks, whose cache lines are loaded before the first struct of a block
  * is read and checked.
  *
  * The more instructions a loop has between two loads, the fewer cache misses the processor
  * overlaps: a loop with a check of each reference has about sixteen, a loop that only combines the
  * loaded words has three. Structs of a block that are near to each other are likely to be in a
  * cache, and are not loaded ahead.
  */
@publicInBinary private[struct] object RefBlocks:

  /** The most references of a block: their structs' cache lines fit in L1. */
  private inline val MostRefs = 256

  /** The distance in bytes up to which structs are near to each other. */
  private inline val NearBytes = 0x1000000L

  /** One of so many references of a block is compared. */
  private inline val Sampled = 16

  private inline val MaxDistance = 0x7fff

  private val buffer: ThreadLocal[Array[Long]] =
    ThreadLocal.withInitial(() => new Array[Long](MostRefs)).nn

  /** A use of the loaded words, without which the JIT would remove the loads. */
  private var used = 0
  used = 0x5bd1e995

  /** The number of references of the block that starts at an index. */
  @publicInBinary def count(references: Array[Long], from: Int): Int =
    Math.min(references.length - from, MostRefs)

  /** Loads the cache lines of a block's structs, `distance` bytes from their starts. The words that
    * it reads may belong to anyone, so they are not used.
    */
  @publicInBinary def load(references: Array[Long], from: Int, count: Int, distance: Int): Unit =
    if Cage.readsAnywhere && distance <= MaxDistance && isFar(references, from, count) then
      val places = buffer.get.nn
      place(references, from, count, distance, places)
      touch(places, count)

  /** Whether structs of a block are far from each other, by a sample of them. */
  private def isFar(references: Array[Long], from: Int, count: Int): Boolean =
    val end = from + count
    var lowest = Long.MaxValue
    var highest = 0L
    var i = from
    while i < end do
      val offset = Cage.offsetOf(references(i))
      lowest = Math.min(lowest, offset)
      highest = Math.max(highest, offset)
      i += Sampled
    highest - lowest > NearBytes

  private def place(
      references: Array[Long],
      from: Int,
      count: Int,
      distance: Int,
      places: Array[Long]
  ): Unit =
    val base = Cage.placeOf(Cage.bitsOf(distance, 0))
    var i = 0
    while i < count do
      places(i) = base + Cage.offsetOf(references(from + i))
      i += 1

  private def touch(places: Array[Long], count: Int): Unit =
    var all = used
    var i = 0
    while i < count do
      all ^= Cage.open.get(ValueLayouts.int, Cage.within(places(i)))
      i += 1
    if all == 0 then used = all | 1 // seldom

  /** Passes the structs to `step` until it returns false. */
  def each[T](references: Array[Long], struct: Struct[T], step: T => Boolean): Unit =
    var running = true
    var from = 0
    while running && from < references.length do
      val end = from + count(references, from)
      load(references, from, end - from, 0)
      while running && from < end do
        running = step(WholeStructs.load(struct, references(from), packed = false))
        from += 1
end RefBlocks
