package undercroft.struct
package internal.parallel

import undercroft.memory.internal.cage.Cage

/** A table shared with the threads of one operation.
  *
  * Memory that is confined to the caller's thread is accessible to the other threads until the
  * operation has ended. That is safe because the caller waits and no other thread can free it; and
  * because functions receive rows as values, never the shared table itself.
  */
private[undercroft] final class SharedTable[T, L <: Layout](table: Table[T, L]):
  private val owner = Thread.currentThread

  /** The number of rows at the start of the operation. */
  val rows: Long = table.size

  /** Whether the caller must not run a part of the operation while others do. */
  val confined: Boolean = !table.memory.isAccessibleBy(SharedTable.stranger)

  /** The table for all threads, valid while its owner waits. */
  val open: Table[T, L] =
    table.admit()
    if !confined then table
    else if table.source != null then
      throw IllegalStateException(
        s"the rows are in ${table.source.name}, confined to one thread: a parallel operation needs " +
          "a segment of Arena.ofShared"
      )
    else
      val place = Cage.placeOf(table.address.bits)
      val memory = Cage.open.asSlice(place, table.memory.byteSize)
      new Table(memory, table.address, table.kind, table.first, table.capacity, rows)(using
        table.struct
      )

  /** The table for the current thread. */
  def here: Table[T, L] = if owner eq Thread.currentThread then table else open

  /** The number of parts that the rows are split into; it depends on the number of rows alone. */
  def parts: Int = Math.ceilDiv(rows, perPart).toInt

  /** The first row of a part. */
  def start(part: Int): Long = (part * perPart).min(rows)

  /** The rows of a part. */
  def part(number: Int): Table[T, L] = here.slice(start(number), start(number + 1))

  private def perPart: Long =
    (Math.ceilDiv(rows, SharedTable.Most) + 63 & -64L).max(SharedTable.Least)
end SharedTable

private[undercroft] object SharedTable:
  /** The minimum number of rows of a part: some tens of microseconds of work. A multiple of 64. */
  private inline val Least = 1L << 14

  /** The most parts of a table: enough for all threads of any machine to end at about the same
    * time.
    */
  private inline val Most = 1024L

  /** A thread that no memory is confined to. */
  private val stranger = Thread()
end SharedTable
