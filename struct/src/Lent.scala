package undercroft.struct

import undercroft.memory.Cage

/** A table for an operation of several threads.
  *
  * Memory that is confined to the caller's thread is lent to the others until the operation has
  * ended. That is safe because the caller waits, and nobody else can free it; and because rows are
  * handed to functions as values, never the lent table itself.
  */
private[undercroft] final class Lent[T, L <: Layout](table: Table[T, L]):
  private val owner = Thread.currentThread

  /** How many rows it had when it was lent. */
  val rows: Long = table.size

  /** Whether the caller must not run a part of the operation while others do. */
  val confined: Boolean = !table.memory.isAccessibleBy(Lent.stranger)

  /** The table, for all threads: as long as its owner waits. */
  val open: Table[T, L] =
    table.admit()
    if !confined then table
    else
      val place = Cage.placeOf(table.address.bits)
      val memory = Cage.open.asSlice(place, table.memory.byteSize)
      new Table(memory, table.address, table.kind, table.first, table.capacity, rows)(using
        table.struct
      )

  /** The table, for the thread that asks. */
  def here: Table[T, L] = if owner eq Thread.currentThread then table else open

  /** How many parts the rows are shared out in, by their number alone. */
  def parts: Int = Math.ceilDiv(rows, perPart).toInt

  /** The first row of a part. */
  def start(part: Int): Long = (part * perPart).min(rows)

  /** The rows of a part. */
  def part(number: Int): Table[T, L] = here.slice(start(number), start(number + 1))

  private def perPart: Long = (Math.ceilDiv(rows, Lent.Most) + 63 & -64L).max(Lent.Least)
end Lent

private[undercroft] object Lent:
  /** Rows of a part, at the least: some tens of microseconds of work. A multiple of 64. */
  private inline val Least = 1L << 14

  /** Parts of a table, at the most: enough for the threads of any machine to end together. */
  private inline val Most = 1024L

  /** A thread that no memory is confined to. */
  private val stranger = Thread()
end Lent
